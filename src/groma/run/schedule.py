"""The order of launches: those asked for, then those that decide what is open, or narrow the widest intervals."""

from __future__ import annotations

import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from groma.catalog import Catalog
from groma.results.documents import RunDocument
from groma.run.following import Follower
from groma.run.pace import Key, Pace, fits, relative_half_widths, widest
from groma.run.refine import Measured, additions, measured_on

_ASSUMED_SLOT_S = 0.1
_ASSUMED_PRECISION = 0.01
# `within` asks for launches until the intervals are narrow enough, but for no more than this of each point.
MOST_LAUNCHES = 100
_LAUNCHES_THAT_TELL_SPREAD = 4
_WORTH_OF_SPREAD = 1 / 3
_WIDEST_PRECISION = 0.1


@dataclass(frozen=True)
class Step:
    """One launch to make: its number, rank count, the points (indices into the plan) it measures, and the variant.

    `precisions` holds, by index, the precision that suffices in this launch, if it is less than the default.
    """

    number: int
    ranks: int
    indices: tuple[int, ...]
    variant: int = 0
    purpose: str = ""
    precisions: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Further:
    """Rounds after those asked for, in stages, of the points that are still open then.

    `rounds` are the most rounds of each stage. Before each of them `still_open` gets the run's folder, and returns by
    rank count the places in the plan of the points to measure again.
    """

    rounds: tuple[int, ...]
    still_open: Callable[[Path], Mapping[int, Collection[int]]]


def turn(number: int, rank_counts: Sequence[int], variants: int) -> tuple[int, int]:
    """Return rank count and variant (0 if there are none) of a launch: within a round each pair has one turn.

    Rank counts come the smallest first, variants forwards in one round and backwards in the next (A B B A), so that
    what drifts with time favours none.
    """
    variants = max(1, variants)
    round_, place = divmod(number - 1, len(rank_counts) * variants)
    variant = place % variants
    return rank_counts[place // variants], variant if round_ % 2 == 0 else variants - 1 - variant


class Schedule:
    """The launches of one campaign, decided one at a time from what was measured before."""

    def __init__(
        self,
        document: RunDocument,
        catalog: Catalog,
        spent_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        *,
        job_s: float = math.inf,
        further: tuple[Further, Path] | None = None,
    ) -> None:
        """Take the campaign's document and the points' defaults; `spent_s` was used before a resume.

        `job_s` are the seconds until the scheduler ends the job: no launch starts that would take longer. `further`
        rounds, of the run in this folder, come in place of launches that narrow the widest intervals.
        """
        self.document, self._catalog = document, catalog
        self._variants = max(1, len(document.variants))
        self._asked = document.asked_numbers
        self.pace = Pace([])
        self.cut_short: int | None = None
        self._targets: list[float] = []
        for point in document.plan.points:
            self._take(point)
        self._medians_ns: dict[Key, list[float]] = defaultdict(list)
        self._half_widths: dict[Key, list[float]] = defaultdict(list)
        self._dropped: set[Key] = set()
        for place, variant in enumerate(document.variants):
            if own := document.programs.get(variant.name):
                for index in set(range(len(document.plan.points))).difference(own.points):
                    self.drop_everywhere(place, index)
        self._clock = clock
        self._began = clock() - spent_s
        self._job_ends = clock() + job_s
        self.stopped_by_job = False
        self._further = further
        self._last = self.last_asked

    def steps(self, present: set[int]) -> Iterator[Step]:
        """Yield every launch to make that is not `present` already; sets `cut_short` if the budget ends them."""
        for step in self._decided(present):
            yield replace(step, precisions=self._precisions(step))

    def _decided(self, present: set[int]) -> Iterator[Step]:
        self._last = max({self.last_asked} | present)
        for number in self._asked:
            ranks, variant = self.turn(number)
            kind = self._kind(ranks, variant)
            indices = self.indices(kind)
            if number not in present and indices:
                if self._medians_ns and not self._may_start(kind, indices):
                    self.cut_short = number
                    return
                yield Step(number, ranks, indices, variant)
            first_round = len(self.document.rank_counts) * self._variants
            if number <= first_round and present.isdisjoint(self._asked[first_round:]):
                yield from self._adding_sizes(ranks, variant)
        yield from self._deciding(*self._further) if self._further else self._narrowing()

    def learn(self, step: Step, follower: Follower, wall_s: float | None = None) -> None:
        """Take in a launch that is over, with its wall time if it ended well."""
        for position, median in follower.median_ns.items():
            self._medians_ns[self.kind_of(step), step.indices[position]].append(median)
            self._half_widths[self.kind_of(step), step.indices[position]].append(follower.half_width.get(position, 0.0))
        if wall_s is not None:
            self.pace.note(
                self.kind_of(step), wall_s, {step.indices[at]: seconds for at, seconds in follower.elapsed_s.items()}
            )

    def drop(self, kind: int, index: int) -> None:
        """Skip a point in all later launches of a kind."""
        self._dropped.add((kind, index))

    def drop_everywhere(self, variant: int, index: int) -> None:
        """Skip a point in all launches of a variant, whatever their number of ranks."""
        for ranks in self.document.rank_counts:
            self.drop(self._kind(ranks, variant), index)

    def measured_as(self, variant: int) -> bool:
        """Return whether any point was measured so far in launches of a variant."""
        return any(kind % self._variants == variant for kind, _ in self._medians_ns)

    @property
    def last_asked(self) -> int:
        """Number of the last launch that was asked for."""
        return self._asked[-1] if self._asked else 0

    @property
    def measured(self) -> bool:
        """True if any point was measured so far."""
        return bool(self._medians_ns)

    def turn(self, number: int) -> tuple[int, int]:
        """Rank count and variant of one of the launches asked for."""
        return turn(number, self.document.rank_counts, self._variants)

    def kind_of(self, step: Step) -> int:
        """Return the number of the launches that share this one's rank count and variant."""
        return self._kind(step.ranks, step.variant)

    def _kind(self, ranks: int, variant: int) -> int:
        return ranks * self._variants + variant  # the rank count itself without variants

    def indices(self, kind: int) -> tuple[int, ...]:
        """Points that are still measured in launches of a kind: those asked, and sizes added for its rank count."""
        ranks = kind // self._variants
        return tuple(at for at in measured_on(self.document, ranks) if (kind, at) not in self._dropped)

    def later_s(self, step: Step, unseen_s: float = 0.0) -> float:
        """Return the predicted seconds of the launches after this one; with a budget never more than is left of it.

        `unseen_s` stands for a launch of a kind that has not been seen yet.
        """
        later = (self._kind(*self.turn(number)) for number in self._asked if number > step.number)
        seen = self.pace.seen
        predicted = sum(self.pace.predict(kind, self.indices(kind)) if seen(kind) else unseen_s for kind in later)
        return min(predicted, max(0.0, self._left_s()))

    def knows_pace(self, step: Step) -> bool:
        """Return whether a launch of every later kind has been seen, so that `later_s` is no guess."""
        later = {self._kind(*self.turn(number)) for number in self._asked if number > step.number}
        return all(self.pace.seen(kind) for kind in later)

    def _adding_sizes(self, ranks: int, variant: int) -> Iterator[Step]:
        """Yield launches of sizes that the curves of a rank count need, until they need no more or the budget ends.

        Sizes that a launch failed to measure come first in the next: what to add is decided from whole rounds only.
        """
        kind = self._kind(ranks, variant)
        while self.document.refinement.active:
            if not self._unmeasured_sizes(kind):
                self._add_sizes(kind)
            sizes = self._unmeasured_sizes(kind)
            if not sizes or not self._may_start(kind, sizes):
                return
            self._last += 1
            yield Step(self._last, ranks, sizes, variant, "adding sizes")

    def _unmeasured_sizes(self, kind: int) -> tuple[int, ...]:
        added = {addition.index for addition in self.document.refinement.added}
        return tuple(at for at in self.indices(kind) if at in added and (kind, at) not in self._medians_ns)

    def _add_sizes(self, kind: int) -> None:
        """Add the sizes that the medians so far ask for; run.json has the reasons."""
        measured = {
            index: Measured(statistics.median(medians), statistics.median(self._half_widths[kind, index]))
            for (of_kind, index), medians in self._medians_ns.items()
            if of_kind == kind and (kind, index) not in self._dropped
        }
        for point, addition in additions(self.document, self._catalog, kind // self._variants, measured):
            self.document.refinement.added.append(addition)
            if addition.index == len(self.document.plan.points):
                self.document.plan.points.append(point)
                self._take(point)

    def _take(self, settings: dict[str, Any]) -> None:
        point = self._catalog.resolve(settings)
        self.pace.add(float(point.get("slot_s") or _ASSUMED_SLOT_S))
        self._targets.append(float(point.get("precision") or _ASSUMED_PRECISION))

    def _deciding(self, further: Further, folder: Path) -> Iterator[Step]:
        """Yield whole rounds of what is still open after each stage, until nothing is, or a round does not fit."""
        length = len(self.document.rank_counts) * self._variants
        for rounds in further.rounds:
            wanted = further.still_open(folder)
            for _ in range(rounds):
                first = -(-self._last // length) * length + 1
                steps = [step for number in range(first, first + length) if (step := self._again(number, wanted))]
                needed_s = sum(self.pace.predict(self.kind_of(step), step.indices) for step in steps)
                if not steps or not fits(needed_s, self._left_s()):
                    return
                yield from steps
                self._last = first + length - 1

    def _again(self, number: int, wanted: Mapping[int, Collection[int]]) -> Step | None:
        """Return the launch of a further round, if there is something to measure in it."""
        ranks, variant = self.turn(number)
        indices = tuple(at for at in self.indices(self._kind(ranks, variant)) if at in wanted.get(ranks, ()))
        return Step(number, ranks, indices, variant, "measuring again") if indices else None

    def _narrowing(self) -> Iterator[Step]:
        while self.document.budget_s is not None or self.document.within is not None:
            widths = {key: width for key, width in self._widths().items() if self._may_have_more(key)}
            chosen = widest(widths, self._goals(), self.pace, self._left_s())
            if chosen is None:
                return
            self._last += 1
            ranks, variant = divmod(chosen[0], self._variants)
            yield Step(self._last, ranks, tuple(chosen[1]), variant, "narrowing the widest intervals")

    def _widths(self) -> dict[Key, float]:
        measured = {key: medians for key, medians in self._medians_ns.items() if key not in self._dropped}
        return relative_half_widths(measured)

    def _goals(self) -> list[float]:
        """Relative half-width that is narrow enough, for each point: what the person asked, else its precision."""
        within = self.document.within
        return self._targets if within is None else [within] * len(self._targets)

    def _may_have_more(self, key: Key) -> bool:
        return self.document.within is None or len(self._medians_ns[key]) < MOST_LAUNCHES

    def missed(self) -> list[tuple[int, float]]:
        """Points (index, half-width) whose interval is wider than asked by `within`; each once, at its widest."""
        if self.document.within is None:
            return []
        worst: dict[int, float] = {}
        for (_, index), width in self._widths().items():
            worst[index] = max(width, worst.get(index, 0.0))
        return [(index, width) for index, width in sorted(worst.items()) if width > self.document.within]

    def _precisions(self, step: Step) -> dict[int, float]:
        """Precision that suffices in this launch, if it is less than the default and none was asked: by index.

        A launch's median with a 95 % half-width of a third of the standard deviation over launches has a sixth of it as
        its own: that widens the interval over launches by 1.5 %.
        """
        kind, wide = self.kind_of(step), {}
        for index in step.indices:
            medians = self._medians_ns.get((kind, index), [])
            spread_is_known = len(medians) >= _LAUNCHES_THAT_TELL_SPREAD and statistics.mean(medians) > 0
            if not spread_is_known or "precision" in self.document.plan.points[index]:
                continue
            worth = _WORTH_OF_SPREAD * statistics.stdev(medians) / statistics.mean(medians)
            if worth > self._targets[index]:
                wide[index] = round(min(worth, _WIDEST_PRECISION), 4)
        return wide

    def _may_start(self, kind: int, indices: tuple[int, ...]) -> bool:
        predicted_s = self.pace.predict(kind, indices)
        if not fits(predicted_s, self._job_left_s()):
            self.stopped_by_job = True
        return fits(predicted_s, self._left_s())

    def _left_s(self) -> float:
        asked_s = math.inf if self.document.budget_s is None else self.document.budget_s
        return min(asked_s - (self._clock() - self._began), self._job_left_s())

    def _job_left_s(self) -> float:
        return self._job_ends - self._clock()
