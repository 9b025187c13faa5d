"""A gate: is anything slower than the baseline? Suspect points are measured again in runs of their own.

The alarm needs both stages: a point is suspect in the first comparison, and the comparison of all its runs finds it
slower, corrected for all points of the plan and not only for the suspects. An alarm is then a part of what that second
test rejects, whatever the first did, so at most 5 % of gates without a regression raise one, if the baseline has runs
enough to know how much figures drift from visit to visit (docs/adr/0024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from groma.analysis import checks, summarise
from groma.analysis.compare import Judged, least_found
from groma.analysis.compare.runs import Basis
from groma.analysis.order import Interval
from groma.analysis.otherruns import key
from groma.decide.comparing import Compared, Row, again, compare_sides
from groma.decide.sides import Side, check_one_plan, check_other_runs
from groma.errors import RunError
from groma.results import Run, load_run
from groma.text.counts import counted

CONFIRMATIONS = 4
MOST_NAMED = 4
# Checks that make a gate advisory, by the state from which on they do.
_DISTURBED = {
    "oversubscription": ("bad",),
    "CPU quota": ("bad",),
    "noise": ("bad",),
    "machine": ("warn", "bad"),
}
# Of launches in turns those that stay: the others strike both sides alike, and the interval contains them.
_IN_TURNS_TOO = ("oversubscription", "CPU quota")


class Code(IntEnum):
    """Result of a gate, as its exit code; `git bisect run` skips a commit at 125."""

    NO_REGRESSION = 0
    FAILED = 1
    BAD_INPUT = 2
    REGRESSION = 4
    NOT_DECIDED = 125


@dataclass(frozen=True)
class Effort:
    """How many launches a gate made, and how many seconds it measured."""

    launches: int
    seconds: float


@dataclass(frozen=True)
class Gate:
    """Result of a gate: its code and sentence, and the comparison with the repeated measurements.

    `effort` is there if it measured. With `skips_undecided` JUnit's XML has undecided points as skipped tests.
    """

    code: Code
    sentence: str
    compared: Compared
    effort: Effort | None = None
    skips_undecided: bool = False


def is_suspect(interval: Interval | None, margin: float) -> bool:
    """Return whether a point has to be measured again: its 95 % interval reaches beyond the margin, or it has none."""
    return interval is None or interval.high > 1 + margin


def is_regression(judged: Judged, basis: Basis) -> bool:
    """Return whether a point is slower, by more than how runs differ explains."""
    return judged.verdict == "slower" and basis != "these runs"


def suspects(compared: Compared) -> list[Row]:
    """Return the points that have to be measured again before a verdict."""
    return [row for row in compared.rows if is_suspect(row.interval, compared.margin)]


def confirmed(compared: Compared, base: Side, now: Side, family: int | None = None) -> Compared:
    """Return the comparison with the suspects decided on all runs of the new side.

    `family` is the number of tests for which they are corrected; None: that of all points.
    """
    return again(base.beside(now), now.beside(base), compared, suspects(compared), family or len(compared.rows))


def decide(compared: Compared, runs: Sequence[Run], *, strict: bool = False) -> Gate:
    """Return the result of the gate; its `runs`, measured for it, decide whether it is advisory."""
    slower = [row for row in compared.rows if is_regression(row.judged, row.basis)]  # none without a common state
    undecided = [row for row in suspects(compared) if row not in slower]
    disturbed = [] if strict else disturbances(runs, compared)
    base, margin = compared.names[0], f"{100 * compared.margin:g} %"
    if slower:
        names = listed([f"{row.label} ({row.ratio:.2f} times, {_interval(row)})" for row in slower])
        sentence = f"{counted(len(slower), 'point')} slower than {base} by more than {margin}: {names}."
        if not disturbed:
            return Gate(Code.REGRESSION, f"Regression: {sentence}", compared)
        sentence = f"Advisory, no verdict: {sentence} {' '.join(disturbed)} Use --strict to decide anyway."
        return Gate(Code.NOT_DECIDED, sentence, compared)
    if undecided:
        names = listed([f"{row.label}, {row.words}" for row in undecided], "; ")
        sentence = f"Not decided: {counted(len(undecided), 'point')} may be slower than {base} by more than {margin}: "
        return Gate(Code.NOT_DECIDED, f"{sentence}{names}.{_passing_margin(undecided)}", compared)
    sentence = (
        f"No regression: none of {counted(len(compared.rows), 'point')} is slower than {base} by more than {margin}."
    )
    return Gate(Code.NO_REGRESSION, sentence + (_least_found(compared) if compared.in_turns else ""), compared)


def _interval(row: Row) -> str:
    """Return the interval of a ratio, such as `1.08 to 1.12`; there is one if a point is slower."""
    return f"{row.interval.low:.2f} to {row.interval.high:.2f}" if row.interval else ""


def _least_found(compared: Compared) -> str:
    """Say which slowdown of any point these launches in turns would have shown."""
    shifts = [row.judged.comparison.shift for row in compared.rows]
    least = max(least_found(shift, math.log1p(compared.margin), len(shifts)) for shift in shifts)
    percent = f"{100 * math.expm1(least):.2g} %" if least < math.log(10) else "tenfold"
    return f" A slowdown of {percent} at any point would have been found in four of five gates."


def decide_on(base: Side, paths: Sequence[Path], margin: float, *, strict: bool) -> Gate:
    """Return the gate's end by runs that exist; raises InputError unless they are one plan's, RunError for a gap."""
    runs = [load_run(path) for path in paths]
    check_one_plan("gate", runs)
    name = paths[0].name or str(paths[0].resolve().name)
    now = Side(name if name != base.name else str(paths[0]), runs)
    check_other_runs(base, now, "name another, or name none to measure again")
    for run in runs:
        if gaps := run.missing():
            raise RunError(f"{run.path} is incomplete, so nothing is decided: {gaps[0]}")
    return decide(compare_sides(base, now, margin), runs, strict=strict)


def _passing_margin(undecided: Sequence[Row]) -> str:
    """Return the smallest margin with which these runs pass, as a sentence; empty if there is none below 100 %."""
    intervals = [row.interval for row in undecided]
    high = max(math.inf if interval is None else interval.high for interval in intervals)
    percent = math.ceil(100 * (high - 1)) if math.isfinite(high) else 100
    return f" These runs pass with a margin of {percent} % or more (--margin)." if percent < 100 else ""


def listed(texts: Sequence[str], between: str = ", ") -> str:
    """Return the first texts, and how many more there are."""
    more = len(texts) - MOST_NAMED
    return between.join(texts[:MOST_NAMED]) + (f"{between}and {more} more" if more > 0 else "")


def disturbances(runs: Sequence[Run], compared: Compared | None = None) -> list[str]:
    """Return the sentences that say that these runs were oversubscribed or disturbed.

    A change of the machine within a run does not count if figures in one state are compared, and of launches in turns
    no disturbance, which both sides have alike.
    """
    states = compared.states if compared else None
    one_state = states is not None and states.one_state
    counts = _IN_TURNS_TOO if compared and compared.in_turns else _DISTURBED
    texts = [] if states is None or one_state else [states.words]
    texts += [
        check.text
        for run in runs
        for check in checks(run, summarise(run))
        if check.name in counts
        and check.state in _DISTURBED[check.name]
        and not (one_state and check.name == "machine")
    ]
    return list(dict.fromkeys(texts))


def places(run: Run, rows: Sequence[Row]) -> list[int]:
    """Return the places in the run's plan of the points of these rows, by the launches that measured them."""
    keys = {key(row.second.ranks, row.second.variant, row.second.point) for row in rows}
    points = [
        launch.plan.points[record.index]
        for launch in run.launches
        if launch.plan is not None
        for record in launch.points
        if key(launch.ranks or 0, launch.variant, record.point) in keys
    ]
    return [
        at
        for at, settings in enumerate(run.meta.plan.points)
        if any(settings.items() <= point.items() for point in points)
    ]
