"""Which of several alternatives is fastest at each size, as far as that is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from groma.analysis.compare import Judged, Verdict
from groma.analysis.compare.fastest import FastestWays, stretches
from groma.analysis.order import Interval
from groma.analysis.variants import SideBySide

_OPPOSITE: dict[Verdict, Verdict] = {"slower": "faster", "faster": "slower"}


@dataclass(frozen=True)
class Lead:
    """The time of another alternative over that of one, at a size; `turned` if it was judged the other way round."""

    judged: Judged
    turned: bool

    @property
    def verdict(self) -> Verdict:
        """The verdict on the other."""
        verdict = self.judged.verdict
        return _OPPOSITE.get(verdict, verdict) if self.turned else verdict

    @property
    def is_told(self) -> bool:
        """False if both have no state of the machine in common: then nothing can be said."""
        return self.judged.in_one_state

    @property
    def ratio(self) -> float:
        """How many times as long the other takes."""
        return 1 / self.judged.comparison.ratio if self.turned else self.judged.comparison.ratio

    @property
    def joint(self) -> Interval | None:
        """The interval of the ratio that decides, with 5 % for all ratios of the run; None if launches are too few."""
        return self._facing(self.judged.joint_interval)

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of this ratio alone; None if launches are too few."""
        return self._facing(self.judged.comparison.interval)

    @property
    def apart(self) -> float:
        """By which share the two differ at most, by the 95 % interval; infinite if that is not known."""
        return max(self.interval.high, 1 / self.interval.low) - 1 if self.interval else math.inf

    def _facing(self, interval: Interval | None) -> Interval | None:
        return Interval(1 / interval.high, 1 / interval.low) if interval and self.turned else interval


@dataclass(frozen=True)
class Place:
    """What is decided at one size: `best` is shown slower than no other, and is shown faster than most of them.

    `leads` are those of the best over every other one; `unbeaten` are all that are shown slower than none.
    """

    size: int | None
    best: str
    leads: dict[str, Lead]
    unbeaten: tuple[str, ...]

    @property
    def winner(self) -> str | None:
        """The one that is shown faster than every other; None if there is none."""
        return self.best if all(lead.verdict == "slower" for lead in self.leads.values()) else None

    @property
    def level(self) -> tuple[str, ...]:
        """The best, and those that are compared with it and not shown slower than any."""
        apart = {name for name, lead in self.leads.items() if not lead.is_told}
        return tuple(name for name in self.unbeaten if name not in apart)

    @property
    def tied(self) -> tuple[str, ...]:
        """Those among which the fastest is not decided, if others are shown slower than the best."""
        return self.level if self.decides and len(self.level) > 1 else ()

    @property
    def decides(self) -> bool:
        """True if another one is shown slower than the best."""
        return _beats(self.leads)


@dataclass(frozen=True)
class Stretch:
    """Neighbouring sizes at which one alternative is shown slower than no other, and its leads at each of them."""

    best: str
    leads: dict[int | None, dict[str, Lead]]


def lead(both: SideBySide, one: str, other: str, size: int | None) -> Lead | None:
    """Return the lead of one alternative over another at a size; None if they were not compared there."""
    for pair in ((one, other), (other, one)):
        if (judged := both.pairs.get(pair, {}).get(size)) is not None:
            return Lead(judged, turned=pair[0] == other)
    return None


def leads(both: SideBySide, one: str, size: int | None) -> dict[str, Lead]:
    """Return the leads of one alternative over all others that were measured at a size."""
    known = {other: lead(both, one, other, size) for other in both.curves if other != one}
    return {other: found for other, found in known.items() if found is not None}


def places(both: SideBySide) -> list[Place]:
    """Return the place of the alternatives at every size that two of them have, by size."""
    placed = []
    for size in both.sizes:
        times = {name: point.time_ns for name in both.curves if (point := both.point(name, size)) is not None}
        all_leads = {name: leads(both, name, size) for name in times}
        counts = {name: [own.verdict for own in all_leads[name].values()] for name in times if all_leads[name]}
        if not counts:
            continue
        order = sorted(counts, key=lambda name: (*_standing(all_leads[name]), times[name]))
        unbeaten = tuple(name for name in order if "faster" not in counts[name])
        placed.append(Place(size, order[0], all_leads[order[0]], unbeaten or tuple(order)))
    return placed


def _standing(own: dict[str, Lead]) -> tuple[int, int, int]:
    """Return how many others are shown faster, how many slower (less than 0), and how many take less time."""
    verdicts = [lead.verdict for lead in own.values()]
    return verdicts.count("faster"), -verdicts.count("slower"), sum(lead.ratio < 1 for lead in own.values())


def of_neighbours(both: SideBySide, placed: list[Place]) -> list[Stretch]:
    """Return stretches of sizes, as few as possible, in each of which one alternative is slower than no other.

    Where something is decided, it is one that is shown faster than another. Of those that go equally far, the one with
    the shortest times is taken.
    """
    at = dict(enumerate(placed))  # a place in the order of sizes, which an operation without a size has too
    costs = {
        name: {number: point.time_ns for number, place in at.items() if (point := both.point(name, place.size))}
        for name in both.curves
    }
    choices = [FastestWays(number, place.best, _leading(both, place), 0) for number, place in at.items()]
    return [
        Stretch(found.way, {at[number].size: leads(both, found.way, at[number].size) for number in found.sizes})
        for found in stretches(choices, costs)
    ]


def _leading(both: SideBySide, place: Place) -> tuple[str, ...]:
    """Return those that are shown slower than no other at a size and, if anything is decided, faster than one."""
    if not place.decides:
        return place.level
    return tuple(name for name in place.level if _beats(leads(both, name, place.size)))


def _beats(own: Mapping[str, Lead]) -> bool:
    return any(lead.verdict == "slower" for lead in own.values())
