"""Asks the engine, before the first launch, which points of a plan it would refuse."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from groma.errors import InputError
from groma.launch.asking import answer_of
from groma.launch.command import Setup
from groma.launch.engine import does_not_start

_TIMEOUT_S = 60
_REFUSED = 2


class Refusal(msgspec.Struct, frozen=True):
    """A point that cannot be measured by a launch of `ranks` ranks; `index` is its place among those asked about."""

    index: int
    ranks: int
    message: str


def refusals(
    setup: Setup,
    points: Sequence[Mapping[str, Any]],
    rank_counts: Iterable[int],
    scheduling: Mapping[str, Any] | None = None,
) -> list[Refusal]:
    """Return the points that the engine refuses for each number of ranks, in one start of it and without MPI.

    What only a launch can know, such as its nodes, is left to the launch. Raises InputError if the plan as a whole
    is none, and LaunchError if the engine does not start.
    """
    plan = {"schema": 1, **(scheduling or {}), "points": list(points)}
    arguments = ["--check", "--all", "--ranks", ",".join(map(str, rank_counts)), "--plan", "-"]
    path = setup.engine.path
    try:
        environment = os.environ | setup.engine_variables()
        completed = answer_of([path, *arguments], _TIMEOUT_S, environment, msgspec.json.encode(plan).decode())
    except OSError as error:
        raise does_not_start(path, str(error)) from None
    if completed.returncode == 0:
        return []
    lines = completed.stdout.splitlines()
    if completed.returncode == _REFUSED and lines:
        return [msgspec.json.decode(line, type=Refusal) for line in lines]
    printed = completed.stderr.strip()
    if completed.returncode == _REFUSED and printed:
        raise InputError(printed.splitlines()[-1].removeprefix(f"{path.name}: "))
    raise does_not_start(path, printed, completed.returncode)


def check_points(
    setup: Setup,
    points: Sequence[Mapping[str, Any]],
    rank_counts: Iterable[int],
    scheduling: Mapping[str, Any] | None = None,
) -> None:
    """Raise InputError for the first point that the engine refuses, with what it says."""
    for refusal in refusals(setup, points, rank_counts, scheduling):
        raise InputError(refusal.message)
