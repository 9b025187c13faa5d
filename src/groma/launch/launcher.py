"""Launchers: programs that start ranks, and their MPI library."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from groma.errors import LaunchError
from groma.launch.asking import answer_file, is_binary, is_program, keep_answer, printed_by
from groma.launch.families import families, family_named, template

OVERRIDE = "GROMA_MPIEXEC"


@dataclass(frozen=True)
class Launcher:
    """One launcher program, the name of its family ("" if it is not known), and extra arguments given."""

    path: Path
    family: str
    version: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return path and arguments as `identify_launcher` reads them."""
        return shlex.join([str(self.path), *self.arguments])

    @property
    def prefix(self) -> Path:
        """Folder of the installation: the one that holds `bin`."""
        return self.path.parent.parent

    @property
    def abi_library(self) -> Path | None:
        """The library with the standard ABI that was installed with this launcher, None if there is none."""
        offered = self.prefix / "lib" / "libmpi_abi.so.1"
        return offered if offered.exists() else None

    @property
    def own_library(self) -> Path | None:
        """The MPI library of this launcher's family that lies where the launcher was installed.

        None for a launcher without a library of its own, such as srun or a bare Hydra, and for families whose programs
        an engine with the standard ABI cannot be.
        """
        folders = [self.prefix / "lib", self.prefix / "lib64", *(self.prefix / "lib").glob("*-linux-*")]
        names = family_named(self.family).libraries
        return next((path for folder in folders for name in names for path in sorted(folder.glob(name))), None)


def identify_launcher(text: str) -> Launcher:
    """Return the launcher that a person named: a path or a name on PATH, followed by arguments of their own.

    With `{ranks}` in its arguments it is a template, whatever program it is.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LaunchError(f"the launcher '{text}' cannot be read ({error}); quote it as for a shell") from None
    path = shutil.which(words[0]) if words else None
    if path is None:
        raise LaunchError(f"there is no launcher '{words[0] if words else text}'; give the path of an mpiexec or srun")
    if template.is_template(words[1:]):
        return Launcher(Path(path).absolute(), template.FAMILY.name, "", tuple(words[1:]))
    return launcher_at(Path(path), tuple(words[1:]))


def launcher_at(path: Path, arguments: tuple[str, ...] = ()) -> Launcher:
    """Return the launcher at a path, as it identifies itself."""
    family, version = identity(path.absolute())
    return Launcher(path.absolute(), family, version, arguments)


def find_launchers() -> list[Launcher]:
    """Return every launcher found: the embedded MPICH's first, then Intel's root and PATH; one per program."""
    on_path = (shutil.which(name) for name in programs())
    candidates = [*launchers_of_package("mpich"), *_intel(), *map(Path, filter(None, on_path))]
    launchers: dict[Path, Launcher] = {}
    for path in candidates:
        program = path.resolve()
        if program not in launchers:  # one program has several names, and each question starts it
            launchers[program] = launcher_at(path)
    return [launcher for launcher in launchers.values() if launcher.family]


def programs() -> tuple[str, ...]:
    """Return the names under which launchers are looked for: those that all MPI libraries use, then each family's."""
    return ("mpiexec", "mpirun", *(name for family in families() for name in family.programs))


# The launchers of each scheduler's jobs, the likeliest first, with the family that the program must then have.
_OF_SCHEDULERS = {
    "Slurm": (("srun", "Slurm"),),
    "PBS": (("mpiexec", "PALS"), ("aprun", "ALPS")),
    "LSF": (("jsrun", "jsrun"),),
    "Flux": (("flux", "Flux"),),
}


def scheduler_launcher(scheduler: str) -> Launcher | None:
    """Return the launcher that belongs to a scheduler, None if there is none on PATH."""
    for name, family in _OF_SCHEDULERS.get(scheduler, ()):
        path = shutil.which(name)
        if path and (launcher := launcher_at(Path(path))).family == family:
            return launcher
    return None


def launchers_of_package(package: str) -> list[Path]:
    """Return the mpiexec that a package of PyPI put into this Python's environment; none if it is not installed."""
    name = package.replace("-", "_")
    records = (file for folder in sys.path for file in Path(folder).glob(f"{name}-[0-9]*.dist-info/RECORD"))
    lists = ((file.parents[1], file.read_text(errors="replace").splitlines()) for file in records)  # no metadata: 10 ms
    files = (site / line.partition(",")[0] for site, lines in lists for line in lines)
    launchers = (Path(os.path.normpath(file)) for file in files if file.name == "mpiexec")
    return [path for path in launchers if path.is_file()]


def _intel() -> list[Path]:
    root = os.environ.get("I_MPI_ROOT")
    path = Path(root or "") / "bin" / "mpiexec"
    return [path] if root and path.is_file() else []


def _version_text(path: Path) -> str:
    """Return what a launcher says of its version; it is asked once, unless it is a script, which may call another."""
    if not (is_program(path) and is_binary(path)):
        return printed_by(path, "--version")
    remembered = answer_file("version", path)
    try:
        return remembered.read_text()
    except (OSError, UnicodeDecodeError):
        text = printed_by(path, "--version")
    if text:
        keep_answer(remembered, text.encode())
    return text


@functools.lru_cache(maxsize=32)
def identity(path: Path) -> tuple[str, str]:
    """Family and version as the launcher itself states them; empty if it does not say."""
    if called := next((family for family in families() if not family.says and path.name in family.called), None):
        return called.name, ""  # it does not say, and would take the question for a program
    version_text = _version_text(path)
    for family in families():
        match = re.search(family.says, version_text) if family.says else None
        if match:
            return family.name, match[1].rstrip(",")
        if path.name in family.called:
            return family.name, ""
    return "", ""
