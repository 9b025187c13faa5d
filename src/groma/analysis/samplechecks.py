"""Checks of the samples of single points: steady state, autocorrelation, length of blocks, tails and peaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groma.analysis.peaks import in_words, two_groups
from groma.analysis.remedies import lengthen_blocks, measure_longer
from groma.analysis.runtable import Rows, derived
from groma.analysis.steadiness import steady_state
from groma.analysis.summary import PointSummary, where
from groma.analysis.tails import has_tail, mean_over_median_interval
from groma.text.checks import Check
from groma.text.counts import first_names

# With fewer independent samples, the interval of a launch's median covers most of its range.
FEWEST_INDEPENDENT = 10
_NAMED = 3


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
