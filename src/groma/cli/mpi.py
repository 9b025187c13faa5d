"""`groma mpi`: the MPI libraries of this machine, and engines for them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.errors import InputError
from groma.text.console import err, out, path_line
from groma.text.numbers import DASH
from groma.text.printing import print_table
from groma.text.tables import Table

if TYPE_CHECKING:
    from rich.console import Console

    from groma.catalog import Catalog
    from groma.launch.command import Setup
    from groma.libraries.engines import State
    from groma.libraries.library import Library
    from groma.libraries.names import NamedPaths
    from groma.machine.devices import Ability
    from groma.machine.matrix import Matrix

_HEADINGS = ("name", "library", "standard ABI", "engine", "launcher", "compiler", "found")
_STEP = 10  # percent between two lines of a build that is not shown on a terminal


@click.group()
def mpi() -> None:
    """List the MPI libraries of this machine, build an engine for one, try devices: list, add, devices."""


@mpi.command(name="list")
@click.argument("prefixes", metavar="[PREFIX...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format (default: text)."
)
def list_(prefixes: tuple[Path, ...], form: str) -> int:
    """List the MPI libraries of this machine, and those in PREFIX, with the engine of each or how to make it.

    The names are those that `groma run --mpi` takes. Where a driver of devices is installed, each library is tried on
    their memory in a short launch.
    """
    from groma.libraries.engines import state_of  # noqa: PLC0415 - what only measures does without
    from groma.libraries.find import installed, modules  # noqa: PLC0415

    for prefix in prefixes:
        if not prefix.is_dir():
            raise InputError(f"{prefix} is not a directory; name the prefix of an MPI library")
    libraries = [(library, state_of(library)) for library in installed(prefixes)]
    devices = [_devices(library) if state.ready else [] for library, state in libraries]
    if form == "json":
        documents = [_document(*one, found) for one, found in zip(libraries, devices, strict=True)]
        click.echo(json.dumps(documents, indent=1))
        return 0
    if not libraries:
        from groma.launch.installing import embedded_mpi  # noqa: PLC0415 - needed here alone

        err().print(f"There is no MPI library here; install one: {embedded_mpi()}", markup=False)
        return 0
    _print(out(), libraries, devices)
    if loaded := modules():
        err().print(f"Loaded modules: {', '.join(loaded)}", markup=False)
    return 0


@mpi.command()
@click.argument("what", metavar="PATH|mpicxx")
@click.option("--name", metavar="NAME", help="Its name (default: mpich, openmpi or intel).")
@click.option(
    "--engine",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Use this engine instead of building one.",
)
def add(what: str, name: str | None, engine: Path | None) -> int:
    """Build an engine for an MPI library without the standard ABI, and keep the library under a name.

    PATH is the library's prefix, launcher or compiler wrapper. The engine's sources are part of Groma; the build needs
    cmake, make or ninja, and a C++20 compiler. What was built is used again until library, compiler or Groma change.
    The engine's path is the last line.
    """
    from groma.libraries.choose import library_at, program_or_folder  # noqa: PLC0415 - as above
    from groma.libraries.find import installed  # noqa: PLC0415

    path = program_or_folder(what)
    library = library_at(path) if path else next((library for library in installed() if library.name == what), None)
    if library is None:
        raise InputError(f"{what} is no MPI library; name its prefix, its mpicxx or its mpiexec (groma mpi list)")
    chosen = _checked(name or library.name)
    built = _given(engine) if engine else _engine_of(library)
    _keep(chosen, library, built if engine else None)
    if library.launcher is None:
        err().print(f"{library.words} has no launcher; a run needs its mpiexec.", soft_wrap=True)
    err().print(f"{library.words} can be measured: groma run --mpi {chosen} ...", markup=False, soft_wrap=True)
    path_line(out(), built)
    return 0


@mpi.command()
@click.argument("names", metavar="[NAME...]", nargs=-1)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format (default: text)."
)
def devices(names: tuple[str, ...], form: str) -> int:
    """Try which operations and layouts work in which memory of devices, with each library or those named.

    Two ranks send 8 B and 256 KiB; a launch may die, and the next goes on. A cell says: works, wrong data, refused,
    dies, hangs; or nothing, if the operation has one array for both sides. Exit code 1 if some cell does not work.
    """
    from groma.catalog import packaged  # noqa: PLC0415 - as above
    from groma.libraries.engines import state_of  # noqa: PLC0415
    from groma.libraries.find import installed  # noqa: PLC0415

    here = {library.name: library for library in installed() if state_of(library).ready}
    if unknown := [name for name in names if name not in here]:
        raise InputError(f"{unknown[0]} is no library with an engine; there are {', '.join(here)} (groma mpi list)")
    tried = {name: _matrices(here[name], packaged(), form) for name in names or here}
    if not any(tried.values()):
        raise InputError(
            "no driver of devices is installed here (libcuda.so.1, libamdhip64.so); run where there is one"
        )
    if form == "json":
        click.echo(json.dumps({name: [asdict(one) for one in found] for name, found in tried.items()}, indent=1))
    return int(any(one.fails for found in tried.values() for one in found))


def _matrices(library: Library, catalog: Catalog, form: str) -> list[Matrix]:
    """Try a library with each driver here, and print what came of it; a library that takes nothing has no rows."""
    from groma.machine.matrix import Matrix, matrix  # noqa: PLC0415 - as above

    found: list[Matrix] = []
    for able in _devices(library):
        works = able.outcome == "works"
        found.append(matrix(_setup(library), able.kind, catalog) if works else Matrix([able.kind], {}, able.text))
        if form == "text":
            _print_matrix(library, found[-1])
    return found


def _print_matrix(library: Library, tried: Matrix) -> None:
    """Print the rows in which something does not work, and how many there are besides."""
    out().print(f"{library.name}, {library.words}: {tried.summary}", markup=False, soft_wrap=True)
    rows = [[name, *(cell or DASH for cell in cells)] for name, cells in tried.failing.items()]
    if rows:
        print_table(out(), Table("Devices", ["", *tried.columns], rows))


def _setup(library: Library) -> Setup:
    from groma.libraries.choose import setup_of  # noqa: PLC0415 - as above

    return setup_of(library)


def _engine_of(library: Library) -> Path:
    """Return the engine of a library; one that has to be built is built, with its progress."""
    from groma.libraries.build import build  # noqa: PLC0415
    from groma.libraries.engines import folder_of, state_of  # noqa: PLC0415

    state = state_of(library)
    if state.engine is not None:
        return state.engine
    if state.kind == "impossible":
        raise InputError(f"{library.words} ({library.place}): {state.text}")
    console = err()
    folder = folder_of(library)
    sentence = f"Building an engine for {library.words}, which takes minutes; log: {folder}/build.log"
    console.print(sentence, markup=False, soft_wrap=True)
    if not console.is_terminal:
        return build(library, _Lines(console).say)
    with console.status("configuring") as status:
        return build(library, lambda share: status.update(f"built {share} %"))


class _Lines:
    """Prints the progress of a build, one line for every ten percent."""

    def __init__(self, console: Console) -> None:
        self._console, self._said = console, 0

    def say(self, share: int) -> None:
        """Print the share if it grew enough."""
        if share >= self._said + _STEP:
            self._said = share
            self._console.print(f"built {share} %")


def _given(engine: Path) -> Path:
    if not engine.is_file():
        raise InputError(f"there is no engine {engine}; leave out --engine to build one")
    return engine.absolute()


def _checked(name: str) -> str:
    """Return the name if a variant can have it; raises InputError."""
    from groma.plan.variants import read_variant  # noqa: PLC0415

    return read_variant(name, {}).name


def _keep(name: str, library: Library, engine: Path | None) -> None:
    """Keep a library under a name; raises InputError if another library has it."""
    from groma.libraries.names import NamedPaths, name_library, named_libraries  # noqa: PLC0415

    launcher = str(library.launcher.path) if library.launcher else ""
    paths = NamedPaths(launcher, str(library.compiler or ""), str(engine or ""))
    earlier = named_libraries().get(name)
    if earlier is not None and _place(earlier) != _place(paths):
        raise InputError(f"the name {name} is taken by {_place(earlier)}; choose another with --name")
    name_library(name, paths)


def _place(paths: NamedPaths) -> str:
    return paths.launcher or paths.compiler


def _devices(library: Library) -> list[Ability]:
    """Try, for each driver of devices on this machine, whether a library takes their memory: a short launch each."""
    from groma.machine.devices import abilities  # noqa: PLC0415 - as above

    return abilities(lambda: _setup(library))


def _print(console: Console, libraries: list[tuple[Library, State]], devices: list[list[Ability]]) -> None:
    rows = [
        [
            library.name,
            library.words,
            "yes" if library.abi else "no",
            "ready" if state.ready else state.kind,
            str(library.launcher.path) if library.launcher else "none",
            str(library.compiler or DASH),
            library.origin,
            *([", ".join(f"{one.kind} {one.outcome}" for one in found) or DASH] if any(devices) else []),
        ]
        for (library, state), found in zip(libraries, devices, strict=True)
    ]
    headings = (*_HEADINGS, "devices") if any(devices) else _HEADINGS
    print_table(console, Table("MPI libraries", headings, rows))
    for (library, state), found in zip(libraries, devices, strict=True):
        sentences = [] if state.ready else [state.text]
        for sentence in sentences + [one.text for one in found if one.outcome != "works"]:
            console.print(f"{library.name}: {sentence}", markup=False, soft_wrap=True)


def _document(library: Library, state: State, devices: list[Ability]) -> dict[str, object]:
    return {
        "name": library.name,
        "implementation": library.implementation,
        "version": library.version,
        "abi": library.abi is not None,
        "launcher": str(library.launcher.path) if library.launcher else None,
        "compiler": str(library.compiler) if library.compiler else None,
        "library": str(library.file) if library.file else None,
        "found": library.origin,
        "engine": str(state.engine) if state.engine else None,
        "state": state.kind,
        "text": state.text,
        "devices": {one.kind: {"outcome": one.outcome, "text": one.text} for one in devices},
    }
