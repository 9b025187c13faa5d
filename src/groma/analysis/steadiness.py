"""Checks of single points: steady state, autocorrelation, length of blocks, tails and peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.analysis.launchpoint import Tail
from groma.analysis.launchtable import MEDIAN
from groma.analysis.peaks import in_words, two_groups
from groma.analysis.summary import where
from groma.checks import Check
from groma.counts import all_of, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.analysis.launchpoint import LaunchPoint
    from groma.analysis.runtable import Rows
    from groma.analysis.summary import PointSummary

Doubt = Literal["unsteady", "slower", "changed", "unseen"]

_DOUBTS: dict[Doubt, str] = {
    "unsteady": "had no steady state: levels changed during the measurement; give it more time (slot_s)",
    "slower": "became slower during the measurement; the figure is the later level",
    "changed": "had a different time when measured again at the end of a launch; the figure is of the first visit",
    "unseen": "may still be in a slow start: the calls before the samples were not steady or too few (settle_s)",
}

_WITHIN_INTERVALS = "changed levels during the measurement, by no more than the interval over launches holds"
_NAMES_OF_DOUBTS = list(_DOUBTS)
_UNSTEADY, _SLOWER, _CHANGED, _UNSEEN = range(len(_DOUBTS))

# Levels closer than this are one, as in the engine.
_SAME_LEVEL = 0.015

# A tail is reported where it moves the mean by this factor and has at least this share of the calls.
MEAN_OVER_MEDIAN_LIMIT = 1.2
SLOW_SHARE_LIMIT = 0.01
# With fewer independent samples, the interval of a launch's median covers most of its range.
FEWEST_INDEPENDENT = 10
_NAMED = 3
_MEMBERS_OF_TAIL = ("tail_mean_ns", "tail_median_ns", "slow_share")


def checks(summaries: list[PointSummary]) -> list[Check]:
    """Return the checks; that of the steady state is missing where no record has it (older engines)."""
    judged = [summary for summary in summaries if not summary.rows.derived("not judged", _not_judged).all()]
    return [
        *_steady_state(judged),
        *_autocorrelation(summaries),
        *_blocks(summaries),
        *_tails(summaries),
        *_peaks(summaries),
    ]


def _steady_state(judged: list[PointSummary]) -> list[Check]:
    """Name the points that were doubtful in at least half of their launches, each with its most frequent doubt."""
    if not judged:
        return []
    doubtful: dict[Doubt, list[PointSummary]] = {doubt: [] for doubt in _DOUBTS}
    covered = 0
    for point in judged:
        if doubt := _doubt_of_point(point):
            doubtful[doubt].append(point)
        else:
            covered += _most_frequent(_first_doubts(point.rows)) is not None
    doubt_text = " ".join(filter(None, (_sentence(doubtful[doubt], words) for doubt, words in _DOUBTS.items())))
    if doubt_text:
        others = f" {counted(covered, 'other point')} {_WITHIN_INTERVALS}." if covered else ""
        return [Check("steady state", "warn", doubt_text + others)]
    return [Check("steady state", "good", _steady_text(judged, covered))]


def _steady_text(judged: list[PointSummary], covered: int) -> str:
    trimmed = sum(int((point.rows["discarded"] > 0).sum()) for point in judged)
    dropped = f"; samples before it were discarded in {trimmed} series of samples" if trimmed else ""
    if not covered:
        were = "was" if len(judged) == 1 else "were"
        return f"{all_of(len(judged), 'point')} {were} measured in a steady state{dropped}.".capitalize()
    return f"{covered} of {counted(len(judged), 'point')} {_WITHIN_INTERVALS}; the rest had a steady state{dropped}."


def _doubt_of_point(point: PointSummary) -> Doubt | None:
    """Return the most frequent doubt that the interval does not cover, if half of the launches have one."""
    return _most_frequent(_not_covered(point, _first_doubts(point.rows)))


def _most_frequent(doubts: NDArray[np.int64]) -> Doubt | None:
    """Return the most frequent of the launches' doubts (-1: none) if at least half of the launches have one."""
    counts = np.bincount(doubts + 1, minlength=1 + len(_DOUBTS))[1:]
    if not counts.any() or 2 * int(counts.sum()) < doubts.size:
        return None
    return _NAMES_OF_DOUBTS[int(counts.argmax())]


def _not_covered(point: PointSummary, doubts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the doubts without those about levels that the interval over launches holds (-1 in their place).

    Of calls before the samples that became slower, the faster level is not known.
    """
    if point.interval is None or point.interval_kind != "launches":
        return doubts
    low, high = (1 - _SAME_LEVEL) * point.interval.low, (1 + _SAME_LEVEL) * point.interval.high
    levels = np.array([point.rows["level_least_ns"], point.rows["level_most_ns"], _second_visits(point.rows)])
    held = ((levels >= low) & (levels <= high)).all(axis=0)
    known = np.where(doubts == _SLOWER, _is(point.rows, "state", "slowdown"), doubts != _UNSEEN)
    return np.where(held & known, -1, doubts)


def _second_visits(rows: Rows) -> NDArray[np.float64]:
    """Return the median of the second visit in each launch; where there was none, of the first."""
    return rows[MEDIAN] * np.where(np.isnan(rows["revisit_ratio"]), 1, rows["revisit_ratio"])


def doubt_of(launch: LaunchPoint) -> Doubt | None:
    """Return why the figure of one launch may not be that of a steady state; None without a reason."""
    first = int(_first_doubts(launch.rows)[0])
    return None if first < 0 else _NAMES_OF_DOUBTS[first]


def _first_doubts(rows: Rows) -> NDArray[np.int64]:
    """Return the place in `_DOUBTS` of the first doubt that holds in each launch; -1 without one."""
    return rows.derived("first doubt", _first_doubts_of)


def _first_doubts_of(rows: Rows) -> NDArray[np.int64]:
    slower = _is(rows, "state", "slowdown") | _is(rows, "calls_state", "slowdown")
    unsteady, changed, unseen = _is(rows, "state", "unsteady"), rows["revisit_agrees"] == 0, rows["verified"] == 0
    return np.select([unsteady, slower, changed, unseen], (_UNSTEADY, _SLOWER, _CHANGED, _UNSEEN), -1)


def _is(rows: Rows, name: str, word: str) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = rows.codes(name) == rows.table.code(word)
    return equal


def _not_judged(rows: Rows) -> NDArray[np.bool_]:
    return _is(rows, "state", "unknown") & np.isnan(rows["verified"])


def _autocorrelation(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose autocorrelation leaves a launch too few independent samples."""
    dependent = [point for point in summaries if _often(point.rows.derived("dependent", _dependent))]
    words = (
        f"had autocorrelated samples, worth fewer than {FEWEST_INDEPENDENT} independent ones in a launch; "
        "give it more time (slot_s)"
    )
    return [Check("autocorrelation", "warn", _sentence(dependent, words))] if dependent else []


def _dependent(rows: Rows) -> NDArray[np.bool_]:
    few: NDArray[np.bool_] = rows["effective_samples"] < np.minimum(FEWEST_INDEPENDENT, rows["samples"] / 2)
    return few


def _blocks(summaries: list[PointSummary]) -> list[Check]:
    short = [
        point for point in summaries if _often(point.rows.derived("short blocks", lambda rows: rows["block_short"] > 0))
    ]
    text = _sentence(short, "had blocks too short for a mean over calls or for block_s; raise slot_s")
    return [Check("blocks", "warn", text)] if text else []


def _tails(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose mean over calls differs from their median because of a tail of slow calls."""
    ratios = {point: mean_over_median(point) for point in summaries if has_tail(point)}
    if not ratios:
        return []
    named = sorted(ratios, key=lambda point: -(ratios[point] or 0.0))
    listed = ", ".join(f"{where(point)} {ratios[point]:.3g}x" for point in named[:_NAMED])
    rest = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return [Check("tails", "warn", f"Some calls take much longer: mean over median of single calls {listed}{rest}.")]


def _peaks(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose launches form two groups, so that their median represents neither."""
    divided = {point: groups for point in summaries if (groups := two_groups(point.launch_times_ns))}
    if not divided:
        return []
    named = [f"{where(point)} ({in_words(list(groups))} of launches)" for point, groups in divided.items()]
    rest = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    text = (
        f"Launches form two groups, and their median represents neither: {', '.join(named[:_NAMED])}{rest}; "
        "compare placement and library settings of the launches."
    )
    return [Check("peaks", "warn", text)]


def is_unsteady(point: PointSummary) -> bool:
    """Tell whether the check of the steady state says of the point that it had none."""
    return _doubt_of_point(point) == "unsteady"


def has_tail(point: PointSummary) -> bool:
    """Tell whether slow calls recur so that mean and median differ, in half of the launches or more."""
    return _often(point.rows.derived("tail", _tailed))


def _tailed(rows: Rows) -> NDArray[np.bool_]:
    tailed: NDArray[np.bool_] = rows["slow_share"] >= SLOW_SHARE_LIMIT
    return tailed & (_means_over_medians(rows) > MEAN_OVER_MEDIAN_LIMIT)


def mean_over_median(point: PointSummary) -> float | None:
    """Return the mean of single calls over their median, as the median over launches; None where it is not known."""
    ratios = _means_over_medians(point.rows)
    known = ratios[~np.isnan(ratios)]
    return float(np.median(known)) if known.size else None


def _means_over_medians(rows: Rows) -> NDArray[np.float64]:
    return rows["tail_mean_ns"] / rows["tail_median_ns"]


def tail_of(point: PointSummary) -> Tail | None:
    """Return the tail of single calls, each member as the median over launches; None where it is not known."""
    known = ~np.isnan(point.rows["tail_mean_ns"])
    if not known.any():
        return None
    return Tail(*(float(np.median(point.rows[name][known])) for name in _MEMBERS_OF_TAIL))


def in_blocks(point: PointSummary) -> bool:
    """Tell whether a sample of the point is the mean over several calls."""
    return bool((point.rows["repetitions_per_sample"] > 1).any())


def _often(holds: NDArray[np.bool_]) -> bool:
    return bool(2 * int(holds.sum()) >= holds.size > 0)


def _sentence(points: list[PointSummary], words: str) -> str:
    if not points:
        return ""
    names = ", ".join(map(where, points[:_NAMED]))
    return f"{names} and {len(points) - _NAMED} more {words}." if len(points) > _NAMED else f"{names} {words}."
