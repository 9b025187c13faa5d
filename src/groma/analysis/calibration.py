"""Calibration of a run's comparisons: points beside copies of themselves, some slowed by a known amount.

An equal copy must not be called different from its point. The ratio of a slowed copy is known and must lie in its
interval. The scatter of the ratios of equal copies in this run says which difference the run would detect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare import SIGNIFICANCE, Comparison, Paired, compare_points
from groma.analysis.compare.exact import signed_rank_rows
from groma.analysis.distributions import binomial_at_most
from groma.analysis.grouping import relevant_fields
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.rows import median
from groma.analysis.summary import PointSummary

POWER = 0.8
_RESAMPLES = 400
_COPY_FIELDS = ("twin", "added_ns")
# Relative differences to try, from 0.25 % to 100 %, in steps that are small enough not to matter.
_TRIED = np.expm1(np.linspace(math.log1p(0.0025), math.log1p(1.0), 120))


@dataclass(frozen=True)
class Pair:
    """A copy and its point; `planted` is the share by which the copy was slowed, 0 for an equal copy."""

    point: PointSummary
    comparison: Comparison
    planted: float

    @property
    def log_ratios(self) -> NDArray[np.float64]:
        """The natural logarithm of the ratio in each launch."""
        shift = self.comparison.shift
        return shift.values if isinstance(shift, Paired) else np.empty(0, dtype=np.float64)

    @property
    def called_different(self) -> bool:
        """True if the test of the comparison finds a difference."""
        return self.comparison.p is not None and self.comparison.p <= SIGNIFICANCE

    @property
    def held(self) -> bool:
        """True if the interval of the ratio contains the known ratio."""
        return self.comparison.interval is not None and 1 + self.planted in self.comparison.interval


@dataclass(frozen=True)
class Calibration:
    """The pairs of a run that have enough launches for a test."""

    pairs: tuple[Pair, ...]

    @property
    def equal(self) -> list[Pair]:
        """Pairs with an equal copy."""
        return [pair for pair in self.pairs if not pair.planted]

    @property
    def slowed(self) -> list[Pair]:
        """Pairs with a slowed copy."""
        return [pair for pair in self.pairs if pair.planted]

    @property
    def detectable(self) -> list[tuple[PointSummary, float]]:
        """The smallest relative difference that is detected with `POWER`, at each point that has an equal copy."""
        return [(pair.point, detectable(pair.log_ratios)) for pair in self.equal]

    @property
    def doubtful(self) -> bool:
        """True if ratios miss their intervals, or equal copies are called different, more often than by chance."""
        missed = sum(not pair.held for pair in self.pairs)
        false = sum(pair.called_different for pair in self.equal)
        return any(
            count > 0 and binomial_at_most(total, 1 - SIGNIFICANCE)[total - count] < 0.01
            for count, total in ((missed, len(self.pairs)), (false, len(self.equal)))
        )


def calibration_of(summaries: Sequence[PointSummary], copies: Sequence[PointSummary]) -> Calibration | None:
    """Return the calibration of a run's points by their copies; None without copies, or with too few launches."""
    if not copies:
        return None
    points = {_name(summary): summary for summary in summaries}
    pairs = []
    for copy in copies:
        point = points.get(_name(copy))
        if point is None:
            continue
        compared = compare_points(copy, point)
        if compared.launches >= MINIMUM_FOR_INTERVAL and compared.is_paired:
            added_ns = float(copy.point.get("added_ns", 0.0)) / copy.divisor
            pairs.append(Pair(point, compared, added_ns / point.time_ns))
    return Calibration(tuple(pairs)) if pairs else None


def detectable(log_ratios: NDArray[np.float64], seed: int = 0) -> float:
    """Return the smallest relative difference that the signed-rank test detects with `POWER` in as many launches.

    The logarithms of ratios that are truly 1 are centred at their median, resampled and shifted.
    """
    random = np.random.default_rng(seed)
    centred = log_ratios - median(log_ratios)
    drawn = centred[random.integers(0, centred.size, (_RESAMPLES, centred.size))]
    for difference in _TRIED:
        if power(drawn, math.log1p(difference)) >= POWER:
            return float(difference)
    return float(_TRIED[-1])


def power(drawn: NDArray[np.float64], shift: float) -> float:
    """Return the share of the rows in which the test finds a difference after adding `shift`."""
    return float((signed_rank_rows(drawn + shift) <= SIGNIFICANCE).mean())


def _name(summary: PointSummary) -> str:
    fields = {name: value for name, value in relevant_fields(summary.point).items() if name not in _COPY_FIELDS}
    return repr((summary.ranks, summary.variant, sorted(fields.items())))
