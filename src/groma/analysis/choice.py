"""Which of several ways of doing one thing to choose at each size, and what another choice costs.

The unit is the launch, and every launch measured all ways. A way is compared with the fastest one by a permutation
test within launches (`compare.rank_ways`), which corrects for all ways at one size and for having chosen the fastest
by the same figures; ways that are tied are equally good choices. Costs are ratios of two ways within a launch, so that
a disturbance of a whole launch cancels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from groma.analysis.compare import rank_ways

Key = TypeVar("Key")


@dataclass(frozen=True)
class Choice(Generic[Key]):
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


def choose(size: int, ways: Mapping[Key, Mapping[int, float]]) -> Choice[Key]:
    """Return the choice at one size from the launch figures of every way, by launch.

    Only launches that measured all ways count. With too few of them no difference can be shown, and all ways are tied.
    """
    ranked = rank_ways(ways)
    return Choice(size, ranked.order[0], ranked.tied, ranked.launches)


def stretches(choices: Sequence[Choice[Key]], costs: Mapping[Key, Mapping[int, float]]) -> list[Stretch[Key]]:
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
