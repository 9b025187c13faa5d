"""Which of several ways of doing one thing to choose at each size, and what another choice costs (METHODS section 9).

The unit is the launch. A way is told apart from the fastest one by the exact two-sided Mann-Whitney test on launch
figures, with Holm's correction for all comparisons at one size; ways that are not told apart are equally good choices.
Costs are ratios of two ways within a launch, so that what slows a whole launch down cancels; their interval is that of
the median over launches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from groma.analysis.order import Interval, mean_ranks, median_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

SIGNIFICANCE = 0.05
Key = TypeVar("Key")


@dataclass(frozen=True)
class Cost:
    """How many times as long one way takes as another; no interval below six common launches."""

    ratio: float
    interval: Interval | None


@dataclass(frozen=True)
class Choice(Generic[Key]):
    """What to use at one size: the fastest way, and all that cannot be told from it, fastest first."""

    size: int
    fastest: Key
    alike: tuple[Key, ...]
    launches: int


@dataclass(frozen=True)
class Stretch(Generic[Key]):
    """Neighbouring sizes, ascending, at which one way is among the best."""

    way: Key
    sizes: tuple[int, ...]


def choose(size: int, ways: Mapping[Key, Mapping[int, float]]) -> Choice[Key]:
    """Return the choice at one size from the launch figures of every way, by launch.

    Too few launches tell nothing apart: then all ways are alike.
    """
    values = {way: np.array(list(figures.values())) for way, figures in ways.items()}
    order = sorted(values, key=lambda way: float(np.median(values[way])))
    fastest, others = order[0], order[1:]
    raw = [mann_whitney(values[way], values[fastest]) for way in others]
    alike = [way for way, p in zip(others, holm(raw), strict=True) if p >= SIGNIFICANCE]
    return Choice(size, fastest, (fastest, *alike), min(map(len, values.values())))


def stretches(choices: Sequence[Choice[Key]], costs: Mapping[Key, Mapping[int, float]]) -> list[Stretch[Key]]:
    """Cover all sizes with as few ways as the choices allow: each stretch goes as far as one way is among the best.

    `costs` are figures of every way by size; of ways that go equally far, the one that costs least over the stretch is
    taken. `choices` are by size, ascending.
    """
    found: list[Stretch[Key]] = []
    start = 0
    while start < len(choices):
        left = list(choices[start].alike)
        end = start + 1
        while end < len(choices) and (still := [way for way in left if way in choices[end].alike]):
            left, end = still, end + 1
        sizes = tuple(choice.size for choice in choices[start:end])
        cheapest = min(left, key=lambda way: sum(np.log(costs[way][size]) for size in sizes))
        found.append(Stretch(cheapest, sizes))
        start = end
    return found


def cost(way: Mapping[int, float], other: Mapping[int, float]) -> Cost:
    """Return what a way costs against another, from their figures by launch: the median of the ratios of one launch."""
    common = sorted(way.keys() & other.keys())
    ratios = np.array([way[launch] / other[launch] for launch in common])
    if not ratios.size:
        return Cost(float(np.median(list(way.values())) / np.median(list(other.values()))), None)
    return Cost(float(np.median(ratios)), median_interval(ratios))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected after Holm (1979), in the order given."""
    order = np.argsort(values, kind="stable")
    found = [1.0] * len(values)
    largest = 0.0
    for place, at in enumerate(order):
        largest = max(largest, min(1.0, values[at] * (len(values) - place)))
        found[int(at)] = largest
    return found


def mann_whitney(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of the exact Mann-Whitney test, which is exact with ties too.

    It is the share of all divisions of the pooled ranks whose rank sum is at least as far from its mean.
    """
    ranks = np.rint(2 * mean_ranks(np.concatenate([one, other]))).astype(int)  # twice, so that shared ranks are whole
    counts = _divisions(tuple(np.sort(ranks).tolist()), one.size)
    sums = np.arange(counts.size)
    centre = one.size * (ranks.size + 1)
    far = abs(int(ranks[: one.size].sum()) - centre)
    return float(counts[np.abs(sums - centre) >= far].sum() / counts.sum())


@lru_cache(maxsize=256)
def _divisions(ranks: tuple[int, ...], taken: int) -> NDArray[np.float64]:
    """Return how many choices of `taken` of the ranks have each sum."""
    counts = np.zeros((taken + 1, sum(ranks) + 1))
    counts[0, 0] = 1
    for rank in ranks:
        counts[1:, rank:] += counts[:-1, : counts.shape[1] - rank].copy()
    chosen: NDArray[np.float64] = counts[taken]
    return chosen
