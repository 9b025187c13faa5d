"""Checks of the samples of single points: steady state, autocorrelation, length of blocks, tails and peaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groma.analysis.order import Interval, median_interval
from groma.analysis.peaks import in_words, two_groups
from groma.analysis.remedies import lengthen_blocks, measure_longer
from groma.analysis.runtable import Rows, derived
from groma.analysis.steadiness import steady_state
from groma.analysis.summary import PointSummary, where
from groma.text.checks import Check
from groma.text.counts import first_names

# With fewer independent samples, the interval of a launch's median covers most of its range.
FEWEST_INDEPENDENT = 10
_NAMED = 3
# A tail is reported if it certainly moves the mean by this factor.
MEAN_OVER_MEDIAN_LIMIT = 1.2
_DEVIATIONS = 1.96  # of a 95 % interval


def has_tail(point: PointSummary) -> bool:
    """Return whether slow calls certainly move the mean away from the median."""
    interval = mean_over_median_interval(point.rows) if _often(_longer_means(point.rows)) else None
    return interval is not None and interval.low > MEAN_OVER_MEDIAN_LIMIT


@derived
def _longer_means(rows: Rows) -> NDArray[np.bool_]:
    return rows["tail_mean_ns"] > MEAN_OVER_MEDIAN_LIMIT * rows["tail_median_ns"]


def mean_over_median_interval(rows: Rows) -> Interval | None:
    """Return between which bounds the mean over the median lies; None if it is not known.

    Over launches: the interval of the median, or the range of fewer. A single launch has as many chances to be wrong
    as it has slow calls: their number is as uncertain as that of rare events is.
    """
    ratios = rows["mean_over_median"]
    ratios = ratios[~np.isnan(ratios)]
    if ratios.size > 1:
        return median_interval(ratios) or Interval(float(ratios.min()), float(ratios.max()))
    if not ratios.size:
        return None
    known = ~np.isnan(rows["tail_mean_ns"])
    slow_calls = float((rows["slow_share"] * rows["tail_values"])[known][0])
    excess = float(ratios[0]) - 1
    off = excess * min(1.0, _DEVIATIONS / np.sqrt(slow_calls)) if slow_calls else excess
    return Interval(1 + excess - off, 1 + excess + off)


def in_blocks(point: PointSummary) -> bool:
    """Return whether a sample of the point is the mean over several calls."""
    return bool((point.rows["repetitions_per_sample"] > 1).any())


def checks(summaries: list[PointSummary]) -> list[Check]:
    """Return the checks; that of the steady state is missing if no record has it (older engines)."""
    return [
        *steady_state(summaries),
        *_autocorrelation(summaries),
        *_blocks(summaries),
        *_tails(summaries),
        *peaks(summaries),
    ]


def _autocorrelation(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose autocorrelation leaves a launch too few independent samples."""
    dependent = [point for point in summaries if _often(_dependent(point.rows))]
    if not dependent:
        return []
    words = f"had fewer than {FEWEST_INDEPENDENT} effective samples per launch"
    if all(point.interval_kind == "launches" for point in dependent):
        return [
            Check("autocorrelation", "good", _sentence(dependent, f"{words}: the interval over launches holds that"))
        ]
    return [
        Check("autocorrelation", "warn", _sentence(dependent, f"{words}; measure with {measure_longer(dependent)}"))
    ]


@derived
def _dependent(rows: Rows) -> NDArray[np.bool_]:
    return rows["effective_samples"] < np.minimum(FEWEST_INDEPENDENT, rows["samples"] / 2)


def _blocks(summaries: list[PointSummary]) -> list[Check]:
    short = [point for point in summaries if _often(point.rows["block_short"] > 0)]
    if not short:
        return []
    words = f"had blocks shorter than block_s or too short for a mean over calls; measure with {lengthen_blocks(short)}"
    return [Check("blocks", "warn", _sentence(short, words))]


def _tails(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose mean over calls differs from their median because of slow calls."""
    ratios = {point: point.value("mean_over_median") or 0.0 for point in summaries if has_tail(point)}
    if not ratios:
        return []
    named = sorted(ratios, key=lambda point: -ratios[point])
    listed = first_names([f"{where(point)} {ratios[point]:.3g}x{_bounds(point)}" for point in named], _NAMED)
    return [Check("tails", "warn", f"Slow calls raise the mean above the median of calls: {listed}.")]


def _bounds(point: PointSummary) -> str:
    interval = mean_over_median_interval(point.rows)
    return f" ({interval.low:.3g} to {interval.high:.3g})" if interval and interval.high > interval.low else ""


def peaks(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose launches form two groups, so that their median represents neither."""
    divided = {point: groups for point in summaries if (groups := two_groups(point.launch_times_ns))}
    if not divided:
        return []
    named = [f"{where(point)} ({in_words(list(groups))} of launches)" for point, groups in divided.items()]
    text = (
        f"Launches form two groups, and their median represents neither: {first_names(named, _NAMED)}; "
        "compare placement and library settings of the launches."
    )
    return [Check("peaks", "warn", text)]


def _often(holds: NDArray[np.bool_]) -> bool:
    return bool(2 * int(holds.sum()) >= holds.size > 0)


def _sentence(points: list[PointSummary], words: str) -> str:
    return f"{first_names([where(point) for point in points], _NAMED)} {words}."
