"""Which of several ways of doing one thing to choose at each size, and what another choice costs (METHODS section 9).

The unit is the launch, and every launch measured all ways. A way is told apart from the fastest one by a permutation
test within launches (`paired.against_best`), which corrects for all ways at one size and for having chosen the fastest
by the same figures; ways that are not told apart are equally good choices. Costs are ratios
of two ways within a launch, so that what slows a whole launch down cancels; their interval is that of the median over
launches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from groma.analysis.order import MINIMUM_FOR_INTERVAL, Interval, median_interval
from groma.analysis.paired import SIGNIFICANCE, against_best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    Launches that measured all ways count. Too few of them tell nothing apart: then all ways are alike.
    """
    common = sorted(set.intersection(*(set(figures) for figures in ways.values())))
    told = len(common) >= MINIMUM_FOR_INTERVAL
    values = {
        way: [figures[launch] for launch in common] if told else [*figures.values()] for way, figures in ways.items()
    }
    order = sorted(values, key=lambda way: float(np.median(values[way])))
    if not told or len(order) < 2:
        return Choice(size, order[0], tuple(order), len(common))
    p = against_best(np.log(np.array([values[way] for way in order]).T))
    alike = [way for way, one in zip(order[1:], p[1:], strict=True) if one >= SIGNIFICANCE]
    return Choice(size, order[0], (order[0], *alike), len(common))


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
