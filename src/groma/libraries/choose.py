"""Engine and launcher of a variant's library: by name, prefix, launcher, compiler wrapper or engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from groma.catalog import Catalog, packaged, suggestion
from groma.errors import CatalogError, InputError, LaunchError
from groma.launch.asking import is_program
from groma.launch.checking import refusals
from groma.launch.command import Setup, find_setup
from groma.launch.engine import describe, engine_at
from groma.libraries.engines import PROGRAM, state_of
from groma.libraries.find import installed, of_named
from groma.libraries.library import Library, at_compiler, at_launcher, at_prefix, is_wrapper
from groma.libraries.names import named_libraries
from groma.plan import Plan, Variant


def choose(variants: Sequence[Variant], look: Callable[[], list[Library]] = installed) -> dict[str, Setup]:
    """Return engine and launcher of each variant that names a library, by the variant's name.

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
    return setups


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


def refused(setup: Setup, plan: Plan) -> dict[int, str]:
    """Return by the place of a point in the plan why this engine does not measure it; empty if it measures all.

    A point that it refuses for one of the plan's numbers of ranks counts as refused. Raises CatalogError if the
    engine cannot be asked, LaunchError if it does not start.
    """
    catalog = describe(setup.engine, setup.engine_variables())
    unknown: dict[int, str] = {}
    if catalog != packaged():
        unknown = {at: reason for at, point in enumerate(plan.points) if (reason := _unknown(catalog, point))}
    accepted = [at for at in range(len(plan.points)) if at not in unknown]
    points = [plan.points[at] for at in accepted]
    answers = refusals(setup, points, plan.rank_counts, plan.scheduling) if points else []
    return unknown | {accepted[refusal.index]: refusal.message for refusal in answers}


def check_version(name: str, setup: Setup) -> None:
    """Raise CatalogError for an engine that writes records of another version than this Groma reads."""
    catalog, ours = describe(setup.engine, setup.engine_variables()), packaged()
    if catalog.engine != ours.engine:
        raise CatalogError(
            f"the engine of {name} ({setup.engine.path}) is version {catalog.engine}, and this Groma is {ours.engine}; "
            "build it again with groma mpi add"
        )


def _unknown(catalog: Catalog, point: Mapping[str, object]) -> str:
    """Return the operation and fields of a point that an engine's catalogue lacks."""
    operation = str(point["operation"])
    if operation not in {known.name for known in catalog.operations}:
        return f"its engine has no operation {operation}"
    fields = set(catalog.names("point"))
    return next((f"its engine has no field {name}" for name in point if name not in fields), "")
