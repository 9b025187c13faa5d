"""Check of the steady state: which points changed levels in how many launches, and what was seen of a slow start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare import another_run
from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.order import Interval
from groma.analysis.remedies import measure_longer, settle_longer
from groma.analysis.rows import median
from groma.analysis.runtable import Rows, derived
from groma.analysis.summary import PointSummary, where
from groma.text.checks import Check, State
from groma.text.counts import all_of, counted, first_names
from groma.text.sizes import format_size

Doubt = Literal["unsteady", "slower", "changed", "unseen"]

_DOUBTS: dict[Doubt, str] = {
    "unsteady": "had no steady state",
    "slower": "became slower",
    "changed": "differed when measured again at the end of the launch",
    "unseen": "may still have been warming up",
}
# Which value the figure is, where there are several.
_FIGURE: dict[Doubt, str] = {"slower": " (the later level is shown)", "changed": " (the first value is shown)"}
_REMEDIES = {"unsteady": measure_longer, "unseen": settle_longer}
_NAMES_OF_DOUBTS = list(_DOUBTS)
_UNSTEADY, _SLOWER, _CHANGED, _UNSEEN = range(len(_DOUBTS))

# A point is an alarm if this share of its launches is in doubt: all. On a machine that others disturb, nearly nine of
# ten launches are in doubt without a cause in the library: docs/steady.md has that share, which must stay below.
ALARM_SHARE = 1.0
# With this share of launches in doubt, the point is never called steady.
OPEN_SHARE = 0.5
# Levels closer than this are one, as in the engine.
_SAME_LEVEL = 0.015
# Samples that are worth this many times fewer independent ones, and whose quartiles are this far apart, go
# from level to level, even if the engine saw one: it trusts the median of a level that takes two thirds of the time.
_PHASES_INFLATION, _PHASES_SPREAD = 4, 0.15
_NAMED = 3
_TENTHS = ("tenth_ns", "nine_tenths_ns")


@dataclass(frozen=True)
class SteadyVerdict:
    """Steady state of a point over its launches; `doubt` is the most frequent one.

    `alarm`: all launches are in doubt. `open`: half of them, or more, or as many had no steady state although
    the interval over launches holds their levels. `covered`: it holds those of half of the launches. `some`: any launch
    is in doubt or had no steady state.
    """

    doubt: Doubt | None
    alarm: bool
    open: bool
    covered: bool
    some: bool


def steady_state(summaries: Sequence[PointSummary]) -> list[Check]:
    """Say which points had no steady state; nothing if no record says so (older engines)."""
    judged = {point: _judge(point) for point in summaries if is_judged(point)}
    if not judged:
        return []
    alarms = [point for point, found in judged.items() if found.alarm]
    undecided = [point for point, found in judged.items() if found.open and not found.alarm]
    others = {point: found for point, found in judged.items() if not found.open}
    some = [point for point, found in others.items() if found.some and not found.covered]
    covered = sum(found.covered for found in others.values())
    state: State = "warn" if alarms else "unknown" if undecided else "good"
    worst = {point: judged[point] for point in alarms or undecided}
    texts = [_worst(worst, is_alarm=bool(alarms))]
    if worst:
        doubted = [f"in at least half of the launches {len(undecided)}" * bool(alarms and undecided)]
        doubted += [f"in fewer {len(some)}" * bool(some)]
        texts += [f"More points in doubt: {', '.join(filter(None, doubted))}." if any(doubted) else ""]
        texts += [_remedy(worst) if alarms else ""]
    else:
        counts = [
            f"{counted(len(some), 'point')} changed level in fewer than half of the launches{_widest(some)}"
            * bool(some),
            f"{counted(covered, 'point')} changed level within the interval over launches" * bool(covered),
            *_steady(list(judged), len(others) - len(some) - covered),
        ]
        texts = [_sentence(counts), _unseen(list(judged))]
    return [Check("steady state", state, " ".join(filter(None, texts)))]


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(filter(None, parts))
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _worst(points: dict[PointSummary, SteadyVerdict], *, is_alarm: bool) -> str:
    """Name the points by their doubts; if the check is open, say that other programs are a common cause."""
    if not points:
        return ""
    told = []
    for doubt, words in _DOUBTS.items():
        named = [where(point) for point, found in points.items() if found.doubt == doubt]
        if named:
            told.append(f"{first_names(named, _NAMED)} {words}{_FIGURE.get(doubt, '')}")
    text = "; ".join(told)
    if is_alarm:
        return f"{text}."
    return f"In at least half of the launches (common on a disturbed machine), {text}{_widest(list(points))}."


def _remedy(points: dict[PointSummary, SteadyVerdict]) -> str:
    """Return the settings that help the points of an alarm; empty if no setting does."""
    settings = [
        remedy(some)
        for doubt, remedy in _REMEDIES.items()
        if (some := [point for point, found in points.items() if found.doubt == doubt])
    ]
    return f"Measure with {' '.join(settings)}." if settings else ""


def _widest(points: Sequence[PointSummary]) -> str:
    """Name the point whose levels, in launches without a steady state, were furthest apart; empty if unknown."""
    known = {point: levels for point in points if (levels := unsteady_levels(point))}
    if not known:
        return ""
    point, levels = max(known.items(), key=lambda one: one[1].high / one[1].low)
    return f" (widest: {where(point)}, {levels_in_words(levels)})"


def _steady(points: list[PointSummary], steady: int) -> list[str]:
    """Say how many points kept one level; that this was a steady state only if all saw a slow start to its end."""
    if not steady:
        return []
    if steady < len(points):
        text = f"{steady} of {counted(len(points), 'point')} kept one level"
    elif any(map(is_longer_unseen, points)):
        text = f"{all_of(steady, 'point')} kept one level while measured"
    else:
        text = f"{all_of(steady, 'point')} {'was' if steady == 1 else 'were'} measured in a steady state"
    trimmed = sum(int((point.rows["discarded"] > 0).sum()) for point in points)
    return [text, f"slow starts were discarded in {trimmed} series of samples"] if trimmed else [text]


def _unseen(points: list[PointSummary]) -> str:
    short = [point for point in points if is_longer_unseen(point)]
    if not short:
        return ""
    named = first_names([where(point) for point in short], _NAMED)
    some = len(short) < len(points)
    those = f"{len(short)} of {counted(len(points), 'point')}" if some else all_of(len(points), "point")
    return f"In {those} ({named}) {unseen(short)}."


def _judge(point: PointSummary) -> SteadyVerdict:
    doubts, unsteady = _first_doubts(point.rows), _unsteady(point.rows)
    if (doubts < 0).all():
        return SteadyVerdict(None, alarm=False, open=False, covered=False, some=False)
    uncovered = _not_covered(point, doubts)
    alarm, covered = _share(uncovered >= 0) >= ALARM_SHARE, _share(doubts >= 0) >= OPEN_SHARE
    doubtful = (uncovered >= 0) | unsteady
    is_open = _share(doubtful) >= OPEN_SHARE
    doubt = _most_frequent(uncovered if alarm else doubts) if is_open else None
    return SteadyVerdict(doubt, alarm, is_open, covered, bool(doubtful.any()))


def _share(holds: NDArray[np.bool_]) -> float:
    return int(holds.sum()) / holds.size


def _most_frequent(doubts: NDArray[np.int64]) -> Doubt:
    counts = np.bincount(doubts + 1, minlength=1 + len(_DOUBTS))[1:]
    return _NAMES_OF_DOUBTS[int(counts.argmax())]


def is_judged(point: PointSummary) -> bool:
    """Return whether a launch of the point says how steady its calls or samples were."""
    return not bool(_not_judged(point.rows).all())


def is_unsteady(point: PointSummary, *, alarm: bool = False) -> bool:
    """Return whether half of the launches of the point or more are in doubt, mostly without a steady state.

    With `alarm`, whether all are, as the check's alarm needs.
    """
    found = _judge(point)
    return found.doubt == "unsteady" and (found.alarm or not alarm)


def unsteady_levels(point: PointSummary) -> Interval | None:
    """Return between which levels launches without a steady state went, as medians over them; None without any."""
    unsteady = _unsteady(point.rows) & ~np.isnan(point.rows[_TENTHS[0]])
    if not unsteady.any():
        return None
    least, most = (median(point.rows[name][unsteady]) for name in _TENTHS)
    return Interval(least, most) if least > 0 else None


def levels_in_words(levels: Interval) -> str:
    """Return `80% of samples in 7.2 to 8.9 us`."""
    return f"80% of samples in {levels.text(factor=1e-3)} µs"


def _not_covered(point: PointSummary, doubts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the doubts without those about levels that the interval over launches holds (-1 in their place).

    Of calls before the samples that became slower, the faster level is not known.
    """
    if point.sampling_interval is None or point.interval_kind != "launches":
        return doubts
    levels = np.array([*_levels(point.rows), _second_visits(point.rows)])
    another = math.exp(another_run(np.log(point.launch_times_ns)).reach)
    wider = np.where(doubts == _UNSTEADY, another, 1.0)  # phases within what another run may give anyway
    low = np.minimum((1 - _SAME_LEVEL) * point.sampling_interval.low, point.time_ns / wider)
    high = np.maximum((1 + _SAME_LEVEL) * point.sampling_interval.high, point.time_ns * wider)
    held = ((levels >= low) & (levels <= high)).all(axis=0)
    known = np.where(doubts == _SLOWER, _is(point.rows, "state", "slowdown"), doubts != _UNSEEN)
    return np.where(held & known, -1, doubts)


def _levels(rows: Rows) -> NDArray[np.float64]:
    """Return the fastest and the slowest level of each launch: of samples where segments may hold faster phases."""
    of_segments = np.array([rows["level_least_ns"], rows["level_most_ns"]])
    return np.where(_unsteady(rows), np.array([rows[name] for name in _TENTHS]), of_segments)


def _second_visits(rows: Rows) -> NDArray[np.float64]:
    """Return the median of the second visit in each launch; of the first if there was none."""
    return rows["median_ns"] * np.where(np.isnan(rows["revisit_ratio"]), 1, rows["revisit_ratio"])


def doubt_of(launch: LaunchPoint) -> Doubt | None:
    """Return why the figure of one launch may not be that of a steady state; None without a reason."""
    first = int(_first_doubts(launch.rows)[0])
    return None if first < 0 else _NAMES_OF_DOUBTS[first]


@derived
def _first_doubts(rows: Rows) -> NDArray[np.int64]:
    """Return the place in `_DOUBTS` of the first doubt that holds in each launch; -1 without one."""
    slower = _is(rows, "state", "slowdown") | _is(rows, "calls_state", "slowdown")
    unsteady, changed, unseen = _unsteady(rows), rows["revisit_agrees"] == 0, rows["verified"] == 0
    return np.select([unsteady, slower, changed, unseen], (_UNSTEADY, _SLOWER, _CHANGED, _UNSEEN), -1)


@derived
def _unsteady(rows: Rows) -> NDArray[np.bool_]:
    dependent = rows["samples"] >= _PHASES_INFLATION * rows["effective_samples"]
    phases = dependent & (rows["spread"] > _PHASES_SPREAD) & ~_not_judged(rows) & ~_is(rows, "state", "unknown")
    return _is(rows, "state", "unsteady") | phases


def _is(rows: Rows, name: str, word: str) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = rows.codes(name) == rows.table.code(word)
    return equal


@derived
def _not_judged(rows: Rows) -> NDArray[np.bool_]:
    return _is(rows, "state", "unknown") & np.isnan(rows["verified"])


# Messages from one rank that a slow start can last: what the engine looks for (engine/groma/stopping/settle.hpp).
LONGEST_SLOW_START = 5000


def is_longer_unseen(point: PointSummary) -> bool:
    """Return whether a slow start can last longer than what half of the launches of the point saw, or more of them."""
    short = _short(point.rows)
    return bool(2 * int(short.sum()) >= short.size)


@derived
def _short(rows: Rows) -> NDArray[np.bool_]:
    return rows["messages_seen"] < LONGEST_SLOW_START


def unseen(points: Sequence[PointSummary]) -> str:
    """Say how many calls and bytes were seen of points whose slow start can last longer."""
    calls, sizes = (sorted(int(median(point.rows[name])) for point in points) for name in ("calls_seen", "bytes_seen"))
    size = f" ({_range([format_size(size) for size in sizes])})" if sizes[-1] else ""
    return f"{_range(calls)} calls{size} were seen in a launch: a slow start that lasts longer is unseen"


def _range(ordered: Sequence[object]) -> str:
    return " to ".join(dict.fromkeys(str(ordered[place]) for place in (0, -1)))
