"""One MPI library: its launcher, its compiler wrapper and its file, as they were found in one place."""

from __future__ import annotations

import functools
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from groma.errors import LaunchError
from groma.launch.asking import answer_of, is_program
from groma.launch.engine import family_of_library
from groma.launch.families import family_named
from groma.launch.launcher import Launcher, launcher_at, programs

_TIMEOUT_S = 20
_WRAPPERS = ("mpicxx", "mpic++", "mpiCC", "mpiicpx", "mpiicpc", "CC")
_SYSTEM = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib64")
_LIBRARIES = ("mpich", "mpi", "mpi_cray", "mpi_gnu", "mpi_intel")
# Launchers without a library of their own.
_OF_ANY = ("Slurm", "PRRTE", "ibrun")
SHORT = {"MPICH": "mpich", "Open MPI": "openmpi", "Intel MPI": "intel"}


@dataclass(frozen=True)
class Library:
    """An MPI library under a name.

    `origin` says where it was looked for. `launcher` and `compiler`, its C++ wrapper, are None if there is none, and
    `file`, the library itself, if it is not known. `engine` is one that a person chose for it.
    """

    name: str
    origin: str
    launcher: Launcher | None
    compiler: Path | None = None
    file: Path | None = None
    engine: Path | None = None

    @property
    def implementation(self) -> str:
        """MPICH, Open MPI, Intel MPI, or empty."""
        if self.launcher is not None:
            return self.launcher.family
        return family_of_library(self.file.resolve().name) if self.file else ""

    @property
    def version(self) -> str:
        """What its launcher states; empty without one."""
        return self.launcher.version if self.launcher else ""

    @property
    def abi(self) -> Path | None:
        """Its file with the standard ABI; None if it has none."""
        return self.launcher.abi_library if self.launcher else None

    @property
    def words(self) -> str:
        """Implementation and version, as one says them."""
        return " ".join(filter(None, (self.implementation or "MPI", self.version)))

    @property
    def place(self) -> Path | None:
        """The program that stands for it: its launcher, else its compiler wrapper."""
        return self.launcher.path if self.launcher else self.compiler


def at_launcher(path: Path, origin: str, name: str = "") -> Library | None:
    """Return the library of a launcher, None if the program is no launcher of a library."""
    launcher = launcher_at(path)
    if not launcher.family or launcher.family in _OF_ANY:
        return None
    compiler = next((wrapper for wrapper in _beside(path, _WRAPPERS) if _belongs(wrapper, launcher)), None)
    file = library_of(compiler) if compiler else launcher.abi_library or launcher.own_library
    return Library(name or SHORT.get(launcher.family, "mpi"), origin, launcher, compiler, file)


def at_compiler(path: Path, origin: str, name: str = "") -> Library | None:
    """Return the library of a compiler wrapper, with the launcher beside it; None if it links no MPI library."""
    file = library_of(path)
    if file is None:
        return None
    for launcher in map(launcher_at, _beside(path, programs())):
        if launcher.family and launcher.family not in _OF_ANY and _belongs(path, launcher):
            return Library(name or SHORT.get(launcher.family, "mpi"), origin, launcher, path, file)
    family = family_of_library(file.resolve().name)
    return Library(name or SHORT.get(family, "mpi"), origin, None, path, file)


def at_prefix(prefix: Path, origin: str, name: str = "") -> Library | None:
    """Return the library that is installed below a folder; None if there is none."""
    folders = [prefix / "bin", prefix / "latest" / "bin", prefix]
    for program in programs():
        for path in (folder / program for folder in folders):
            library = at_launcher(path, origin, name) if is_program(path) else None
            if library is not None:
                return library
    wrappers = [folder / wrapper for folder in folders for wrapper in _WRAPPERS]
    return next(filter(None, (at_compiler(path, origin, name) for path in wrappers if is_program(path))), None)


def is_wrapper(path: Path) -> bool:
    """Return whether a program is called as a compiler wrapper of MPI is."""
    return path.name.partition(".")[0] in _WRAPPERS


def output_of(program: Path, option: str) -> str:
    """Return a program's description of itself; empty if it prints nothing. Raises OSError if it does not start."""
    answer = answer_of([program, option], _TIMEOUT_S)
    return answer.stdout.strip() if answer.returncode == 0 else ""


@functools.lru_cache(maxsize=64)
def command_of(wrapper: Path) -> str:
    """Return the command that a compiler wrapper would start.

    Raises LaunchError if it does not say.
    """
    try:
        command = output_of(wrapper, "-show")
    except OSError as error:
        raise LaunchError(f"{wrapper} does not start ({error}); name the mpicxx of an MPI library") from None
    if not command:
        raise LaunchError(f"{wrapper} -show says nothing; name the mpicxx of an MPI library")
    return command


def library_of(wrapper: Path) -> Path | None:
    """Return the MPI library that programs of a compiler wrapper are linked with; None if it is not known."""
    try:
        options = shlex.split(command_of(wrapper))
    except (LaunchError, ValueError):
        return None
    text = " ".join(options)
    folders = [*re.findall(r"-L\s*(\S+)", text), *re.findall(r"-rpath[=,\s](?:-Wl,)?([^\s,]+)", text), *_SYSTEM]
    linked = [option.removeprefix("-l") for option in options if option.startswith("-l")]
    names = [name for name in _LIBRARIES if name in linked]
    paths = (Path(folder) / f"lib{name}.so" for name in names for folder in folders)
    named = (Path(option) for option in options if re.fullmatch(r"/\S*/libmpi\w*\.so[.\d]*", option))
    return next((path for path in (*paths, *named) if path.exists()), None)


def _beside(path: Path, names: tuple[str, ...]) -> list[Path]:
    """Return programs of these names beside another; those with its suffix (mpiexec.openmpi) first, if it has one."""
    suffix = path.name.partition(".")[2]
    own = [path.with_name(f"{name}.{suffix}") for name in names if suffix and "." not in name]
    plain = [path.with_name(name) for name in names]
    return [program for program in (*own, *plain) if is_program(program)]


def _belongs(wrapper: Path, launcher: Launcher) -> bool:
    """Return whether programs of a compiler wrapper are what a launcher starts."""
    file = library_of(wrapper)
    return file is not None and family_named(launcher.family).fits(family_of_library(file.resolve().name))
