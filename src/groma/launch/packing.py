"""This installation as one file: Python, its packages, the engine, and an MPI library that was installed with them.

The file is a shell script with a tar archive behind it. It keeps the layout of a Python prefix, so that Python, the
launcher and the libraries find each other wherever it is unpacked; everything that the loader needs beyond the C
library lies in its `lib`.
"""

from __future__ import annotations

import gzip
import io
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from importlib.resources import files as resources
from pathlib import Path

from groma.errors import LaunchError, OutputError
from groma.launch.command import Setup
from groma.launch.copying import PLUGINS, needed_files

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_SITE = f"lib/{PYTHON}/site-packages"
_ELF = b"\x7fELF"
# What belongs to the C library, and so to the machine on which the file is unpacked.
_OF_SYSTEM = re.compile(
    r"(?:ld-linux[\w-]*|ld64|linux-vdso|lib(?:c|m|dl|rt|pthread|util|resolv|anl|mvec|nsl|nss_\w+|thread_db|BrokenLocale))"
    r"\.so(?:\.\d+)*"
)
_LOADED = re.compile(r"^\s*(\S+) => (/\S+) \(0x", re.MULTILINE)
_LOADER = re.compile(r"^\s*(/\S*ld\S*) \(0x", re.MULTILINE)
_NEEDS = re.compile(rb"GLIBC_(\d+)\.(\d+)\b")
# Parts of Python that Groma never imports, or that build other software.
_UNUSED = {"__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "pydoc_data"}
_UNUSED |= {"site-packages", "dist-packages"}
_UNUSED_FILE = re.compile(
    r"\.a$|\.pyc$|^(?:_tkinter|_test\w*|_ctypes_test|_xxtest\w*|_curses\w*|_?g?dbm|readline|nis|_ssl)\.cpython"
)
_NAME = re.compile(r"^[A-Za-z0-9][\w.-]*")
_TIMEOUT_S = 30.0

Files = dict[str, Path]


def packed_files(setup: Setup) -> Files:
    """Return the files of the pack by their names in it; raises LaunchError if the loader cannot be asked."""
    files = {name: path for name, path in _programs(setup) if path.is_file()}
    files |= dict(_standard_library()) | dict(_packages("groma"))
    files.pop("bin/groma", None)
    # Plugins are for network cards, whose libraries have to be the machine's own.
    plugins = tuple(f"/{name}/" for name in PLUGINS)
    for name, path in _loaded([path for name, path in files.items() if _is_elf(path) and not _any_in(plugins, name)]):
        files.setdefault(name, path)
    return dict(sorted(files.items()))


def has_library(files: Mapping[str, Path], setup: Setup) -> bool:
    """Return whether the pack holds the MPI library and the launcher; else the other machine has to have them."""
    held = set(files.values())
    return setup.launcher.path in held and setup.engine.library is not None and setup.engine.library.resolve() in held


def needed_glibc(files: Iterable[Path]) -> str:
    """Return the oldest C library on which these files run, such as 2.34."""
    found = {
        (int(one), int(other)) for path in files if _is_elf(path) for one, other in _NEEDS.findall(path.read_bytes())
    }
    major, minor = max(found, default=(2, 0))
    return f"{major}.{minor}"


def write_pack(output: Path, files: Files, version: str) -> None:
    """Write the file; the same bytes for the same installation. Raises OutputError."""
    start = _script("pack.sh").format(
        version=version,
        machine=platform.machine(),
        glibc=needed_glibc(files.values()),
        lines=_script("pack.sh").count("\n") + 1,
    )
    try:
        with output.open("wb") as file:
            file.write(start.encode())
            with (
                gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=6) as packed,
                tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, dereference=True) as archive,
            ):
                for name, path in files.items():
                    _add(archive, name, path.read_bytes(), path.stat().st_mode & 0o111, int(path.stat().st_mtime))
                program = _script("groma.sh").format(python=PYTHON).encode()
                _add(archive, "bin/groma", program, 0o111, 0)
        output.chmod(0o755)
    except OSError as error:
        raise OutputError(f"{output} could not be written ({error.strerror}); choose another file with -o") from None


def _script(name: str) -> str:
    return (resources("groma.launch") / "scripts" / name).read_text(encoding="utf-8")


def _add(archive: tarfile.TarFile, name: str, contents: bytes, executable: int, changed: int) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(contents), 0o644 | executable, changed
    archive.addfile(member, io.BytesIO(contents))


def _programs(setup: Setup) -> Iterator[tuple[str, Path]]:
    """Yield Python, the engine, and launcher and library as far as they were installed with Groma."""
    yield f"bin/{PYTHON}", Path(os.path.realpath(sys.executable))
    yield "bin/groma-engine", setup.engine.path
    prefix = Path(sys.prefix)
    for path in (setup.launcher.path, *needed_files(setup)):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_relative_to(prefix):
                yield str(file.relative_to(prefix)), file.resolve()


def _standard_library() -> Iterator[tuple[str, Path]]:
    root = Path(sysconfig.get_path("stdlib"))
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _UNUSED and not name.startswith("config-"))
        for name in sorted(names):
            if not _UNUSED_FILE.search(name):
                path = Path(folder, name)
                yield f"lib/{PYTHON}/{path.relative_to(root)}", path.resolve()


def _packages(first: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a distribution, and of all that it needs without extras."""
    waiting, known = [first], set[str]()
    while waiting:
        name = waiting.pop()
        if name.lower().replace("_", "-") in known:
            continue
        known.add(name.lower().replace("_", "-"))
        distribution = metadata.distribution(name)
        yield from _files_of(distribution)
        for requirement in distribution.requires or []:
            named = _NAME.match(requirement)
            if named and "extra ==" not in requirement and _is_installed(named[0]):
                waiting.append(named[0])


def _any_in(parts: Iterable[str], text: str) -> bool:
    return any(part in text for part in parts)


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False  # for other systems or older Pythons
    return True


def _files_of(distribution: metadata.Distribution) -> Iterator[tuple[str, Path]]:
    site, prefix = Path(str(distribution.locate_file(""))).resolve(), Path(sys.prefix).resolve()
    for file in distribution.files or []:
        path = Path(os.path.normpath(str(file.locate())))
        if _UNUSED.isdisjoint(file.parts) and path.is_file() and not _UNUSED_FILE.search(path.name):
            resolved = path.resolve()
            if resolved.is_relative_to(site):
                yield f"{_SITE}/{resolved.relative_to(site)}", resolved
            elif _is_elf(path) and path.is_relative_to(prefix):
                yield str(path.relative_to(prefix)), path  # the programs of the older suites


def _loaded(programs: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Yield what the loader gives these files beyond the C library and the files beside them."""
    loader = _loader()
    known = set[Path]()
    for program in programs:
        for name, text in _LOADED.findall(_listed(loader, program)):
            path = Path(os.path.normpath(text))
            if path not in known and not _OF_SYSTEM.fullmatch(name) and not path.is_relative_to(sys.prefix):
                known.add(path)
                yield f"lib/{name}", path.resolve()


def _loader() -> str:
    environment = os.environ | {"LD_TRACE_LOADED_OBJECTS": "1"}
    found = _LOADER.search(_answer([os.path.realpath(sys.executable)], environment))
    if found is None:
        raise LaunchError(f"{sys.executable} has no dynamic loader of a C library; a pack needs one")
    return found[1]


def _listed(loader: str, program: Path) -> str:
    return _answer([loader, "--list", str(program)], dict(os.environ))


def _answer(words: list[str], environment: Mapping[str, str]) -> str:
    try:
        return subprocess.run(
            words, env=environment, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{words[0]} does not say what it loads ({error}); check it by hand") from None


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_ELF)) == _ELF
    except OSError:
        return False
