"""Engine and launcher of a variant's library: by name, prefix, launcher, compiler wrapper or engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from groma.catalog import suggestion
from groma.errors import InputError, LaunchError
from groma.launch.asking import is_program
from groma.launch.command import Setup, find_setup
from groma.launch.engine import engine_at
from groma.libraries.engines import PROGRAM, state_of
from groma.libraries.find import installed, of_named
from groma.libraries.library import Library, at_compiler, at_launcher, at_prefix, is_wrapper
from groma.libraries.names import named_libraries
from groma.plan import Variant


@dataclass(frozen=True)
class Choice:
    """The engine and launcher of each variant that names a library, by the variant's name."""

    setups: dict[str, Setup]

    @property
    def first(self) -> Setup | None:
        """The first library's; None if no variant names one."""
        return next(iter(self.setups.values()), None)


def choose(variants: Sequence[Variant], look: Callable[[], list[Library]] = installed) -> Choice:
    """Return what measures each variant that names a library.

    Raises LaunchError if a name is not known, or a library has no launcher or no engine, and InputError if two
    variants are the same library under the same conditions.
    """
    setups: dict[str, Setup] = {}
    libraries: list[Library] | None = None
    for variant in (variant for variant in variants if variant.mpi):
        setup = _by_kept_name(variant.mpi) or _by_path(variant.mpi)
        if setup is None:
            libraries = look() if libraries is None else libraries
            setup = setup_of(_named(variant.mpi, libraries))
        setups[variant.name] = setup
    _refuse_twins(variants, setups)
    return Choice(setups)


def setup_of(library: Library) -> Setup:
    """Return engine and launcher of a library; raises LaunchError if it lacks one."""
    if library.launcher is None:
        place = library.compiler or library.engine or library.name
        raise LaunchError(f"{library.name} ({place}) has no launcher; name its mpiexec (--mpi NAME=/path/to/mpiexec)")
    state = state_of(library)
    if state.engine is None:
        reasons = {"to build": "there is no engine for it yet; build one", "changed": "its engine is out of date"}
        reason = f"{reasons[state.kind]}: {state.text}" if state.kind in reasons else state.text
        raise LaunchError(f"{library.name} ({library.words}, {library.launcher.path}) cannot be measured: {reason}")
    return find_setup(engine_at(state.engine), str(library.launcher))


def library_at(path: Path, origin: str = "given") -> Library | None:
    """Return the library of a prefix, a launcher or a compiler wrapper; None if the path is none of these."""
    if path.is_dir():
        return at_prefix(path, origin)
    if is_wrapper(path):
        return at_compiler(path, origin)
    return at_launcher(path, origin)


def program_or_folder(text: str) -> Path | None:
    """Return the path that a person means: as it stands, or a program on PATH; None if there is neither."""
    if "/" in text:
        path = Path(text).expanduser().absolute()
        return path if path.exists() else None
    program = shutil.which(text)
    return Path(program) if program else None


def _by_path(text: str) -> Setup | None:
    """Return the setup of a path or a program on PATH; None if the text is neither, and so has to be a name."""
    path = program_or_folder(text)
    if path is None:
        if "/" in text:
            raise LaunchError(f"there is no {text}; name a library's prefix, launcher or engine (groma mpi list)")
        return None
    engine = next(
        (candidate for candidate in (path, path / "engine" / PROGRAM, path / "bin" / PROGRAM) if _is_engine(candidate)),
        None,
    )
    if engine is not None and _stands_for_engine(path, engine):
        return find_setup(engine_at(engine), alone=True)
    library = library_at(path)
    if library is None:
        raise LaunchError(f"{path} is no MPI library: there is no mpiexec or mpicxx in it; see groma mpi list")
    return setup_of(replace(library, name=text))


def _stands_for_engine(path: Path, engine: Path) -> bool:
    """Return whether a path stands for an engine: the engine itself, or a folder without a launcher of its own."""
    return path == engine or not any(is_program(path / "bin" / name) for name in ("mpiexec", "mpirun"))


def _is_engine(path: Path) -> bool:
    return path.name == PROGRAM and is_program(path)


def _by_kept_name(name: str) -> Setup | None:
    library = named_libraries().get(name)
    return setup_of(of_named(name, library)) if library else None


def _named(name: str, libraries: Sequence[Library]) -> Library:
    names = [library.name for library in libraries]
    for library in libraries:
        if library.name == name:
            return library
    hint = suggestion(name, names) or (f"; there are {', '.join(names)}" if names else "")
    raise LaunchError(f"there is no MPI library '{name}'{hint} (groma mpi list)")


def _refuse_twins(variants: Sequence[Variant], setups: dict[str, Setup]) -> None:
    """Refuse variants that differ in nothing but the name of their library."""
    names: dict[tuple[object, ...], str] = {}
    for variant in (variant for variant in variants if variant.name in setups):
        setup = setups[variant.name]
        conditions = (setup.engine.path, str(setup.launcher), tuple(sorted(variant.env.items())), variant.placement)
        earlier = names.setdefault(conditions, variant.name)
        if earlier != variant.name:
            raise InputError(
                f"{earlier} and {variant.name} are two names for one library ({setup.launcher.path}); leave one out"
            )
