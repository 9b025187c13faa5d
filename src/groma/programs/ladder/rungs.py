"""The steps of a ladder that a run measured, and whether its ranks were where each of them says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groma.analysis import PointSummary
from groma.programs.ladder.steps import TITLES, WITHIN, step_of, step_of_variant
from groma.results import Launch, Run
from groma.results.bounds import cpu_list
from groma.results.documents import Nodes

LATENCY, ONE_WAY, BOTH_WAYS = "pingpong", "stream", "bistream"


@dataclass(frozen=True, eq=False)
class Rung:
    """One variant of the run: its step, where its ranks were, and what was measured of it, by operation.

    `doubt` says in a sentence why it has no figures: a launch in which a rank was elsewhere. It is empty if every
    launch was verified.
    """

    step: str
    where: str
    points: Mapping[str, PointSummary]
    doubt: str = ""


def rungs_of(run: Run, summaries: list[PointSummary]) -> list[Rung]:
    """Return the steps of a run that were measured, the nearest first; of sampled hosts one for each."""
    rungs = []
    for variant in run.meta.variants:
        points = {point.operation: point for point in summaries if point.variant == variant.name}
        launches = [launch for launch in run.launches if launch.variant == variant.name and launch.points]
        step = step_of_variant(variant.name)
        if points and step in TITLES:
            doubts = (_doubt(launch, step) for launch in launches)
            where = next((_where(launch.nodes) for launch in launches if launch.nodes), "")
            rungs.append(Rung(step, where, points, next(filter(None, doubts), "")))
    return rungs


def _doubt(launch: Launch, step: str) -> str:
    """Say why the ranks of a launch do not stand for a step; empty if they do."""
    nodes = launch.nodes
    if nodes is None or len(nodes.ranks) != 2:
        return f"launch {launch.number} did not record where its two ranks were"
    if launch.meta is not None and launch.meta.misplaced:
        return f"in launch {launch.number} {launch.meta.misplaced}"
    one, other = nodes.ranks
    if (one.node == other.node) != (step in WITHIN):
        return f"in launch {launch.number} the ranks were on {'one host' if one.node == other.node else 'two hosts'}"
    return _doubt_within(launch, nodes, step) if step in WITHIN else ""


def _doubt_within(launch: Launch, nodes: Nodes, step: str) -> str:
    """Say why two ranks on one host do not stand for a step; empty if they do."""
    # A rank is bound if it was kept on one CPU, or on the threads of one core.
    free = (place for place in nodes.ranks if place.core is None and len(cpu_list(place.allowed_cpus)) != 1)
    moving = next(free, None)
    if moving is not None:
        return f"in launch {launch.number} rank {moving.rank} was free to move between the CPUs {moving.allowed_cpus}"
    was = step_of(*nodes.ranks)
    if was == step:
        return ""
    return f"in launch {launch.number} the ranks were on {_where(nodes)}, which is the step {TITLES[was]}"


def _where(nodes: Nodes) -> str:
    """Return the hosts of the ranks if there are two, else their CPUs."""
    names = [nodes.nodes[place.node].name for place in nodes.ranks]
    places = names if len(set(names)) > 1 else [place.allowed_cpus for place in nodes.ranks]
    listed = " and ".join(places)
    return listed if places is names else f"CPUs {listed}"
