"""The verdict on runs by limits: every figure with its interval, which lies within its bounds, outside, or neither.

The unit is the launch, and that of three runs or more the run, as in comparisons (docs/adr/0021, docs/adr/0024). All
intervals of a judgement hold together with 95 %: each has the share of 5 % that is left for it (Bonferroni), and the
verdict is where it lies. They are widened by what the clock may have added (docs/adr/0038).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare import SIGNIFICANCE, Paired, Shift
from groma.analysis.compare.family import MOST_NAMED, fewest_launches, launches_beyond
from groma.analysis.compare.runs import Mean, Sample
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.limits.reading import Limit, Limits
from groma.analysis.limits.units import launch_column
from groma.analysis.order import Interval
from groma.analysis.otherruns import key
from groma.analysis.remedies import resume
from groma.analysis.series import differing_settings, words
from groma.analysis.summary import PointSummary, summarise
from groma.results import Run, load_run
from groma.text.counts import all_of, counted
from groma.text.numbers import DASH, significant

State = Literal["pass", "fail", "not decided", "not measured"]
AGAIN = "again-"  # begins the folders of a run in which a gate measured some of its points again
_NAMED = 3
_LEAST = 1e-12  # a figure of zero has no logarithm
_LEAST_DISTANCE = 0.01  # nearer to a bound than this, no number of further launches is worth naming


@dataclass(frozen=True)
class Line:
    """One limit and one point that it is about; None if the runs lack it.

    `value` and `interval` are in the unit of the limit. `further` is about how many more launches, or runs (`unit`),
    would decide. `apart` has the settings in which the point differs from others that the limit is about.
    """

    limit: Limit
    point: PointSummary | None
    value: float = math.nan
    interval: Interval | None = None
    further: int = 0
    unit: str = "launch"
    apart: Sequence[str] = ()

    @property
    def verdict(self) -> State:
        """What can be said of the figure."""
        if self.point is None or math.isnan(self.value):
            return "not measured"
        bounds, own = self.limit.bounds, self.interval
        if own is not None and bounds.low <= own.low and own.high <= bounds.high:
            return "pass"
        if own is not None and (own.high < bounds.low or own.low > bounds.high):
            return "fail"
        return "not decided"

    @property
    def label(self) -> str:
        """The point in words, with what the limit leaves open."""
        return ", ".join([self.limit.label, *self.apart])

    @property
    def figure(self) -> str:
        """The name of the figure."""
        printed = self.limit.figure.printed
        return printed.term if printed else self.limit.figure.name.removesuffix("_ns").replace("_", " ")

    @property
    def words(self) -> str:
        """The verdict, and how many more launches would decide."""
        if self.verdict != "not decided":
            return self.verdict
        return f"not decided (about {counted(self.further, f'more {self.unit}')} would)"

    @property
    def found(self) -> str:
        """The figure with its interval, such as `1.31 us (1.28 to 1.35)`; a dash if it was not measured."""
        if math.isnan(self.value):
            return DASH
        ends = f" ({self.interval.text()})" if self.interval else ""
        return f"{significant(self.value)} {self.limit.unit}".rstrip() + ends

    @property
    def allowed(self) -> str:
        """The bounds in words: `at most 1.32 us`."""
        bounds, unit = self.limit.bounds, f" {self.limit.unit}".rstrip()
        if math.isinf(bounds.low):
            return f"at most {bounds.high:.4g}{unit}"
        if math.isinf(bounds.high):
            return f"at least {bounds.low:.4g}{unit}"
        return f"{bounds.low:.4g} to {bounds.high:.4g}{unit}"


@dataclass(frozen=True)
class Judgement:
    """All lines of a file of limits, in its order, and the name of what was judged.

    `elsewhere` is how many limits are left out, since they are about points that the runs were not to measure.
    """

    name: str
    path: str
    lines: Sequence[Line]
    remarks: Sequence[str] = ()
    elsewhere: int = 0

    def having(self, verdict: State) -> list[Line]:
        """Return the lines with a verdict."""
        return [line for line in self.lines if line.verdict == verdict]

    @property
    def verdict(self) -> State:
        """That of the whole: one failing figure fails it, and what is not decided or not measured does not pass."""
        order: tuple[State, ...] = ("fail", "not decided", "not measured")
        return next((state for state in order if self.having(state)), "pass" if self.lines else "not measured")

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, with the figures that it rests on."""
        count, verdict = counted(len(self.lines), "limit"), self.verdict
        if not self.lines:
            return f"Not decided: {self.name} measured nothing that {self.path} has a limit for."
        rest = f"; not judged: {counted(self.elsewhere, 'limit')} of other points" if self.elsewhere else ""
        if verdict == "pass":
            measured = " for what it measured" if rest else ""
            return (
                f"Within limits: {self.name} keeps {all_of(len(self.lines), 'limit')} of {self.path}{measured}{rest}."
            )
        failing = [f"{line.label}: {line.figure} {line.found}, {line.allowed}" for line in self.having("fail")]
        doubtful = [f"{line.label}: {line.figure} {line.found}, {line.allowed}" for line in self.having("not decided")]
        lacking = [line.label for line in self.having("not measured")]
        kept = len(self.having("pass"))
        parts = [
            f"{len(failing)} of {count} not kept: {_listed(failing)}" if failing else f"{kept} of {count} kept",
            f"{len(doubtful)} not decided{'' if failing else f': {_listed(doubtful)}'}" if doubtful else "",
            f"{len(lacking)} not measured{'' if failing else f': {_listed(lacking)}'}" if lacking else "",
        ]
        begin = "Outside its limits" if failing else "Not decided"
        more = "" if failing else self._further()
        return f"{begin}: {self.name} by {self.path}, {'; '.join(filter(None, parts))}{rest}.{more}"

    def _further(self) -> str:
        """Say how many launches or runs would decide all that is open; empty if nobody makes so many."""
        open_ = self.having("not decided")
        most = max((line.further for line in open_), default=0)
        if not 0 < most <= MOST_NAMED:
            return ""
        if any(line.unit == "run" for line in open_):
            return f" About {counted(most, 'more run')} would decide them."
        total = max(len(line.point.rows) + line.further for line in open_ if line.point)
        return f" About {total} launches would decide them: {resume(total)}"


def judged(
    runs: Sequence[Run], limits: Limits, system: str = "", *, looks: int = 1, is_part: bool = False
) -> Judgement:
    """Return the judgement of runs by the limits of a system, or of the one that their hosts belong to.

    `looks` is how often such a judgement may be made until it is decided: they share the 5 %. With `is_part`, limits
    that are about nothing in the runs are counted, not judged. Raises InputError if there are no limits for the hosts.
    """
    chosen = limits.of(dict.fromkeys(host for run in runs for host in hosts_of(run)), system)
    found = points_of(runs)
    matching = [(limit, [own for own in found if _is_about(limit, own)]) for limit in chosen.limits]
    level = SIGNIFICANCE / max(1, sum(len(points) for _, points in matching)) / looks
    judgements = [_lines(limit, points, level) or [Line(limit, None)] * (not is_part) for limit, points in matching]
    lines = [line for of_limit in judgements for line in of_limit]
    elsewhere = sum(not points for _, points in matching) if is_part else 0
    name = " and ".join(run.path.name for run in runs)
    return Judgement(name, limits.path, lines, _remarks(lines, runs), elsewhere)


def hosts_of(run: Run) -> list[str]:
    """Return the names of the hosts on which a run's ranks were; that of the run if no launch says them."""
    nodes = (launch.nodes.nodes for launch in run.launches if launch.nodes)
    return list(dict.fromkeys(node.name for own in nodes for node in own)) or [run.meta.host]


def launches_for(limits: Limits, least: int, looks: int = 1) -> int:
    """Return how many launches let every limit be decided, `least` or more."""
    return max(least, fewest_launches(looks * len(limits.limits)))


@dataclass(frozen=True)
class Measured:
    """A point of a profile in every run that measured it; a run's own launches are with those made again for it."""

    profile: str | None
    units: list[list[PointSummary]]

    @property
    def point(self) -> PointSummary:
        """The point in the first of them."""
        return self.units[0][0]


def points_of(runs: Sequence[Run]) -> list[Measured]:
    """Return every point of the runs, each once.

    Where a setting could not be kept in some launches of a run, only those count that measured in the way of most.
    """
    found: dict[tuple[str | None, str], Measured] = {}
    for run in runs:
        own: dict[str, dict[str, list[PointSummary]]] = {}
        for part in (run, *_again(run)):
            for point in summarise(part):
                ways = own.setdefault(key(point.ranks, point.variant, point.point | _asked(point)), {})
                ways.setdefault(key(point.ranks, point.variant, point.point), []).append(point)
        for name, ways in own.items():
            points = max(ways.values(), key=lambda way: sum(len(point.rows) for point in way))
            found.setdefault((run.meta.profile, name), Measured(run.meta.profile, [])).units.append(points)
    return list(found.values())


def _asked(point: PointSummary) -> dict[str, str]:
    """Return the settings of a point that were asked for and could not be kept."""
    if np.isnan(point.rows.codes("replaced")).all():
        return {}
    return {name: one.asked for launch in point.launches for name, one in launch.replaced.items()}


def _again(run: Run) -> Iterator[Run]:
    """Yield the parts of a run that were measured again for a judgement."""
    for document in sorted(run.path.glob(f"{AGAIN}*/run.json")):
        yield load_run(document.parent)


def _is_about(limit: Limit, own: Measured) -> bool:
    point = own.point
    is_where = limit.ranks in (None, point.member_count) and limit.variant in (None, point.variant)
    return is_where and limit.is_about(own.profile, point.point)


def _lines(limit: Limit, points: Sequence[Measured], level: float) -> list[Line]:
    """Judge the figure of every point that a limit is about, and tell these apart; `level` is the share of each."""
    if not points:
        return []
    differing = differing_settings([own.point for own in points])[points[0].point.operation]
    names = dict.fromkeys([*([] if limit.ranks else ["ranks"]), *differing])
    lines = [_line(limit, own, level) for own in points]
    return [replace(line, apart=words(own.point, list(names))) for line, own in zip(lines, points, strict=True)]


def _line(limit: Limit, own: Measured, level: float) -> Line:
    """Judge one figure; `level` is its share of the 5 %."""
    units = [unit for unit in (logs_of(limit, points) for points in own.units) if unit.size]
    if not units:
        return Line(limit, own.point)
    shift: Mean | Paired = Mean(Sample(units)) if len(units) >= MINIMUM_RUNS else Paired(np.concatenate(units))
    ends = shift.interval(1 - level) if shift.has_interval else None
    interval = ends and _with_clock(limit, own.point, Interval(math.exp(ends.low), math.exp(ends.high)))
    value = math.exp(shift.estimate if isinstance(shift, Mean) else float(np.median(shift.values)))
    return Line(limit, own.point, value, interval, _further(limit, shift, level), shift.unit)


def logs_of(limit: Limit, points: Sequence[PointSummary]) -> NDArray[np.float64]:
    """Return the logarithms of the figures of all launches of a point, in the unit of the limit."""
    values = np.concatenate([point.rows[launch_column(limit.figure)] for point in points]) / limit.factor
    logs: NDArray[np.float64] = np.log(np.maximum(values[~np.isnan(values)], _LEAST))
    return logs


def _with_clock(limit: Limit, point: PointSummary, ends: Interval) -> Interval:
    """Widen an interval by the measuring overhead that a time contains at most, and by the clock's steps."""
    if limit.figure.unit not in ("ns", "MB/s", "1/s") or not point.time_ns:
        return ends
    step = point.number("step_ns") / point.time_ns
    overhead = min(1.0, point.number("overhead_ns") / point.time_ns + step)
    if limit.figure.unit == "ns":
        return Interval(ends.low * (1 - overhead), ends.high * (1 + step))
    return Interval(ends.low / (1 + step), ends.high / (1 - overhead) if overhead < 1 else math.inf)


def _further(limit: Limit, shift: Shift, level: float) -> int:
    """Return about how many more launches or runs would decide."""
    bounds = [math.log(end) for end in (limit.bounds.low, limit.bounds.high) if 0 < end < math.inf]
    away = min((abs(shift.estimate - bound) for bound in bounds), default=math.inf)
    return launches_beyond(shift, [(round(SIGNIFICANCE / level), max(away, _LEAST_DISTANCE))])


def _remarks(lines: Sequence[Line], runs: Sequence[Run]) -> list[str]:
    """Say for what the verdicts hold, and what the runs lack."""
    basis = {line.unit for line in lines if line.interval}
    remarks = [f"All intervals together hold with 95 %: {counted(len(lines), 'limit')}."]
    if "launch" in basis:
        remarks.append("They show how launches differ; another run may differ by more than these (three runs show it).")
    return remarks + [f"{run.path.name}: {gap}" for run in runs for gap in run.missing()[:1]]


def _listed(texts: Sequence[str]) -> str:
    more = [f"{len(texts) - _NAMED} more"] if len(texts) > _NAMED else []
    return "; ".join([*texts[:_NAMED], *more])
