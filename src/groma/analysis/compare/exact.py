"""Exact rank tests of every shift between two things, and the estimate and the interval that belong to them.

`Paired` is Wilcoxon's signed-rank test (1945) with zeros after Pratt (1959), `Apart` his rank-sum test, which is that
of Mann and Whitney (1947). Ties share the mean of their ranks, and the null distribution is counted for the ranks as
they are, so that both tests stay exact with ties. With zeros after Pratt, the p-value never rises again as the shift
moves away from the estimate. So the shifts that are not rejected are one interval, and inverting the test gives it
exactly (Hodges and Lehmann, Estimates of location based on rank tests, 1963).

`Paired` asks of the differences that they scatter evenly around the shift, `Apart` that the two differ in place alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.order import MINIMUM_FOR_INTERVAL, Interval, mean_ranks
from groma.analysis.rows import median

# Rank sums of more launches are counted no more: the normal distribution is as good and takes no time.
MOST_COUNTED = 120
# The smallest step beside an end: exp() of it is still another number than 1.
_BESIDE = 2.0**-51
# Figures that agree to this number of digits of their logarithm are ties.
_DIGITS = 12


@lru_cache(maxsize=1024)
def signed_tails(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    """Return P(sum of the positive ranks >= s) for s from 0, if each sign is a fair coin (Wilcoxon 1945).

    Ranks are whole numbers, so callers double shared ranks.
    """
    chances = np.zeros(sum(ranks) + 1)
    chances[0] = 1
    for rank in ranks:
        without = chances / 2
        chances = without.copy()
        chances[rank:] += without[: without.size - rank]
    return _at_least(chances)


@lru_cache(maxsize=8192)
def drawn_tails(ranks: tuple[int, ...], count: int) -> NDArray[np.float64]:
    """Return P(sum of `count` of the ranks >= s) for s from 0, if every choice is as likely (Wilcoxon 1945)."""
    chances = np.zeros((count + 1, sum(ranks) + 1))
    chances[0, 0] = 1
    for rank in ranks:
        chances[1:, rank:] += chances[:-1, : chances.shape[1] - rank].copy()
    return _at_least(chances[count] / chances[count].sum())


def _at_least(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    tails: NDArray[np.float64] = np.cumsum(chances[::-1])[::-1]
    return tails


class Shift(ABC):
    """The shift of one sample against another, in the unit of the values; mostly logarithms of times."""

    launches: int
    """How many values there are; of two samples, those of the smaller."""
    unit: Literal["launch", "run"] = "launch"
    """What is repeated: more of these narrow the interval."""
    looks: int = 1
    """How often the values are tested while they grow; p-values and intervals hold for all of these looks together."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each sample has."""
        return (self.launches,)

    @property
    def repeats(self) -> float:
        """How often the unit was repeated."""
        return self.launches

    @property
    def has_interval(self) -> bool:
        """True if there are enough values for a 95 % interval and a p-value."""
        return self.launches >= MINIMUM_FOR_INTERVAL

    @abstractmethod
    def p_above(self, shift: float) -> float:
        """Return the exact p-value of the true shift being `shift` or less, against its being larger."""

    @abstractmethod
    def turned(self) -> Shift:
        """Return the same with the samples exchanged: the second against the first."""

    @property
    def single(self) -> Shift:
        """The same as if it were tested once."""
        return self

    @property
    @abstractmethod
    def steps(self) -> NDArray[np.float64]:
        """The shifts at which p-values change, ascending: each as often as there are pairs that make it."""

    @property
    def estimate(self) -> float:
        """Hodges' and Lehmann's estimate of the shift: the median of `steps`; NaN without values."""
        return median(self.steps) if self.launches else math.nan

    def p_below(self, shift: float) -> float:
        """Return the exact p-value of the true shift being `shift` or more, against its being smaller."""
        return self._turned.p_above(-shift)

    def p(self, shift: float = 0.0) -> float:
        """Return the exact two-sided p-value: twice the smaller of both sides'."""
        return min(1.0, 2 * min(self.p_above(shift), self.p_below(shift)))

    def interval(self, confidence: float) -> Interval | None:
        """Return the shifts that `p` does not reject at 1 - `confidence`; None if the launches are too few for it.

        An end that is rejected itself is left out by the smallest step there is. Where most values are equal and the
        rest lies to one side, every shift can be rejected; then the interval is the place at which the sides change.
        """
        tail = (1 - confidence) / 2
        low, high = _lowest(self, tail), _lowest(self._turned, tail)
        return None if low is None or high is None else Interval(min(low, -high), max(low, -high))

    @cached_property
    def _turned(self) -> Shift:
        return self.turned()


class Paired(Shift):
    """Differences of paired values, such as of two points in one launch.

    With several `looks` every p-value is that of one look, multiplied by their number (Bonferroni), so that the first
    look that rejects errs no more often than a single one would.
    """

    def __init__(self, differences: ArrayLike, looks: int = 1) -> None:
        self.values = np.asarray(differences, dtype=np.float64).round(_DIGITS)
        self.launches, self.looks = self.values.size, looks

    def p_above(self, shift: float) -> float:
        """Return the exact p-value of the true shift being `shift` or less, against its being larger."""
        away = (self.values - shift).round(_DIGITS)
        ranks = _whole(mean_ranks(np.abs(away)))
        positive = ranks[away > 0].sum()
        ranks = ranks[away != 0]  # zeros take their ranks with them (Pratt)
        if ranks.size > MOST_COUNTED:
            p = _normal_tail(positive - ranks.sum() / 2, float(np.square(ranks, dtype=np.float64).sum()) / 4)
        else:
            p = float(signed_tails(tuple(np.sort(ranks).tolist()))[positive])
        return min(1.0, self.looks * p)

    def turned(self) -> Paired:
        """Return the same with the samples exchanged."""
        return Paired(-self.values, self.looks)

    @property
    def single(self) -> Paired:
        """The same as if it were tested once."""
        return Paired(self.values)

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """The means of all pairs of differences, each with itself too (Walsh 1949)."""
        return np.sort(np.add.outer(self.values, self.values)[np.triu_indices(self.launches)] / 2)


class Apart(Shift):
    """Two independent samples, such as of points that different launches measured."""

    def __init__(self, first: ArrayLike, second: ArrayLike) -> None:
        self.first, self.second = (np.asarray(side, dtype=np.float64).round(_DIGITS) for side in (first, second))
        self.launches = min(self.first.size, self.second.size)

    def p_above(self, shift: float) -> float:
        """Return the exact p-value of the true shift being `shift` or less, against its being larger."""
        count = self.first.size
        if math.isinf(shift):
            return 1.0 if shift > 0 else 1 / math.comb(count + self.second.size, count)
        ranks = _whole(mean_ranks(np.concatenate([self.first - shift, self.second]).round(_DIGITS)))
        if ranks.size > MOST_COUNTED:
            share = count / ranks.size
            variance = count * (1 - share) * float(ranks.var(ddof=1))
            return _normal_tail(ranks[:count].sum() - share * ranks.sum(), variance)
        return float(drawn_tails(tuple(np.sort(ranks).tolist()), count)[ranks[:count].sum()])

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each sample has."""
        return self.first.size, self.second.size

    def turned(self) -> Apart:
        """Return the same with the samples exchanged."""
        return Apart(self.second, self.first)

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """The differences of all pairs of one value of each sample."""
        return np.sort(np.subtract.outer(self.first, self.second).ravel())


def signed_rank_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two-sided p-value of every row (rows x launches), as `Paired(row).p()` if it has no ties or zeros.

    For resampling: thousands of rows at once; ties rank as they come.
    """
    launches = rows.shape[-1]
    ranks = np.abs(rows).argsort(axis=-1).argsort(axis=-1) + 1
    positive = np.where(rows > 0, ranks, 0).sum(axis=-1)
    far = np.maximum(positive, launches * (launches + 1) // 2 - positive)
    p: NDArray[np.float64] = np.minimum(1.0, 2 * signed_tails(tuple(range(1, launches + 1)))[far])
    return p


def _lowest(shift: Shift, tail: float) -> float | None:
    """Return the smallest value with p_above(value) > tail, which grows with the value; None if all have it."""
    if not shift.launches or shift.p_above(-math.inf) > tail:
        return None
    steps = shift.steps
    place = _place(shift, tail, _usual_place(type(shift), shift.sizes, tail / shift.looks))
    end = float(steps[place])
    return end if shift.p_above(end) > tail else end + max(_BESIDE, math.ulp(end))


def _place(shift: Shift, tail: float, guess: int) -> int:
    """Return the place of the first step above which p_above > tail; two tests are enough if the guess is right."""
    steps = shift.steps
    first, last, at, reach = 0, steps.size - 1, guess, 1
    while first < last:
        at = at if first <= at < last else (first + last) // 2
        if shift.p_above((steps[at] + steps[at + 1]) / 2) > tail:
            last, at = at, at - reach
        else:
            first, at = at + 1, at + reach
        reach *= 2
    return first


@lru_cache(maxsize=1024)
def _usual_place(kind: type[Shift], sizes: tuple[int, ...], tail: float) -> int:
    """Return `_place` for samples of these sizes without ties, in which it does not depend on the values."""
    random = np.random.default_rng(0)
    shift = kind(*(random.random(size) for size in sizes))
    return _place(shift, tail, shift.steps.size // 2)


def _whole(ranks: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the ranks doubled, so that shared ones are whole."""
    return np.rint(2 * ranks).astype(np.int64)


def _normal_tail(above: float, variance: float) -> float:
    """Return P(Z >= z) of a doubled rank sum that lies so far above its mean, corrected for its steps of two."""
    return math.erfc((above - 1) / math.sqrt(2 * variance)) / 2 if variance else 1.0
