"""Installed MPI libraries: every usual place is searched, each library listed once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import platformdirs

from groma.launch.asking import is_program
from groma.launch.launcher import launchers_of_package, programs
from groma.libraries.library import Library, at_compiler, at_launcher, at_prefix
from groma.libraries.names import NamedPaths, named_libraries

# Variables with an installation's folder, which environment modules of sites, vendors, EasyBuild and Spack set.
VARIABLES = (
    *("MPI_HOME", "MPI_ROOT", "MPI_DIR", "MPIHOME", "I_MPI_ROOT", "MPICH_DIR", "MPICH_HOME", "MPICH_ROOT"),
    *("CRAY_MPICH_DIR", "MVAPICH_ROOT", "OMPI_DIR", "OPENMPI_DIR", "OPENMPI_HOME", "OPENMPI_ROOT", "OPAL_PREFIX"),
    *("EBROOTOPENMPI", "EBROOTMPICH", "EBROOTIMPI", "EBROOTMVAPICH2", "EBROOTPSMPI"),
)
_NAMED = "groma mpi add"  # the origin of a library that a person has named
_PACKAGES = ("mpich", "impi-rt", "openmpi")
_DEBIAN = ("openmpi", "mpich", "mpich.hydra")
# The scripts that install libraries into the cache folder, by the beginnings of the folders' names.
_SCRIPTS = {"impi-rt": "tools/install-intel-mpi", "openmpi": "tools/install-open-mpi-5"}


def installed(prefixes: Iterable[Path] = (), root: Path = Path("/")) -> list[Library]:
    """Return the libraries of this machine, each once and with a name of its own; those with given names come first.

    `prefixes` are further folders to look in.
    """
    libraries: list[Library] = []
    for library in filter(None, _everywhere(prefixes, root)):
        if not any(_same(library, other) for other in libraries):
            libraries.append(replace(library, name=_free(library, [other.name for other in libraries])))
    return libraries


def of_named(name: str, paths: NamedPaths) -> Library:
    """Return the library that a person has named; without a launcher if that is gone."""
    launcher, compiler = Path(paths.launcher), Path(paths.compiler)
    of_launcher = at_launcher(launcher, _NAMED, name) if paths.launcher and is_program(launcher) else None
    of_compiler = at_compiler(compiler, _NAMED, name) if paths.compiler and is_program(compiler) else None
    library = of_launcher or of_compiler or Library(name, _NAMED, None)
    if paths.compiler and is_program(compiler):
        library = replace(library, compiler=compiler, file=of_compiler.file if of_compiler else library.file)
    return replace(library, engine=Path(paths.engine) if paths.engine else None)


def modules() -> list[str]:
    """Return the loaded environment modules whose names say that they are an MPI library."""
    loaded = os.environ.get("LOADEDMODULES", "").split(":")
    return [name for name in loaded if any(word in name.lower() for word in ("mpi", "mvapich", "mpt"))]


def _everywhere(prefixes: Iterable[Path], root: Path) -> Iterator[Library | None]:
    """Yield the library of every place, None if there is none."""
    yield from (of_named(name, paths) for name, paths in named_libraries().items())
    yield from (at_prefix(prefix.absolute(), "given") for prefix in prefixes)
    for package in _PACKAGES:
        programs_there = filter(is_program, launchers_of_package(package))
        yield from (at_launcher(path, f"PyPI's {package}") for path in programs_there)
    yield from (at_prefix(Path(folder), name) for name in VARIABLES if (folder := os.environ.get(name)))
    yield from _of_debian(root)
    yield from _on_path()
    for name, script in _SCRIPTS.items():
        cached = sorted(platformdirs.user_cache_path("groma").glob(f"{name}-*"))
        yield from (at_prefix(prefix, script) for prefix in cached)


def _of_debian(root: Path) -> Iterator[Library]:
    """Yield libraries that lie side by side in /usr/bin; the alternatives choose the one that is called mpiexec."""
    folder = root / "usr" / "bin"
    chosen = (root / "etc" / "alternatives" / "mpiexec").resolve()
    for name in _DEBIAN:
        path = folder / f"mpiexec.{name}"
        library = at_launcher(path, "Debian") if is_program(path) else None
        if library is not None:
            yield replace(library, origin="Debian's alternative" if path.resolve() == chosen else "Debian")


def _on_path() -> Iterator[Library | None]:
    for name in (*programs(), "mpicxx"):
        program = shutil.which(name)
        if program is not None:
            library_at = at_compiler if name == "mpicxx" else at_launcher
            yield library_at(Path(program), "PATH")


def _same(library: Library, other: Library) -> bool:
    """Return whether two are one library: the same program, or programs of one folder that do not say otherwise.

    The wrapper of a wheel names folders of the machine that built it, and so finds any library of the system.
    """
    if library.place is None or other.place is None:
        return library.name == other.name
    if library.place.resolve() == other.place.resolve():
        return True
    if library.place.parent != other.place.parent:
        return False
    return library.launcher is None or library.words == other.words


def _free(library: Library, taken: list[str]) -> str:
    """Return the library's name, with its version, and a number if others have it too."""
    short = library.name
    names = [short, f"{short}-{library.version}" if library.version else short]
    names += [f"{names[-1]}-{number}" for number in range(2, len(taken) + 3)]
    return next(name for name in names if name not in taken)
