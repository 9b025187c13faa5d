"""Checks of single points: steady state, autocorrelation, length of blocks, tails and peaks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.analysis.launchpoint import Tail
from groma.analysis.peaks import in_words, two_groups
from groma.analysis.summary import where
from groma.checks import Check
from groma.counts import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.analysis.launchpoint import LaunchPoint
    from groma.analysis.summary import PointSummary

Doubt = Literal["unsteady", "slower", "changed", "unseen"]

_DOUBTS: dict[Doubt, str] = {
    "unsteady": "had no steady state: levels changed during the measurement; give it more time (slot_s)",
    "slower": "became slower during the measurement; the figure is the later level",
    "changed": "had a different time when measured again at the end of a launch; the figure is of the first visit",
    "unseen": "may still be in a slow start: the calls before the samples were not steady or too few (settle_s)",
}

# A tail is reported where it moves the mean by this factor and has at least this share of the calls.
MEAN_OVER_MEDIAN_LIMIT = 1.2
SLOW_SHARE_LIMIT = 0.01
# With fewer independent samples, the interval of a launch's median covers most of its range.
FEWEST_INDEPENDENT = 10
_NAMED = 3
_MEMBERS_OF_TAIL = ("mean_ns", "median_ns", "slow_share")


def checks(summaries: list[PointSummary]) -> list[Check]:
    """Return the checks; that of the steady state is missing where no record has it (older engines)."""
    judged = [
        summary
        for summary in summaries
        if any(launch.state != "unknown" or launch.verified is not None for launch in summary.launches)
    ]
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
        doubts: Counter[Doubt] = Counter(doubt for launch in point.launches if (doubt := doubt_of(launch)))
        if doubts and 2 * doubts.total() >= len(point.launches):
            doubtful[doubts.most_common(1)[0][0]].append(point)
    doubt_text = " ".join(filter(None, (_sentence(doubtful[doubt], words) for doubt, words in _DOUBTS.items())))
    if doubt_text:
        return [Check("steady state", "warn", doubt_text)]
    trimmed = sum(launch.discarded > 0 for point in judged for launch in point.launches)
    dropped = f"; samples before it were discarded in {trimmed} series of samples" if trimmed else ""
    text = f"All {counted(len(judged), 'point')} were measured in a steady state{dropped}."
    return [Check("steady state", "good", text)]


def doubt_of(launch: LaunchPoint) -> Doubt | None:
    """Return why the figure of one launch may not be that of a steady state; None without a reason."""
    if launch.state == "unsteady":
        return "unsteady"
    if "slowdown" in (launch.state, launch.calls_state):
        return "slower"
    if launch.revisit and launch.revisit.agrees is False:
        return "changed"
    return "unseen" if launch.verified is False else None


def _autocorrelation(summaries: list[PointSummary]) -> list[Check]:
    """Name the points whose autocorrelation leaves a launch too few independent samples."""
    dependent = [
        point
        for point in summaries
        if _often(point, lambda launch: launch.effective_samples < min(FEWEST_INDEPENDENT, launch.times_ns.size / 2))
    ]
    words = (
        f"had autocorrelated samples, worth fewer than {FEWEST_INDEPENDENT} independent ones in a launch; "
        "give it more time (slot_s)"
    )
    return [Check("autocorrelation", "warn", _sentence(dependent, words))] if dependent else []


def _blocks(summaries: list[PointSummary]) -> list[Check]:
    short = [point for point in summaries if _often(point, lambda launch: launch.block_short)]
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
    """Tell whether the point had no steady state in half of its launches or more."""
    return _often(point, lambda launch: launch.state == "unsteady")


def has_tail(point: PointSummary) -> bool:
    """Tell whether slow calls recur so that mean and median differ, in half of the launches or more."""
    return _often(
        point,
        lambda launch: (
            launch.tail is not None
            and launch.tail.mean_over_median > MEAN_OVER_MEDIAN_LIMIT
            and launch.tail.slow_share >= SLOW_SHARE_LIMIT
        ),
    )


def mean_over_median(point: PointSummary) -> float | None:
    """Return the mean of single calls over their median, as the median over launches; None where it is not known."""
    ratios = [launch.tail.mean_over_median for launch in point.launches if launch.tail]
    return float(np.median(ratios)) if ratios else None


def tail_of(point: PointSummary) -> Tail | None:
    """Return the tail of single calls, each member as the median over launches; None where it is not known."""
    tails = [launch.tail for launch in point.launches if launch.tail]
    if not tails:
        return None
    return Tail(*(float(np.median([getattr(tail, name) for tail in tails])) for name in _MEMBERS_OF_TAIL))


def in_blocks(point: PointSummary) -> bool:
    """Tell whether a sample of the point is the mean over several calls."""
    return any(launch.repetitions > launch.times_ns.size for launch in point.launches)


def _often(point: PointSummary, holds: Callable[[LaunchPoint], bool]) -> bool:
    return 2 * sum(map(holds, point.launches)) >= len(point.launches) > 0


def _sentence(points: list[PointSummary], words: str) -> str:
    if not points:
        return ""
    names = ", ".join(map(where, points[:_NAMED]))
    return f"{names} and {len(points) - _NAMED} more {words}." if len(points) > _NAMED else f"{names} {words}."
