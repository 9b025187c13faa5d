"""Who is measured again: units and pairs that are slower than the others, by little enough to miss none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groma.programs.pairs.fit import fit, scale_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from groma.programs.pairs.observe import Phase
    from groma.programs.pairs.rounds import Pair

    Floats = NDArray[np.float64]

_Key = TypeVar("_Key", int, tuple[int, int])

LEAST_UNITS = 4  # with fewer, a slow unit and its slow pairs are the same figures
ALL_ALONE = 12  # up to so many units, all pairs are measured alone
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
        """Whether there are any."""
        return bool(self.units or self.pairs)


def suspects(count: int, phase: Phase, slow: float, most: int) -> Suspects:
    """Return the suspects among `count` units: slower by half of `slow`, and by 2.5 times the spread of all.

    At most so many units and so many pairs; a unit's own pairs are no suspects beside it.
    """
    least = np.log1p((slow - 1) / 2)
    of_units: dict[int, float] = {}
    of_pairs: dict[Pair, float] = {}
    oddness = np.zeros(count)
    for edges in phase.edges.values():
        parts = fit(count, edges.senders, edges.receivers, edges.medians(), symmetric=edges.symmetric)
        for effects in (parts.sender, parts.receiver):
            oddness = np.fmax(oddness, np.abs(effects))
            _note(of_units, range(count), effects, least, scale_of(effects))
        pairs = [(min(pair), max(pair)) for pair in edges.pairs()]
        _note(of_pairs, pairs, parts.residual, least, scale_of(parts.residual, parts.parts))
    units = sorted(of_units, key=lambda unit: -of_units[unit])[: min(most, (count - 2) // 2)]
    pairs = sorted(of_pairs, key=lambda pair: -of_pairs[pair])[:most]
    suspected = {*units, *(unit for pair in pairs for unit in pair)}
    good = sorted((unit for unit in range(count) if unit not in suspected), key=lambda unit: oddness[unit])
    return Suspects(tuple(units), tuple(pairs), tuple(good))


def _note(found: dict[_Key, float], keys: Iterable[_Key], values: Floats, least: float, scale: float) -> None:
    """Keep the largest excess of each key, in scales, that is beyond both limits."""
    for key, value in zip(keys, values.tolist(), strict=True):
        if value >= max(least, _SCALES * scale):
            found[key] = max(found.get(key, 0.0), value / scale)


def duels(count: int, chosen: Suspects) -> list[Pair]:
    """Return the pairs that tell whether the suspects are slow: each against good units, and these among each other.

    Few units all meet each other. Otherwise all suspects are beside the same eight good units, so that one fit has
    them; where fewer are left, ends of suspected pairs are good enough: their other pairs are not suspected.
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
