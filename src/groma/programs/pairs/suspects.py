"""Selects units and pairs to measure again: those slower than the others by a small limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groma.programs.pairs.fit import Fit, scale_of
from groma.programs.pairs.observe import Edges, Phase
from groma.programs.pairs.rounds import Pair
from groma.programs.pairs.slow import BOTH, PAIR, RECEIVES, SENDS, Slow

LEAST_UNITS = 4  # with fewer, a slow unit and its slow pairs are the same figures
ALL_ALONE = 12  # up to this many units, all pairs are measured alone
_CONTROLS = 8
_SCALES = 2.5


@dataclass(frozen=True)
class Suspects:
    """Units and pairs, the slowest first, and the units that no suspicion falls on, the most ordinary first."""

    units: tuple[int, ...]
    pairs: tuple[Pair, ...]
    good: tuple[int, ...]

    @property
    def any(self) -> bool:
        """True if there are suspects."""
        return bool(self.units or self.pairs)


def suspects(count: int, phase: Phase, slow: float, most: int) -> Suspects:
    """Return the suspects among `count` units: at most `most` of each."""
    found = [one for one, _ in suspicions(count, phase, slow)]
    units = list(dict.fromkeys(one.who[0] for one in found if one.part != PAIR))[: min(most, (count - 2) // 2)]
    pairs = list(dict.fromkeys((min(one.who), max(one.who)) for one in found if one.part == PAIR))[:most]
    suspected = {*units, *(unit for pair in pairs for unit in pair)}
    oddness = np.zeros(count)
    for _, parts in _fits(count, phase):
        oddness = np.fmax(oddness, np.fmax(np.abs(parts.sender), np.abs(parts.receiver)))
    good = sorted((unit for unit in range(count) if unit not in suspected), key=lambda unit: oddness[unit])
    return Suspects(tuple(units), tuple(pairs), tuple(good))


def suspicions(count: int, phase: Phase, slow: float) -> list[tuple[Slow, float]]:
    """Return what is slower by half of `slow`, and by 2.5 times the spread of all; with how many spreads, most first.

    A unit's own pairs are not slow beside it.
    """
    least = np.log1p((slow - 1) / 2)
    found: list[tuple[Slow, float]] = []
    for edges, parts in _fits(count, phase):
        every: list[tuple[int, ...]] = [(unit,) for unit in range(count)]
        values = {BOTH: parts.sender} if edges.symmetric else {SENDS: parts.sender, RECEIVES: parts.receiver}
        rows = [(part, every, effects, scale_of(effects)) for part, effects in values.items()]
        rows.append((PAIR, list(edges.pairs()), parts.residual, scale_of(parts.residual, parts.parts)))
        found += [
            (Slow(who, edges.quantity, part, float(np.exp(value)), np.nan, np.nan, phase.name), value / scale)
            for part, whose, logs, scale in rows
            for who, value in zip(whose, logs.tolist(), strict=True)
            if value >= max(least, _SCALES * scale)
        ]
    return sorted(found, key=lambda one: -one[1])


def _fits(count: int, phase: Phase) -> list[tuple[Edges, Fit]]:
    return [(edges, edges.fit(count)) for edges in phase.edges.values()]


def duels(count: int, chosen: Suspects) -> list[Pair]:
    """Return the pairs that show whether the suspects are slow: each against good units, and these among each other.

    Few units all meet each other. Otherwise all suspects are beside the same eight good units, so that one fit has
    them; if fewer are left, ends of suspected pairs are good enough: their other pairs are not suspected.
    """
    if count <= ALL_ALONE:
        return [(a, b) for a in range(count) for b in range(a + 1, count)]
    ends = dict.fromkeys(unit for pair in chosen.pairs for unit in pair)
    tested = [*chosen.units, *(unit for unit in ends if unit not in chosen.units)]
    controls = [*chosen.good, *(unit for unit in ends if unit not in chosen.units)][:_CONTROLS]
    pairs = dict.fromkeys(chosen.pairs)
    for at, one in enumerate(controls):
        for other in [*controls[at + 1 :], *(unit for unit in tested if unit not in controls)]:
            pairs[min(one, other), max(one, other)] = None
    return list(pairs)


def confirmed(chosen: Suspects, named: Sequence[Slow]) -> Suspects:
    """Return the suspects that were named alone; the others are good units now, the last of them."""
    units = tuple(dict.fromkeys(one.who[0] for one in named if one.part != PAIR))
    pairs = tuple(dict.fromkeys((min(one.who), max(one.who)) for one in named if one.part == PAIR))
    slow = {*units, *(unit for pair in pairs for unit in pair)}
    cleared = [unit for unit in (*chosen.units, *(unit for pair in chosen.pairs for unit in pair)) if unit not in slow]
    return Suspects(units, pairs, tuple(dict.fromkeys((*chosen.good, *cleared))))
