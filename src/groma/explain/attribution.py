"""Attribution of a ratio of times to factors: Shapley values of its logarithm, with intervals.

A factor's share is the mean, over all orders in which the changes can be made one after another, of what its own change
does to the logarithm of the time. If every combination can be measured, that is the Shapley value; if some are
illegal, only orders count whose every step is legal (the value under precedence constraints of Faigle and Kern 1992).
Along each order the steps add up to the whole, so the shares do too, exactly.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from groma.analysis.distributions import student_quantile
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, Interval
from groma.errors import InputError

RESAMPLES = 4000


@dataclass(frozen=True)
class Term:
    """One ratio and its interval; `log` is its natural logarithm."""

    log: float
    interval: Interval | None

    @property
    def ratio(self) -> float:
        """The factor by which the time changes."""
        return math.exp(self.log)


@dataclass(frozen=True)
class Attribution:
    """The ratio of the second method's time to the first's, and the share of every change."""

    total: Term
    shares: tuple[Term, ...]
    before_ns: float
    after_ns: float
    launches: int
    separate: bool = False  # masks were measured in different runs
    run_sd: float | None = None


def weights(changes: int, possible: Collection[int]) -> NDArray[np.float64]:
    """Return how much the logarithm at each mask counts in each share, as an array of changes x masks.

    Raises InputError if no order of the changes keeps to possible masks.
    """
    table = np.zeros((changes, 1 << changes))
    orders = 0
    for order in itertools.permutations(range(changes)):
        masks = list(itertools.accumulate((1 << bit for bit in order), initial=0))
        if all(mask in possible for mask in masks):
            orders += 1
            for bit, (mask, following) in zip(order, itertools.pairwise(masks), strict=True):
                table[bit, following] += 1
                table[bit, mask] -= 1
    if not orders:
        raise InputError(
            "these two methods cannot be converted into each other one factor at a time; make some equal (--set)"
        )
    return table / orders


def _tail(launches: int, together: int = 1) -> float:
    """Return the probability cut off on either side: below 2.5 %, because few launches vary too little when resampled.

    Intervals that are looked at `together` share the 5 % (Bonferroni): all of them hold with 95 %.

    This is the expanded percentile interval of Hesterberg (2015), by the ratio of Student's interval to the normal one.
    """
    width = math.sqrt(launches / (launches - 1)) * student_quantile(launches - 1, 1 - (1 - CONFIDENCE) / 2 / together)
    return NormalDist().cdf(-width)


def attribute(
    times_ns: Mapping[int, NDArray[np.float64]],
    changes: int,
    seed: int = 0,
    origin: Mapping[int, int] | None = None,
    run_sd: float | None = None,
) -> Attribution:
    """Return the shares of `changes` factors in the ratio of the times of the last mask and of mask 0.

    `times_ns` holds for every possible mask the figures of the launches, and `origin` the run that a mask was measured
    in: masks of one run have the same launches in the same order; without it, all are of one run. A time is the median
    over launches of its logarithm, so that ratio and times agree for an even number of launches too. Intervals are
    percentile intervals over launches, resampled with all masks of a run together, expanded for few launches (see
    `_tail`): 95 % for the total, and 95 % for all shares together. If masks are of several runs, runs differ by more
    than their launches show: `run_sd` is the standard deviation of a run's logarithm from run to run, and is resampled
    too. There is no interval if it is unknown (None), or if a run has too few launches for the interval of a median.
    """
    masks = sorted(times_ns)
    logs = [np.log(times_ns[mask]) for mask in masks]
    run_of = [0 if origin is None else origin[mask] for mask in masks]
    share = weights(changes, set(masks))[:, masks]
    rows = np.vstack([share, share.sum(axis=0)])  # the last row is the total: inner masks cancel
    values = rows @ [np.median(mask_logs) for mask_logs in logs]
    launches = min(mask_logs.size for mask_logs in logs)
    intervals: list[Interval | None] = [None] * len(rows)
    if launches >= MINIMUM_FOR_INTERVAL and (len(set(run_of)) == 1 or run_sd is not None):
        random = np.random.default_rng(seed)
        sizes = {run: mask_logs.size for run, mask_logs in zip(run_of, logs, strict=True)}
        drawn = {run: random.integers(0, size, (RESAMPLES, size)) for run, size in sizes.items()}
        shifts = {run: random.normal(0, (run_sd or 0.0) * (len(sizes) > 1), RESAMPLES) for run in sizes}
        again = rows @ [
            np.median(mask_logs[drawn[run]], axis=1) + shifts[run] for run, mask_logs in zip(run_of, logs, strict=True)
        ]
        tails = [*[_tail(launches, max(1, changes))] * changes, _tail(launches)]
        bounds = [np.quantile(row, (tail, 1 - tail)) for row, tail in zip(again, tails, strict=True)]
        intervals = [Interval(float(low), float(high)) for low, high in bounds]
    terms = [Term(float(value), interval) for value, interval in zip(values, intervals, strict=True)]
    return Attribution(
        total=terms[-1],
        shares=tuple(terms[:-1]),
        before_ns=math.exp(float(np.median(logs[0]))),
        after_ns=math.exp(float(np.median(logs[-1]))),
        launches=launches,
        separate=len(set(run_of)) > 1,
        run_sd=run_sd,
    )
