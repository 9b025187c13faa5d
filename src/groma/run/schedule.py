"""Which launch comes next: those asked for first, then with a budget those that narrow the widest intervals."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groma.run import budget
from groma.run.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.run.documents import RunDocument
    from groma.run.records import Follower

_ASSUMED_SLOT_S = 0.1
_ASSUMED_PRECISION = 0.01


@dataclass(frozen=True)
class Step:
    """One launch to make: its number, rank count and the points (indices into the plan) it measures."""

    number: int
    ranks: int
    indices: tuple[int, ...]


class Schedule:
    """The launches of one campaign, decided one at a time from what was measured before."""

    def __init__(
        self,
        document: RunDocument,
        points: list[dict[str, Any]],
        spent_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the campaign's document and its points with all defaults; `spent_s` was used before a resume."""
        self.document = document
        self.total = document.launches * len(document.rank_counts)
        self.pace = Pace([float(point.get("slot_s") or _ASSUMED_SLOT_S) for point in points])
        self.cut_short: int | None = None
        self._targets = [float(point.get("precision") or _ASSUMED_PRECISION) for point in points]
        self._medians_ns: dict[budget.Key, list[float]] = defaultdict(list)
        self._dropped: set[budget.Key] = set()
        self._clock = clock
        self._began = clock() - spent_s
        self._last = self.total

    def steps(self, present: set[int]) -> Iterator[Step]:
        """Yield every launch to make that is not `present` already; sets `cut_short` where the budget ends them."""
        self._last = max({self.total} | present)
        for number in range(1, self.total + 1):
            ranks = self.ranks_of(number)
            indices = self.indices(ranks)
            if number in present or not indices:
                continue
            if self._medians_ns and not self._may_start(ranks, indices):
                self.cut_short = number
                return
            yield Step(number, ranks, indices)
        yield from self._refining()

    def learn(self, step: Step, follower: Follower, wall_s: float | None = None) -> None:
        """Take in a launch that is over, with its wall time where it ended well."""
        for position, median in follower.median_ns.items():
            self._medians_ns[step.ranks, step.indices[position]].append(median)
        if wall_s is not None:
            self.pace.note(
                step.ranks, wall_s, {step.indices[at]: seconds for at, seconds in follower.elapsed_s.items()}
            )

    def drop(self, ranks: int, index: int) -> None:
        """Leave a point out of all later launches of a rank count."""
        self._dropped.add((ranks, index))

    @property
    def measured(self) -> bool:
        """Whether any point was measured so far."""
        return bool(self._medians_ns)

    def ranks_of(self, number: int) -> int:
        """Rank count of one of the launches asked for: they take turns, the smallest first."""
        return self.document.rank_counts[(number - 1) % len(self.document.rank_counts)]

    def indices(self, ranks: int) -> tuple[int, ...]:
        """Points that are still measured with a rank count."""
        return tuple(at for at in range(len(self._targets)) if (ranks, at) not in self._dropped)

    def later_s(self, step: Step, unseen_s: float = 0.0) -> float:
        """Return the predicted seconds of the launches after this one; with a budget never more than is left of it.

        `unseen_s` stands for a launch of a rank count that has not been seen yet.
        """
        later = (self.ranks_of(number) for number in range(step.number + 1, self.total + 1))
        seen = self.pace.seen
        predicted = sum(self.pace.predict(n, self.indices(n)) if seen(n) else unseen_s for n in later)
        return predicted if self.document.budget_s is None else min(predicted, max(0.0, self._left_s()))

    def _refining(self) -> Iterator[Step]:
        while self.document.budget_s is not None:
            kept = {key: medians for key, medians in self._medians_ns.items() if key not in self._dropped}
            widths = budget.relative_half_widths(kept)
            chosen = budget.widest(widths, self._targets, self.pace, self._left_s())
            if chosen is None:
                return
            self._last += 1
            yield Step(self._last, chosen[0], tuple(chosen[1]))

    def _may_start(self, ranks: int, indices: tuple[int, ...]) -> bool:
        return self.document.budget_s is None or budget.fits(self.pace.predict(ranks, indices), self._left_s())

    def _left_s(self) -> float:
        return (self.document.budget_s or 0.0) - (self._clock() - self._began)
