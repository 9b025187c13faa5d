"""Conditions of a run: its plan and machine, the files that measured it, and the settings of MPI."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groma.results import Run
from groma.results.documents import LaunchDocument, RunDocument

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
