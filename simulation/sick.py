"""Slow nodes and links planted into networks, and what the program pairs says of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from groma.catalog import packaged
from groma.plan import expand, read_profile
from groma.programs.pairs.observe import SYMMETRIC
from groma.programs.pairs.slow import BOTH, PAIR, RECEIVES, SENDS, Slow
from groma.programs.pairs.stages import next_stage
from groma.programs.pairs.verdict import verdict
from groma.results.bounds import Settings
from groma.results.documents import PlanDocument, RunDocument
from groma.results.run import Run
from simulation.networks import Network, Planted, dragonfly, fat_tree, planted, torus
from simulation.platforms import Platform
from simulation.simulator import simulate

PLATFORMS = 30
_LAUNCHES = 2
_EFFORT = {"repetitions": 1, "warmups": 0, "block": 1}


@dataclass(frozen=True)
class Diagnosis:
    """What is slow in a network, and what was named: directions of nodes and of links."""

    subject: str
    nodes: int
    true: frozenset[Planted]
    named: frozenset[Planted]
    stages: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """True if all was found and nothing invented."""
        return self.true == self.named


def diagnosed(network: Network, seed: int) -> Diagnosis:
    """Measure a network with what the seed plants into it, stage by stage as `groma run` does."""
    platform, true = planted(network, seed)
    plan = expand(read_profile("pairs", packaged()), packaged())
    points: list[Settings] = [dict(point) | _EFFORT for point in plan.points]
    run = _measured("pairs", platform, points, seed, plan.program)
    stages: dict[str, Run] = {}
    while stage := next_stage(run, stages):
        stages[stage.name] = _measured(stage.name, platform, stage.points, seed, {})
    found = verdict(run, stages)
    named = {planted for one in found.lasting for planted in _directions(one)}
    return Diagnosis(f"{network.name}, seed {seed}", network.nodes, true, frozenset(named), tuple(stages))


def _directions(one: Slow) -> list[Planted]:
    """Return the directions that a name means: a ping-pong's has both."""
    if len(one.who) == 1:
        return [Planted(one.who, part) for part in ((SENDS, RECEIVES) if one.part == BOTH else (one.part,))]
    back = [Planted(one.who[::-1], PAIR)] if one.quantity.startswith(SYMMETRIC) else []
    return [Planted(one.who, PAIR), *back]


def _measured(name: str, platform: Platform, points: list[Settings], seed: int, program: dict[str, float]) -> Run:
    """Return one stage as a run, or the run itself, which has the program's settings."""
    launches = [simulate(platform, points).launch] * _LAUNCHES  # a second simulation would say the same
    meta = RunDocument(
        name=name, created="", state="complete", command=[], launches=_LAUNCHES, rank_counts=[len(platform.hosts)],
        seed=seed, plan=PlanDocument("sequential", points), program=program,
    )  # fmt: skip
    return Run(Path(name), meta, launches)


def network(seed: int) -> Network:
    """Return a network drawn from the seed: 12 to 20 nodes, the three kinds in turn."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    kinds = (
        lambda: fat_tree(draw.randint(3, 5), 4),
        lambda: torus(4, draw.randint(3, 5)),
        lambda: dragonfly(draw.randint(3, 5), 4),
    )
    return kinds[seed % 3]()


def diagnoses() -> list[Diagnosis]:
    """Return what is said of every platform."""
    return [diagnosed(network(seed), seed) for seed in range(PLATFORMS)]
