"""How long launches take: the remaining time (for the progress line) and what still fits (for the budget)."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Collection, Mapping, Sequence

# Before any launch has been seen: start-up, clock and noise measurement of one launch.
ASSUMED_OVERHEAD_S = 1.0
# A point takes its slot and, outside of it, warm-up, validation and the first call.
ASSUMED_POINT_FACTOR = 1.25
_REMEMBERED = 3
_FIRST_ESTIMATE_SHARE = 0.1
SHORTEST_SLOT_S = 0.01
# Launches are fitted into this share of the budget: the rest absorbs a slow launch or refines the widest points.
_PLANNED_SHARE = 0.85
# A launch starts only if the time it is predicted to take, with this margin, is left.
_MARGIN = 1.1
# A refining launch takes this share of the points that are still too wide; then the choice is made again.
_WIDEST_SHARE = 0.5

Key = tuple[int, int]  # (rank count, or rank count and variant in one number; index of the point in the plan)


class Pace:
    """Time that launches of each rank count took so far: of the points, and of the rest."""

    def __init__(self, slots_s: list[float]) -> None:
        """Start from the time slots of the plan's points."""
        self._assumed_s = [slot * ASSUMED_POINT_FACTOR for slot in slots_s]
        self._overhead_s: dict[int, deque[float]] = defaultdict(lambda: deque(maxlen=_REMEMBERED))
        self._point_s: dict[tuple[int, int], deque[float]] = defaultdict(lambda: deque(maxlen=_REMEMBERED))

    def add(self, slot_s: float) -> None:
        """Take in a point that was added to the plan."""
        self._assumed_s.append(slot_s * ASSUMED_POINT_FACTOR)

    def note(self, ranks: int, wall_s: float, elapsed_s: dict[int, float]) -> None:
        """Take in one launch that ended by itself."""
        self._overhead_s[ranks].append(max(0.0, wall_s - sum(elapsed_s.values())))
        for index, seconds in elapsed_s.items():
            self._point_s[ranks, index].append(seconds)

    def seen(self, ranks: int) -> bool:
        """Return whether a launch of this rank count has been seen, so that predictions are not guesses."""
        return ranks in self._overhead_s

    def predict(self, ranks: int, indices: Collection[int]) -> float:
        """Return the seconds a launch of these points takes, from the slowest of the last few launches.

        What a rank count has not shown yet is taken from the others, and before any launch from the time slots.
        """
        overheads = [self._overhead_s[ranks]] if self.seen(ranks) else list(self._overhead_s.values())
        overhead = max((seconds for recent in overheads for seconds in recent), default=ASSUMED_OVERHEAD_S)
        return overhead + sum(self._predict_point(ranks, index) for index in indices)

    def _predict_point(self, ranks: int, index: int) -> float:
        if (ranks, index) in self._point_s:
            return max(self._point_s[ranks, index])
        slowest_s = [max(seconds) for (_, point), seconds in self._point_s.items() if point == index]
        return max(slowest_s, default=self._assumed_s[index])

    def whole_s(self, launch: tuple[int, Collection[int]], elapsed_s: float, done: int) -> float | None:
        """Return the seconds that the current launch (ranks, points) takes in all; None while unknown.

        In the first launch of a rank count the share of points done (their order is shuffled) is the share of time.
        """
        ranks, indices = launch
        if self.seen(ranks):
            return max(elapsed_s, self.predict(ranks, indices))
        share = done / len(indices)
        return elapsed_s / share if share >= _FIRST_ESTIMATE_SHARE else None


def fitting_slot_s(budget_s: float, launches: int, points: int) -> float:
    """Return the longest slot per point with which all launches fit the budget, never below SHORTEST_SLOT_S."""
    per_launch = budget_s * _PLANNED_SHARE / launches - ASSUMED_OVERHEAD_S
    return max(SHORTEST_SLOT_S, round(per_launch / points / ASSUMED_POINT_FACTOR, 4))


def fits(predicted_s: float, left_s: float) -> bool:
    """Return whether a launch may start."""
    return predicted_s * _MARGIN <= left_s


def relative_half_widths(medians_ns: Mapping[Key, Sequence[float]]) -> dict[Key, float]:
    """Return half the 95 % interval over each point's launch medians, relative to their median; inf below 6 of them."""
    import numpy as np  # noqa: PLC0415 - only a budget needs them, and only between launches

    from groma.analysis.order import median_interval  # noqa: PLC0415

    widths: dict[Key, float] = {}
    for key, medians in medians_ns.items():
        interval = median_interval(list(medians))
        centre = float(np.median(medians)) if len(medians) else 0.0
        widths[key] = interval.half_width(centre) if interval is not None and centre > 0 else math.inf
    return widths


def widest(
    widths: Mapping[Key, float], targets: Sequence[float], pace: Pace, left_s: float
) -> tuple[int, list[int]] | None:
    """Choose a refining launch: the rank count with the widest interval and its widest points, as many as fit.

    `targets` holds per point the relative half-width that is narrow enough. Returns (rank count, point indices) or None
    if nothing is too wide or nothing fits.
    """
    wide = {key: width for key, width in widths.items() if width > targets[key[1]]}
    if not wide:
        return None
    ranks = max(wide, key=lambda key: wide[key])[0]
    indices = sorted((key[1] for key in wide if key[0] == ranks), key=lambda index: -wide[ranks, index])
    chosen: list[int] = []
    for index in indices[: math.ceil(len(indices) * _WIDEST_SHARE)]:
        if fits(pace.predict(ranks, [*chosen, index]), left_s):
            chosen.append(index)
    return (ranks, sorted(chosen)) if chosen else None
