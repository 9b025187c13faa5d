"""Checks of single points: steady state, autocorrelation, length of blocks, tails and peaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.analysis.launchpoint import Tail
from groma.analysis.peaks import in_words, two_groups
from groma.analysis.summary import where
from groma.checks import Check
from groma.counts import all_of

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

_NAMES_OF_DOUBTS = list(_DOUBTS)

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
    for point in judged:
        if doubt := _doubt_of_point(point):
            doubtful[doubt].append(point)
    doubt_text = " ".join(filter(None, (_sentence(doubtful[doubt], words) for doubt, words in _DOUBTS.items())))
    if doubt_text:
        return [Check("steady state", "warn", doubt_text)]
    trimmed = sum(int((point.rows["discarded"] > 0).sum()) for point in judged)
    dropped = f"; samples before it were discarded in {trimmed} series of samples" if trimmed else ""
    measured = f"{all_of(len(judged), 'point')} {'was' if len(judged) == 1 else 'were'} measured".capitalize()
    text = f"{measured} in a steady state{dropped}."
    return [Check("steady state", "good", text)]


def _doubt_of_point(point: PointSummary) -> Doubt | None:
    """Return the most frequent doubt of a point that was doubtful in at least half of its launches."""
    counts = np.bincount(_first_doubts(point.rows) + 1, minlength=1 + len(_DOUBTS))[1:]
    if not counts.any() or 2 * int(counts.sum()) < len(point.rows):
        return None
    return _NAMES_OF_DOUBTS[int(counts.argmax())]


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
    return np.select([unsteady, slower, changed, unseen], range(len(_DOUBTS)), -1)


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
