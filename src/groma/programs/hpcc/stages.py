"""Stages after the profile's points: all pairs, one after another, and the rings in random orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groma.plan.stages import Stage
from groma.programs.hpcc.figures import LONG, NATURAL, PAIRS, PINGPONG, RINGS
from groma.results import Run


def next_stage(run: Run, done: Mapping[str, Run]) -> Stage | None:
    """Return the pairs, then the rings, as far as the run has their points; None once they are there."""
    stages = [stage for stage in (_pairs(run), _rings(run)) if stage.points]
    return next((stage for stage in stages if stage.name not in done), None)


def _pairs(run: Run) -> Stage:
    """Return the ping-pongs of the pairs, each in both orders of its ranks."""
    ranks = run.meta.rank_counts[0]
    chosen = range(0, ranks, stride(ranks, int(run.meta.program["pairs"])))
    pairs = [f"list={client},{server}" for client in chosen for server in chosen if client != server]
    every = ranks * (ranks - 1)
    share = f"all {every}" if len(pairs) == every else f"{len(pairs)} of {every}"
    reason = f"{share} ordered pairs of {ranks} ranks, one after another."
    points = [point for point in run.meta.plan.points if point["operation"] == PINGPONG]
    return Stage(PAIRS, [point | {"pattern": pair} for point in points for pair in pairs], reason)


def _rings(run: Run) -> Stage:
    """Return the rings, that in the order of the ranks first; seeds are 1, 2, ..."""
    settings = run.meta.program
    points: list[dict[str, Any]] = []
    for point in run.meta.plan.points:
        if point["operation"] != PINGPONG:
            count = int(settings["long_rings" if point["bytes"] == LONG else "rings"])
            orders = [NATURAL, *(f"random={seed}" for seed in range(1, count + 1))]
            points += [point | {"pattern": order} for order in orders]
    reason = "a ring in the order of the ranks, and rings in random orders."
    return Stage(RINGS, points, reason)


def stride(ranks: int, pairs: int) -> int:
    """Return how far apart the measured ranks are, so that they make at most `pairs` ordered pairs; two ranks are left.

    1, or a prime above 2: with other numbers all of them may have the same place on their nodes.
    """
    step = 1
    while (chosen := len(range(0, ranks, step))) * (chosen - 1) > pairs and (longer := _next_prime(step)) < ranks:
        step = longer
    return step


def _next_prime(step: int) -> int:
    """Return the next larger prime above 2."""
    number = max(step, 2) + 1
    while any(number % factor == 0 for factor in range(2, number)):
        number += 1
    return number
