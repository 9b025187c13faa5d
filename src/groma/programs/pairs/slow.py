"""Slow nodes and links of one stage, by direction, with one error probability for the whole run.

A unit's effects as sender and as receiver, and what a pair has left, are compared with those of all others that were
measured alone (`outliers`). Half of the level is for units, half for pairs, each divided over all quantities and over
all units or pairs that the screening chose from. Named is what is beyond chance, at least `slow` times as slow, and
slower in the 95 % interval over launches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from groma.analysis.distributions import student_quantile
from groma.programs.pairs.fit import Fit
from groma.programs.pairs.observe import Edges, Phase
from groma.programs.pairs.outliers import outliers
from groma.results import Run

Floats = NDArray[np.float64]

LEVEL = 0.05
BOTH, SENDS, RECEIVES, PAIR = "both ways", "sending", "receiving", "pair"


@dataclass(frozen=True)
class Limits:
    """The settings of a run that decide what is named; `pairs` is how many the screening measured."""

    slow: float
    suspects: int
    pairs: int = 0

    @classmethod
    def of(cls, run: Run, pairs: int = 0) -> Limits:
        """Return the limits of a run."""
        return cls(float(run.meta.program["slow"]), max(1, int(run.meta.program["suspects"])), pairs)


@dataclass(frozen=True)
class Slow:
    """One slow direction of one quantity: of a unit `(a,)`, or of a pair `(a, b)`, from a to b if it has a direction.

    ratio      how many times as long as the others take it takes; `low` and `high` are its 95 % interval over
               launches, NaN with fewer than two
    """

    who: tuple[int, ...]
    quantity: str
    part: str
    ratio: float
    low: float
    high: float
    stage: str = "alone"

    @property
    def key(self) -> tuple[object, ...]:
        """Key on which two stages must agree."""
        return self.who, self.quantity, self.part


def judge(count: int, phase: Phase, limits: Limits) -> list[Slow]:
    """Return what is slow in one stage, units first, the slowest of each first."""
    quantities = phase.edges.values()
    found = []
    for edges in quantities:
        parts = edges.fit(count)
        own = [edges.fit(count, row) for row in edges.launches()]
        for part in (BOTH,) if edges.symmetric else (SENDS, RECEIVES):
            values = _effects(parts, part)
            known = int(np.isfinite(values).sum())
            most = max(1, min(limits.suspects, (known - 2) // 2))
            named = outliers(values, level=LEVEL / 2 / phase.tests, most=most, family=count)
            for unit in named.places:
                rows = [_effects(one, part)[unit] - np.nanmedian(_effects(one, part)) for one in own]
                found.append(_slow((unit,), edges.quantity, part, float(values[unit]), rows))
        level = LEVEL / 2 * edges.senders.size / max(1, sum(each.senders.size for each in quantities))
        most = max(1, min(2 * limits.suspects, (parts.deleted.size - parts.parts) // 3))
        family = max(limits.pairs, edges.senders.size)
        named = outliers(parts.deleted, level=level, most=most, parts=parts.parts, family=family)
        for at in named.places:
            ends = int(edges.senders[at]), int(edges.receivers[at])
            rows = [one.residual[at] for one in own]
            found.append(_slow(ends, edges.quantity, PAIR, float(parts.residual[at]), rows))
    named_only = [one for one in found if one.ratio >= limits.slow and not one.low <= 1]
    return sorted(named_only, key=lambda one: (len(one.who), -one.ratio))


def _effects(parts: Fit, part: str) -> Floats:
    return parts.receiver if part == RECEIVES else parts.sender


def _slow(who: tuple[int, ...], quantity: str, part: str, value: float, rows: list[float]) -> Slow:
    """Return the ratio of a logarithm, with Student's interval over the logarithms of launches."""
    low = high = float("nan")
    if len(rows) > 1:
        half = float(student_quantile(len(rows) - 1, 0.975) * np.std(rows, ddof=1) / np.sqrt(len(rows)))
        middle = float(np.mean(rows))
        low, high = float(np.exp(middle - half)), float(np.exp(middle + half))
        value = middle
    return Slow(who, quantity, part, float(np.exp(value)), low, high)


def pooled(one: Slow, count: int, phases: dict[str, Phase]) -> Slow:
    """Return the same with ratio and interval over the launches of both stages."""
    found = [phases[name].edges[one.quantity] for name in ("alone", "later")]
    rows = [
        value for edges in found for row in edges.launches() for value in _found_in(edges, edges.fit(count, row), one)
    ]
    whole = _slow(one.who, one.quantity, one.part, float(np.log(one.ratio)), rows)
    return replace(whole, stage="later")


def _found_in(edges: Edges, parts: Fit, one: Slow) -> list[float]:
    """Return the logarithm of the same ratio in another fit; nothing for a pair that was not measured."""
    if one.part != PAIR:
        return [float(_effects(parts, one.part)[one.who[0]])]
    found: list[float] = parts.residual[(edges.senders == one.who[0]) & (edges.receivers == one.who[1])].tolist()
    return found


def ratio_in(one: Slow, count: int, phase: Phase | None) -> float:
    """Return how many times as long the same node or link took in another stage, NaN if it was not measured."""
    if phase is None or one.quantity not in phase.edges:
        return float("nan")
    edges = phase.edges[one.quantity]
    found = _found_in(edges, edges.fit(count), one)
    return float(np.exp(found[0])) if found else float("nan")
