"""How long launches take: the remaining time (for the progress line) and what still fits (for the budget)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection

# Before any launch has been seen: start-up, clock and noise measurement of one launch.
ASSUMED_OVERHEAD_S = 1.0
# A point takes its slot and, outside of it, warm-up, validation and the first call.
ASSUMED_POINT_FACTOR = 1.25
_REMEMBERED = 3
_FIRST_ESTIMATE_SHARE = 0.1


class Pace:
    """What launches of each rank count took so far, apart for the points and for the rest."""

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
        """Whether a launch of this rank count has been seen, so that predictions are not guesses."""
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
        """Return the seconds the current launch (ranks, points) takes in all, or None while that is not honest to say.

        In the first launch of a rank count the share of points done (their order is shuffled) is the share of time.
        """
        ranks, indices = launch
        if self.seen(ranks):
            return max(elapsed_s, self.predict(ranks, indices))
        share = done / len(indices)
        return elapsed_s / share if share >= _FIRST_ESTIMATE_SHARE else None
