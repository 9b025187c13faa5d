"""Many comparisons at once: Holm's correction with its interval, verdicts, and how many launches decide them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Literal

from groma.analysis.compare.comparison import Comparison
from groma.analysis.compare.exact import Paired, Shift
from groma.analysis.order import MINIMUM_FOR_INTERVAL, Interval
from groma.text.counts import counted

Verdict = Literal["slower", "faster", "same", "not decided"]
MARGIN = 0.05
# A larger number of further launches is named as more than this one.
MOST_NAMED = 1000
SIGNIFICANCE = 0.05
CANNOT_TELL = "cannot tell"  # in place of a verdict, where both have no state of the machine in common
# The probability that the stated number of launches decides.
_POWER = 0.8
# Nearer to a border of the margin than this, in logarithms, or than half of the margin, no number is worth naming.
_LEAST_DISTANCE = 0.01
_NORMAL = NormalDist()
# The interval of one standard error to either side of the estimate.
_ONE_ERROR = 0.68


def fewest_launches(comparisons: int, *, paired: bool = True) -> int:
    """Return how many launches the test needs before one of `comparisons` can be significant.

    With n launches the smallest two-sided p-value is 2^(1 - n) in pairs, and 2 n! n! / (2n)! for two samples of n;
    Holm's correction multiplies it by the number of comparisons. Six are the fewest that have an interval.
    """
    largest_p = SIGNIFICANCE / max(1, comparisons)
    if paired:
        return 1 + math.ceil(math.log2(1 / largest_p))
    return next(n for n in itertools.count(MINIMUM_FOR_INTERVAL) if largest_p * math.comb(2 * n, n) >= 2)


def further_launches(shift: Shift, margin: float, comparisons: int = 1) -> int:
    """Return about how many more launches would decide, with a probability of 80 %, where `comparisons` are open.

    Of runs (`shift.unit`), how many more of each side.

    `margin` is in the unit of the shift. Where the estimate lies within +-`margin`, launches decide once the 95 %
    interval does; else once that interval lies beyond, and the difference is significant after correction.

    The standard error of the estimate is read off its own interval (Lehmann, Nonparametric confidence intervals for a
    shift parameter, 1963), and shrinks with the root of the launches. A border is left out with that probability where
    it is z_alpha + z_power standard errors away, the normal approximation that Noether uses too (Sample size
    determination for some common nonparametric tests, 1987). Fewer than three launches have no such interval: then the
    answer is what the test needs at least.
    """
    estimate = abs(shift.estimate)
    borders = [(1, max(abs(estimate - margin), margin / 2, _LEAST_DISTANCE))]
    if not estimate < margin:
        borders.append((max(1, comparisons), max(estimate, _LEAST_DISTANCE)))
    return launches_beyond(shift, borders)


def launches_beyond(shift: Shift, borders: Sequence[tuple[int, float]]) -> int:
    """Return about how many more launches or runs would leave borders out of the interval, with 80 %.

    Each border is told by how many comparisons share its significance, and by how far away it is, in the unit of the
    shift.
    """
    borders = [(of * shift.looks, away) for of, away in borders]
    needed = [fewest_launches(borders[-1][0], paired=isinstance(shift, Paired)) if shift.unit == "launch" else 1]
    error = _error(shift)
    if error is not None:
        needed += [math.ceil(shift.repeats * (_errors(of) * error / away) ** 2) for of, away in borders]
    return max(1, math.ceil(max(needed) - shift.repeats))


def least_found(shift: Shift, margin: float, comparisons: int) -> float:
    """Return the smallest shift that as many values would have shown with a probability of 80 %; infinite if unknown.

    That is one whose 95 % interval lies beyond the margin, and which is significant among `comparisons`.
    """
    error = _error(shift)
    if error is None:
        return math.inf
    return max(margin + _errors(shift.looks) * error, _errors(comparisons * shift.looks) * error)


def _error(shift: Shift) -> float | None:
    """Return the standard error of the estimate, read off its interval; None if there is none."""
    ends = shift.single.interval(_ONE_ERROR)
    return None if ends is None else (ends.high - ends.low) / 2 / _NORMAL.inv_cdf((1 + _ONE_ERROR) / 2)


def _errors(comparisons: int) -> float:
    """Return how many standard errors a border has to be away, if `comparisons` share the significance."""
    return _NORMAL.inv_cdf(1 - SIGNIFICANCE / 2 / comparisons) + _NORMAL.inv_cdf(_POWER)


@dataclass(frozen=True)
class Judged:
    """A comparison among others: its verdict is about the first thing, with 5 % for wrong differences of the family.

    `p` is corrected after Holm, and `level` is what Holm's step compares the plain p-value with. `open_comparisons` are
    those of the family that found no difference. `margin` is relative: ratios from 1 - margin to 1 + margin count as
    the same. `in_one_state` is false if both have no state of the machine in common: nothing can be said then.
    """

    comparison: Comparison
    p: float | None
    level: float
    margin: float
    open_comparisons: int
    in_one_state: bool = True

    @property
    def differs(self) -> bool:
        """True if the two differ at all, with 5 % for all comparisons of the family together."""
        return self.p is not None and self.p <= SIGNIFICANCE

    @cached_property
    def joint_interval(self) -> Interval | None:
        """The interval of the ratio at the level of Holm's step: it leaves 1 out exactly where `differs`.

        It covers the true ratio with 95 % at least. None if the launches are too few for that level.
        """
        return self.comparison.interval_at(1 - self.level)

    @cached_property
    def verdict(self) -> Verdict:
        """What can be said.

        Slower and faster: it differs (see `differs`), and the 95 % interval of the ratio lies beyond the margin. Same:
        that interval lies within the margin. Else not decided.
        """
        return self._verdict(self.differs)

    @property
    def alone(self) -> Verdict:
        """The verdict if this were the only comparison."""
        return self._verdict(differs=True)

    def _verdict(self, differs: bool) -> Verdict:
        if self.p is None:
            return "not decided"
        shift, tail = self.comparison.shift, SIGNIFICANCE / 2
        lowest, highest = math.log1p(-self.margin), math.log1p(self.margin)
        if differs and shift.p_above(highest) <= tail:
            return "slower"
        if differs and shift.p_below(lowest) <= tail:
            return "faster"
        is_within = self.margin > 0 and max(shift.p_above(lowest), shift.p_below(highest)) <= tail
        return "same" if is_within else "not decided"

    @property
    def further_launches(self) -> int:
        """About how many more launches or runs would decide (see `further_launches`); 0 if decided, or undecidable."""
        if self.verdict != "not decided" or not self.in_one_state:
            return 0
        comparisons = 1 if self.differs else self.open_comparisons
        return further_launches(self.comparison.shift, math.log1p(self.margin), comparisons)

    def words(self) -> str:
        """Return the verdict in full, such as `same within 5 %` or `not decided (about 4 more launches would)`."""
        if not self.in_one_state:
            return f"{CANNOT_TELL}: the machine was in another state"
        if self.verdict == "same":
            return f"same within {100 * self.margin:g} %"
        if self.verdict == "not decided":
            unit, further = self.comparison.shift.unit, self.further_launches
            if further > MOST_NAMED:
                return f"not decided (more than {counted(MOST_NAMED, f'more {unit}')} would be needed)"
            return f"not decided (about {counted(further, f'more {unit}')} would)"
        return self.verdict


def judge(comparisons: Sequence[Comparison], margin: float = MARGIN, family: int | None = None) -> list[Judged]:
    """Return a verdict on every comparison, in the order given; all of them are one family.

    `family` is how many comparisons the family has, where these are those of it that were made again.

    Differences are corrected after Holm (A simple sequentially rejective multiple test procedure, 1979): with 95 % none
    of those that are called slower or faster has a true ratio of 1. "Same" is shown by each interval on its own: a
    ratio at the margin's edge is called the same with 2.5 % at most.
    """
    values = [comparison.p for comparison in comparisons]
    corrected, levels = holm(values, family), _levels(values, family)
    differences = sum(p is not None and p <= SIGNIFICANCE for p in corrected)
    return [
        Judged(comparison, p, level, margin, (family or len(values)) - differences)
        for comparison, p, level in zip(comparisons, corrected, levels, strict=True)
    ]


def holm(values: Sequence[float | None], family: int | None = None) -> list[float | None]:
    """Return p-values corrected after Holm (1979), in the order given; None stays None and counts for nothing.

    `family` is how many comparisons there are, where more were made than the values.
    """
    size = sum(p is not None for p in values) if family is None else family
    corrected: list[float | None] = [None] * len(values)
    largest = 0.0
    for place, at in enumerate(_ascending(values)):
        largest = max(largest, min(1.0, (values[at] or 0.0) * (size - place)))
        corrected[at] = largest
    return corrected


def _levels(values: Sequence[float | None], family: int | None = None) -> list[float]:
    """Return for every p-value the level of Holm's step that decides it; those after the last step share its level."""
    order = _ascending(values)
    size = len(order) if family is None else family
    levels = [SIGNIFICANCE / max(1, size)] * len(values)
    level = SIGNIFICANCE
    for place, at in enumerate(order):
        level = levels[at] = SIGNIFICANCE / (size - place)
        if (values[at] or 0.0) > level:
            for later in order[place:]:
                levels[later] = level
            break
    return levels


def _ascending(values: Sequence[float | None]) -> list[int]:
    """Return the places of the known values, the smallest first."""
    places = [at for at, p in enumerate(values) if p is not None]
    return sorted(places, key=lambda at: values[at] or 0.0)
