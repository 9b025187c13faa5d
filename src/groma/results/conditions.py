"""Conditions of a run: plan, machine, files, settings of MPI; and other runs of its folder with the same ones."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from groma.results.documents import LaunchDocument, RunDocument, readable
from groma.results.run import Run

# Variables that are recorded, and differ between jobs or installations without a setting of MPI being another one.
_NO_SETTINGS = ("GROMA_", "SLURM_", "LD_LIBRARY_PATH")

Settings = frozenset[tuple[str, str, str]]  # variant, name and value of a variable or of the launcher's arguments
Software = frozenset[tuple[str, tuple[str, ...]]]  # variant, and what distinguishes the files that measured it
_ARGUMENTS = "the launcher's arguments"


@dataclass(frozen=True)
class Conditions:
    """Conditions of a run: settings of MPI, and the files that measured; None if one is not known."""

    settings: Settings
    software: Software | None


def conditions(run: Run) -> Conditions:
    """Return the conditions of a run."""
    return conditions_of(run.meta, [launch.meta for launch in run.launches if launch.meta is not None])


def conditions_of(meta: RunDocument, launches: Sequence[LaunchDocument]) -> Conditions:
    """Return the conditions by a run's documents."""
    files = {(one.variant or "", one.build.contents if one.build else None) for one in launches}
    known = frozenset((variant, contents) for variant, contents in files if contents is not None)
    return Conditions(_settings(meta, launches), known if known and len(known) == len(files) else None)


def same_software(run: Run, other: Run) -> bool | None:
    """Return whether the same files measured two runs; None if that is not known, which is not the same."""
    one, two = conditions(run).software, conditions(other).software
    return None if one is None or two is None else one == two


def settings(run: Run) -> Settings:
    """Return the settings of MPI in the launches of a run: variables, and the launcher's own arguments.

    Each has the variant that it was set for, which is empty for all launches.
    """
    return conditions(run).settings


def _settings(meta: RunDocument, launches: Iterable[LaunchDocument]) -> Settings:
    variables = {
        (launch.variant or "", name, value)
        for launch in launches
        for name, value in launch.environment.items()
        if not name.startswith(_NO_SETTINGS)
    }
    launchers = {"": meta.library, **meta.libraries}
    arguments = {(name, _ARGUMENTS, _arguments(one.launcher)) for name, one in launchers.items()}
    return frozenset(variables | {one for one in arguments if one[2]})


def _arguments(launcher: str) -> str:
    """Return the arguments of a recorded launcher, without its path."""
    try:
        return shlex.join(shlex.split(launcher)[1:])
    except ValueError:  # a damaged document
        return launcher


def alike(meta: RunDocument, other: RunDocument) -> bool:
    """Return whether two runs asked for the same points of the same library on the same machine, and both are over."""
    return (
        other.state != "running"
        and all(getattr(meta, name) == getattr(other, name) for name in ("host", "rank_counts", "variants", "report"))
        and meta.plan.points == other.plan.points
        and _libraries(meta) == _libraries(other)
    )


def _libraries(meta: RunDocument) -> dict[str, tuple[str, str]]:
    """Return name and version of the libraries of a run, by variant; the run's own, by an empty name."""
    return {name: (one.name, one.version) for name, one in {"": meta.library, **meta.libraries}.items()}


def siblings(run: Run) -> Iterator[tuple[str, str, Path]]:
    """Yield date, identity and folder of the other runs beside a run that were measured as it was, the newest first.

    Runs that cannot be read, are being measured, or had other settings of MPI are left out. Without knowing what files
    measured it, a run has none.
    """
    own = conditions(run)
    for created, folder, identity in sorted(_asked_alike(run), reverse=True) if own.software else ():
        if _conditions_at(folder) == own:
            yield created, identity, folder


def _asked_alike(run: Run) -> Iterator[tuple[str, Path, str]]:
    """Yield date, folder and identity of every other run beside a run that asked for the same."""
    for document in run.path.resolve().parent.glob("*/run.json"):
        meta = readable(document, RunDocument)
        if meta is not None and document.parent != run.path.resolve() and alike(run.meta, meta):
            yield meta.created, document.parent, meta.identity


def _conditions_at(folder: Path) -> Conditions | None:
    """Return the conditions of the run in a folder; None if they cannot be read."""
    meta = readable(folder / "run.json", RunDocument)
    read = (readable(path, LaunchDocument) for path in sorted(folder.glob("launches/*/launch.json")))
    return None if meta is None else conditions_of(meta, [launch for launch in read if launch is not None])
