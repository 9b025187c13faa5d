"""The list of an acceptance test: for each line figure, interval, limit and verdict, or why it is lacking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groma.analysis import PointSummary, summarise
from groma.analysis.grouping import grouped
from groma.analysis.limits import Line, default_limits, judged
from groma.analysis.limits.judging import hosts_of
from groma.analysis.otherruns import key
from groma.programs.sheet import Sheet, Style, lines_of
from groma.programs.study import Study
from groma.results import Run
from groma.text.counts import counted
from groma.text.numbers import DASH, significant
from groma.text.tables import Table

TITLE = "Acceptance"
_FEWEST_ODD = 3
FARTHEST, ENDS, BISECTION = "farthest", "first_last", "bisection"
_FIGURES = {"time": ("time_ns", 1e-3, "us"), "bandwidth": ("bandwidth_mb_s", 1e-3, "GB/s")}
_FIGURES["rate"] = ("messages_per_s", 1e-6, "million/s")
_METHOD = (
    "Latency: one way, of the first and the last rank, as bandwidth. Message rates: all pairs of ranks together, until "
    "the slowest is done. Bisection: half the nodes with the other half, all pairs at once; the bandwidth is that of "
    "the slowest pair."
)


@dataclass(frozen=True)
class Asked:
    """One line of the list: what it is called, the operation, figure and size of its point, and fields that tell it.

    With `is_odd`, an odd number of ranks takes part.
    """

    title: str
    operation: str
    figure: str
    bytes: int
    fields: Mapping[str, object]
    is_odd: bool = False

    def is_of(self, point: Mapping[str, object], launched: int) -> bool:
        """Return whether a point of a launch of so many ranks is the one that is asked for."""
        ranks = int(str(point.get("ranks", 0))) or launched
        own = (point.get(name, 0) == value for name, value in self.fields.items())
        is_like = point["operation"] == self.operation and point.get("bytes") == self.bytes and all(own)
        return is_like and (ranks % 2 == 1 or not self.is_odd)


LIST = (
    Asked("latency, 8 B", "pingpong", "time", 8, {"pattern": ENDS}),
    Asked("latency, 8 B, farthest nodes", "pingpong", "time", 8, {"pattern": FARTHEST}),
    Asked("bandwidth, 1 MiB, one way", "stream", "bandwidth", 1 << 20, {"pattern": ENDS}),
    Asked("bandwidth, 1 MiB, both ways", "bistream", "bandwidth", 1 << 20, {"pattern": ENDS}),
    Asked("bandwidth, 1 MiB, one way, farthest nodes", "stream", "bandwidth", 1 << 20, {"pattern": FARTHEST}),
    Asked("bandwidth, 1 MiB, both ways, farthest nodes", "bistream", "bandwidth", 1 << 20, {"pattern": FARTHEST}),
    Asked("message rate, 16 KiB, one rank of each node", "message_rate", "rate", 16 << 10, {"ranks_per_node": 1}),
    Asked("message rate, 16 KiB, all ranks", "message_rate", "rate", 16 << 10, {"ranks_per_node": 0}),
    Asked("allreduce, 8 B", "allreduce", "time", 8, {}),
    Asked("allreduce, 25 MB", "allreduce", "time", 25_000_000, {}),
    Asked("alltoall, 1 MiB, all ranks", "alltoall", "time", 1 << 20, {"ranks": 0}),
    Asked("alltoall, 1 MiB, an odd number of ranks", "alltoall", "time", 1 << 20, {}, is_odd=True),
    Asked("bisection, 16 MiB, one way, slowest pair", "stream", "bandwidth", 16 << 20, {"pattern": BISECTION}),
    Asked("bisection, 16 MiB, both ways, slowest pair", "bistream", "bandwidth", 16 << 20, {"pattern": BISECTION}),
)


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study | None:
    """Return the list of a run, with the limits of the configuration if it has some for these hosts.

    None if nothing of the list was measured.
    """
    del against
    limits = default_limits(run.catalog, hosts_of(run))
    judgement = judged([run], limits, is_part=True) if limits else None
    lines = {_name(line.point): line for line in judgement.lines if line.point} if judgement else {}
    measured = {ranks: _measured(summaries, ranks) for ranks in run.meta.rank_counts}
    if not any(measured.values()):
        return None
    tables = [_table(run, ranks, points, lines) for ranks, points in measured.items()]
    sentences = [
        f"{_on(ranks)}: {len(own)} of {len(LIST)} lines of the list measured." for ranks, own in measured.items()
    ]
    sentences += [judgement.sentence] if judgement and lines else []
    return Study(TITLE, sentences, [], tables, [])


def _name(point: PointSummary) -> str:
    return key(point.ranks, point.variant, point.point)


def _on(ranks: int) -> str:
    return counted(ranks, "rank")


def _measured(summaries: Sequence[PointSummary], ranks: int) -> dict[str, PointSummary]:
    """Return the point of every line that launches of so many ranks measured, by the line's title.

    Of several, since a method was replaced in some launches, it is the one that most launches measured.
    """
    own = [point for point in summaries if point.ranks == ranks]
    found = {asked.title: [one for one in own if asked.is_of(one.point, ranks)] for asked in LIST}
    return {title: max(points, key=lambda point: len(point.rows)) for title, points in found.items() if points}


def _table(run: Run, ranks: int, points: Mapping[str, PointSummary], lines: Mapping[str, Line]) -> Table:
    """Return a row for every line of the list, and below the table why lines are lacking."""
    rows = [_row(asked, points[asked.title], lines) if asked.title in points else _lacking(asked) for asked in LIST]
    reasons = {asked.title: _reason(run, ranks, asked) for asked in LIST if asked.title not in points}
    notes = [
        f"Not measured: {'; '.join(titles)}: {reason}." for reason, titles in grouped(reasons, reasons.get).items()
    ]
    headings = ["line", "figure", "95% interval", "limit", "verdict"]
    used = len(headings) if lines else 3
    return Table(_on(ranks), headings[:used], [row[:used] for row in rows], [*notes, _METHOD])


def _lacking(asked: Asked) -> list[str]:
    return [asked.title, "not measured", DASH, DASH, "not measured"]


def _row(asked: Asked, point: PointSummary, lines: Mapping[str, Line]) -> list[str]:
    """Return the cells of a line that was measured; a limit's own figure and interval if it has one."""
    name, factor, unit = _FIGURES[asked.figure]
    line = lines.get(_name(point))
    if line is not None:
        ends = line.interval.text() if line.interval else DASH
        return [asked.title, f"{significant(line.value)} {line.limit.unit}", ends, line.allowed, line.words]
    interval = point.interval if asked.figure == "time" else point.rate_interval(name)
    value = point.value(name)
    figure = f"{significant(None if value is None else value * factor)} {unit}"
    return [asked.title, figure, interval.text(factor=factor) if interval else DASH, DASH, "no limit"]


def _reason(run: Run, ranks: int, asked: Asked) -> str:
    """Say why launches of so many ranks lack a line."""
    if asked.is_odd and ranks < _FEWEST_ODD:
        return f"it takes {_FEWEST_ODD} ranks or more"
    launches = [launch for launch in run.launches if launch.ranks == ranks and launch.plan]
    for launch in launches:
        points = launch.plan.points if launch.plan else []
        for left in launch.left_out:
            if asked.is_of(points[left.index], ranks):
                return left.message.partition(" needs ")[2].partition("; ")[0].join(("it needs ", ""))
    return "no launch measured it" if launches else "no launch was made"


def _write(sheet: Sheet) -> None:
    found = study(sheet.run, summarise(sheet.run, sheet.reporting))
    if found is None:
        return
    sheet.write(*found.sentences)
    for table in found.tables:
        sheet.write("", *lines_of(table.headings, table.rows), "", *(f"# {note}" for note in table.notes))


STYLE = Style(program="acceptance", write=_write, profile="acceptance")
