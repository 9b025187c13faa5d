"""The fastest of many ways, those that are tied with it, and which of them to choose at each size.

The fastest is chosen by the figures that then test it. To compare every other way with it as if it had been named
before would find too many differences; to correct for all pairs of ways would leave few launches without any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare.exact import Apart
from groma.analysis.compare.family import SIGNIFICANCE, holm
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.rows import median

Key = TypeVar("Key")
PERMUTATIONS = 1999
_CHUNK = 500


@dataclass(frozen=True)
class Ranking(Generic[Key]):
    """Ways in the order of their medians, the fastest first.

    `p` is each way's p-value of being as fast as the fastest, corrected for all ways and for the choice of the fastest;
    1 if the launches are too few. `launches` measured all ways.
    """

    order: tuple[Key, ...]
    p: tuple[float, ...]
    launches: int

    @property
    def tied(self) -> tuple[Key, ...]:
        """The fastest way and those tied with it, the fastest first."""
        return tuple(way for way, p in zip(self.order, self.p, strict=True) if p > SIGNIFICANCE)


def rank_ways(ways: Mapping[Key, Mapping[int, float]]) -> Ranking[Key]:
    """Rank ways by their figures, each by the launch or round that it was measured in; one way at least.

    Launches that measured all ways count, and are compared within. Where these are too few, all launches of every way
    count, as samples apart.
    """
    common = sorted(set.intersection(*(set(figures) for figures in ways.values())))
    together = len(common) >= MINIMUM_FOR_INTERVAL
    values = {
        way: [figures[launch] for launch in common] if together else [*figures.values()]
        for way, figures in ways.items()
    }
    order = sorted(values, key=lambda way: median(values[way]))
    if len(order) < 2:
        return Ranking(tuple(order), (1.0,), len(common))
    if together:
        p = against_best(np.log(np.array([values[way] for way in order]).T)).tolist()
    else:
        p = [1.0, *_against_first([values[way] for way in order])]
    return Ranking(tuple(order), tuple(p), len(common))


def _against_first(samples: Sequence[Sequence[float]]) -> list[float]:
    """Return the p-values of all samples but the first against it, corrected for all pairs that could have been it."""
    if min(map(len, samples)) < MINIMUM_FOR_INTERVAL:
        return [1.0] * (len(samples) - 1)
    first, *rest = (np.log(sample) for sample in samples)
    return [p or 0.0 for p in holm([Apart(sample, first).p() for sample in rest], math.comb(len(samples), 2))]


def against_best(logs: NDArray[np.float64], seed: int = 0) -> NDArray[np.float64]:
    """Return for every way the p-value of being slower than the apparent best, corrected for all ways.

    `logs` holds logarithms of figures as launches x ways. The best is the way with the smallest median, so it is chosen
    by the data that test it: the null distribution repeats that choice. In each of `PERMUTATIONS` the residuals of the
    ways (their logarithms less their mean) change places within every launch, and the largest paired t statistic
    against the best of the permuted ways is noted (Westfall and Young, Resampling-Based Multiple Testing, 1993).
    """
    observed = _slowness(logs)
    residuals = logs - logs.mean(axis=0)
    random = np.random.default_rng(seed)
    beyond = np.zeros(observed.size)
    for start in range(0, PERMUTATIONS, _CHUNK):
        order = random.random((min(_CHUNK, PERMUTATIONS - start), *logs.shape)).argsort(axis=-1)
        mixed = np.take_along_axis(np.broadcast_to(residuals, order.shape), order, axis=-1)
        largest = _slowness(mixed).max(axis=-1)
        beyond += (largest[:, None] >= observed * (1 - 1e-9)).sum(axis=0)
    p: NDArray[np.float64] = (1 + beyond) / (1 + PERMUTATIONS)
    return np.where(observed > 0, p, 1.0)


def _slowness(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return every way's paired t statistic against the way with the smallest median; 0 if it is not slower."""
    best = np.median(logs, axis=-2).argmin(axis=-1)
    differences = logs - np.take_along_axis(logs, best[..., None, None], axis=-1)
    mean = differences.mean(axis=-2)
    error = differences.std(axis=-2, ddof=1) / math.sqrt(logs.shape[-2])
    slow: NDArray[np.float64] = np.where(mean > 0, mean / np.maximum(error, np.finfo(np.float64).tiny ** 0.5), 0.0)
    return slow


@dataclass(frozen=True)
class FastestWays(Generic[Key]):
    """What to use at one size: the fastest way, and all that are tied with it, fastest first."""

    size: int
    fastest: Key
    alike: tuple[Key, ...]
    launches: int


@dataclass(frozen=True)
class Stretch(Generic[Key]):
    """Neighbouring sizes, ascending, at which one way is among the best."""

    way: Key
    sizes: tuple[int, ...]


def choose(size: int, ways: Mapping[Key, Mapping[int, float]]) -> FastestWays[Key]:
    """Return the choice at one size from the launch figures of every way, by launch.

    Only launches that measured all ways count. With too few of them no difference can be shown, and all ways are tied.
    """
    ranked = rank_ways(ways)
    return FastestWays(size, ranked.order[0], ranked.tied, ranked.launches)


def stretches(choices: Sequence[FastestWays[Key]], costs: Mapping[Key, Mapping[int, float]]) -> list[Stretch[Key]]:
    """Cover all sizes with as few ways as the choices allow: each stretch goes as far as one way is among the best.

    `costs` are figures of every way by size; of ways that go equally far, the one that costs least over the stretch is
    taken. `choices` are by size, ascending.
    """
    chosen: list[Stretch[Key]] = []
    start = 0
    while start < len(choices):
        left = list(choices[start].alike)
        end = start + 1
        while end < len(choices) and (still := [way for way in left if way in choices[end].alike]):
            left, end = still, end + 1
        sizes = tuple(choice.size for choice in choices[start:end])
        cheapest = min(left, key=lambda way: sum(np.log(costs[way][size]) for size in sizes))
        chosen.append(Stretch(cheapest, sizes))
        start = end
    return chosen
