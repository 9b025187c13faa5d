"""Building an engine for a library without the standard ABI, from the sources in the package."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from groma.catalog import difference, packaged
from groma.errors import GromaError, InputError, OutputError, RunError
from groma.launch.asking import answer_of
from groma.launch.engine import describe, engine_at
from groma.launch.installing import again
from groma.libraries.engines import PROGRAM, folder_of, sources, write_account
from groma.libraries.library import Library
from groma.text.secret import make_folder

_LOG = "build.log"
_SHARE = re.compile(r"^\[\s*(?:(\d+)%|(\d+)/(\d+))\]")
_ERROR = re.compile(r"error[: ]|fatal|cannot find|undefined reference|No such file", re.IGNORECASE)
_LEAST_CPP, _PROGRAM = "-std=c++20", "#include <concepts>\n#include <span>\nint main() { return 0; }\n"
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Tools:
    """The programs of a build; `generator` is what CMake calls make or ninja."""

    cmake: str
    generator: str


def find_tools(library: Library) -> Tools:
    """Return what a build needs; raises InputError that names everything that is missing."""
    cmake, ninja, make = (shutil.which(name) for name in ("cmake", "ninja", "make"))
    missing = [] if cmake else ["cmake (3.24 or later)"]
    missing += [] if ninja or make else ["make or ninja"]
    missing += [] if _is_able(library) else [f"a C++20 compiler behind {library.compiler}"]
    if missing or cmake is None:
        raise InputError(f"an engine for {library.words} cannot be built: this machine lacks {' and '.join(missing)}")
    return Tools(cmake, "Ninja" if ninja else "Unix Makefiles")


def build(library: Library, say: Callable[[int], None], jobs: int | None = None) -> Path:
    """Build the engine of a library into the cache, and return it; one that is there already is kept.

    `say` hears the share that is done, in percent. Raises InputError if a tool is missing, and RunError, with the
    place of the log, if the build fails or its engine does not start.
    """
    folder = folder_of(library)
    engine = folder / PROGRAM
    if engine.is_file():
        return engine
    tools = find_tools(library)
    work = folder / f"build-{os.getpid()}"
    try:
        make_folder(work)
        with (folder / _LOG).open("w", encoding="utf-8") as log:
            for command in _commands(tools, library, work, jobs or len(os.sched_getaffinity(0))):
                _step(command, log.write, say, library, folder / _LOG)
        _check(library, work / "engine" / PROGRAM, folder / _LOG)
        write_account(folder, library)
        (work / "engine" / PROGRAM).replace(engine)
    except OSError as error:
        reason = f"{folder} could not be written ({error.strerror})"
        raise OutputError(f"{reason}; free some space, or make it writable") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return engine


def _commands(tools: Tools, library: Library, work: Path, jobs: int) -> list[list[str]]:
    """Return the two commands of a build."""
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "GROMA_MPI_ABI": "OFF",
        "MPI_CXX_COMPILER": str(library.compiler),
    }
    definitions = [f"-D{name}={value}" for name, value in settings.items()]
    configure = [tools.cmake, "-S", str(sources()), "-B", str(work), "-G", tools.generator, *definitions]
    return [configure, [tools.cmake, "--build", str(work), "--target", PROGRAM, "--parallel", str(jobs)]]


def _step(
    command: list[str], write: Callable[[str], object], say: Callable[[int], None], library: Library, log: Path
) -> None:
    """Run one command, with its output in the log; raises RunError if it fails."""
    write(f"$ {shlex.join(command)}\n")
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            write(line)
            lines.append(line.strip())
            if share := _SHARE.match(line):
                percent, step, steps = share.groups()
                say(int(percent) if percent else 100 * int(step) // int(steps))
    if process.returncode != 0:
        raise RunError(f"the engine for {library.words} could not be built: {_reason(lines)}; the log is {log}")


def _reason(lines: list[str]) -> str:
    """Return the first line of a failed build that names an error, else its last one."""
    errors = [line for line in lines if _ERROR.search(line)]
    cmake_errors = [lines[at + 1] for at, line in enumerate(lines[:-1]) if line.startswith("CMake Error")]
    return next(iter([*cmake_errors, *errors, *lines[-1:]]), "it said nothing").rstrip(".")


def _check(library: Library, engine: Path, log: Path) -> None:
    """Raise RunError if the built engine uses another library, or describes something else."""
    built = engine_at(engine)
    # Wheels have copies in place of links: libmpi.so beside libmpi.so.40.
    if built.library and library.file and built.library.resolve().parent != library.file.resolve().parent:
        used = f"{built.library} instead of {library.file}"
        raise RunError(f"the engine for {library.words} would use {used}; unset LD_LIBRARY_PATH; the log is {log}")
    try:
        drift = difference(packaged(), describe(built))
    except GromaError as error:
        raise RunError(f"the engine for {library.words} was built, and cannot be used: {error}") from None
    if drift is not None:
        raise RunError(f"the engine for {library.words} does not belong to this Groma: {drift}; {again()}")


def _is_able(library: Library) -> bool:
    """Return whether the compiler behind a wrapper takes C++20."""
    try:
        command = [str(library.compiler), _LEAST_CPP, "-x", "c++", "-fsyntax-only", "-"]
        return answer_of(command, _TIMEOUT_S, text=_PROGRAM).returncode == 0
    except OSError:
        return False
