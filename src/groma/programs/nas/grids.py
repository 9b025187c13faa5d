"""The tests of the NAS page over sizes and process counts: the run's columns, beside those that the page prints.

A column is what one source has of one quantity. Of a single source a table has the quantities side by side, as the NAS
page has them; of several it has the sources side by side, and each quantity has a table of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from groma.catalog.references import table
from groma.programs.nas.reference import rows_of, source_of
from groma.programs.nas.results import ATA_BYTES, CYCLES_S, LATENCY_BYTES, MB_S, Result, Results, by_label, digits
from groma.text.charts import Chart, Curve
from groma.text.numbers import DASH
from groma.text.tables import Table

_Figure = Callable[[Result], float]


_ATA_BY_SIZE = 8  # processes of which the page has ATA by message size
_SENT_FROM = {"one": "one buffer", "separate": "places of their own"}


@dataclass(frozen=True)
class Page:
    """The results of a run on a host, and the systems to show beside them."""

    host: str
    results: Results
    systems: Sequence[str]

    def grids(self) -> list[Grid]:
        """Return what the tables show, in the order of the page."""
        ata = Grid(f"ATA test, {ATA_BYTES:,} bytes to each process", "processes", {"bandwidth": self._ata()}, MB_S)
        return [self.sizes(), ata, self._ata_latency(), self._sts(), self._cycles(), self._load()]

    def sizes(self) -> Grid:
        """Return LBW and ATA by message size, ATA on as many processes as on the page, or else on the most."""
        counts = {result.processes for result in self.results.ata}
        tests = {"LBW": self._columns(self.results.lbw, "bytes", _bandwidth, "(lbw_)?sizes", test=(None, "lbw"))}
        for count in sorted(counts & {_ATA_BY_SIZE} or counts)[-1:]:
            ata = [one for one in self.results.ata if one.processes == count]
            tests[f"ATA on {count} processes"] = self._columns(
                ata, "bytes", _bandwidth, "sizes", test=("ata",), processes=(count,)
            )
        return Grid("Bandwidth by message size", "bytes", tests, MB_S)

    def counts(self) -> Grid:
        """Return the bandwidths of ATA and STS by number of processes, for a chart."""
        sts = {f"STS {side}-sided": self._sts_columns(side, "bandwidth") for side in ("single", "double")}
        return Grid("Bandwidth by process count", "processes", {"ATA": self._ata()} | sts, MB_S)

    def _columns(
        self, results: Iterable[Result], by: str, figure: _Figure, kind: str, **keys: Container[object]
    ) -> list[Column]:
        """Return a column for each label, or of the host, by this member of the results, then the published ones."""
        return self._own(results, by, figure) + published(self.systems, kind, by, **keys)

    def _own(
        self, results: Iterable[Result], by: str, figure: _Figure, text: Callable[[float], str] = digits
    ) -> list[Column]:
        return [
            Column(label or self.host, {getattr(one, by): (figure(one), text(figure(one))) for one in own})
            for label, own in by_label(results).items()
        ]

    def _ata(self) -> list[Column]:
        full = (result for result in self.results.ata if result.bytes == ATA_BYTES)
        return self._columns(full, "processes", _bandwidth, "ata")

    def _ata_latency(self) -> Grid:
        small_s = {(one.label, one.processes): one.time_s for one in self.results.ata if one.bytes == LATENCY_BYTES}
        full = [one for one in self.results.ata if one.bytes == ATA_BYTES and (one.label, one.processes) in small_s]
        figures: dict[str, tuple[str, _Figure]] = {
            "total time, ms": ("total_time", _ms),
            "latency, ms": ("latency", lambda one: 1e3 * small_s[one.label, one.processes]),
            "percent overhead": ("overhead", lambda one: 100 * small_s[one.label, one.processes] / one.time_s),
        }
        columns = {
            heading: self._columns(full, "processes", figure, "ata_latency", quantity=(quantity,))
            for heading, (quantity, figure) in figures.items()
        }
        note = f"Total time: {ATA_BYTES:,} bytes to each process. Percent overhead: latency over total time."
        return Grid(f"ATA latency, {LATENCY_BYTES} bytes to each process", "processes", columns, notes=[note])

    def _sts(self) -> Grid:
        columns = {
            f"{side}-sided, {heading}": self._sts_columns(side, quantity)
            for side in ("single", "double")
            for heading, quantity in ((MB_S, "bandwidth"), ("per pass, ms", "time_per_pass"))
        }
        messages = {result.messages for result in self.results.sts}
        title = f"STS test, {messages.pop()} messages a process" if len(messages) == 1 else "STS test"
        return Grid(title, "processes", columns, notes=_in_common(self.results.sts))

    def _sts_columns(self, side: str, quantity: str) -> list[Column]:
        own = (result for result in self.results.sts if result.sides == side)
        figure = _bandwidth if quantity == "bandwidth" else _ms
        return self._columns(own, "processes", figure, "sts", quantity=(quantity,), sides=(side,))

    def _cycles(self) -> Grid:
        columns = {
            f"cycle of {cycle_s:g} s": self._own(self.results.singles, "processes", functools.partial(_share, cycle_s))
            for cycle_s in CYCLES_S
        }
        note = "One single-sided pass of STS at the end of every cycle."
        return Grid("Message passing in percent of a compute cycle", "processes", columns, notes=[note])

    def _load(self) -> Grid:
        alone = {result.label: result.bandwidth for result in self.results.load if result.pairs == 1}
        loaded = [result for result in self.results.load if result.label in alone]
        efficiency = self._own(
            loaded, "pairs", lambda one: 100 * one.bandwidth / alone[one.label], text="{:.1f}".format
        )
        own = {"bandwidth": self._own(loaded, "pairs", _bandwidth), "memory_efficiency": efficiency}
        columns = {
            heading: [*own[quantity], *published(self.systems, "load", "runs", quantity=(quantity,))]
            for heading, quantity in ((MB_S, "bandwidth"), ("memory efficiency, %", "memory_efficiency"))
        }
        return Grid("LBW message passing load test", "LBW runs of 2 processes", columns)


def _in_common(sts: Iterable[Result]) -> list[str]:
    """Say what all passes of STS have in common."""
    longest, buffers = ({getattr(result, name) for result in sts} for name in ("bytes", "send_buffer"))
    sentences = [f"Messages have 1 to {size:,} bytes." for size in longest if len(longest) == 1]
    sentences += [f"A process sends all its messages from {_SENT_FROM[name]}." for name in buffers if len(buffers) == 1]
    return [" ".join(sentences)] if sentences else []


def _bandwidth(result: Result) -> float:
    return result.bandwidth


def _ms(result: Result) -> float:
    return 1e3 * result.time_s


def _share(cycle_s: float, result: Result) -> float:
    """Return the time of a pass in percent of a cycle."""
    return 100 * result.time_s / cycle_s


@dataclass(frozen=True)
class Column:
    """The figures of one source by row, with their texts; `note` is what a reader must know of a published one."""

    source: str
    figures: Mapping[int, tuple[float, str]]
    published: bool = False
    note: str = ""


@dataclass(frozen=True)
class Grid:
    """The columns of each quantity, over the same rows; a quantity that the run has no figures of is not shown."""

    title: str
    rows: str
    quantities: Mapping[str, Sequence[Column]]
    unit: str = ""
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return the tables, the last with all notes; none if the run has no figures."""
        unit = f", {self.unit}" * bool(self.unit)
        parts = self._parts(lambda quantity, _: f"{quantity}{unit}", unit)
        tables = [self._table(title, columns) for title, columns in parts.items()]
        remarks = _remarks(column for columns in parts.values() for column in columns.values())
        return [*tables[:-1], *(replace(last, notes=[*self.notes, *remarks]) for last in tables[-1:])]

    def charts(self, across: str, *, sized: bool = True) -> list[Chart]:
        """Return charts of the same columns over the rows, which are `across`; none without a line."""
        parts = self._parts(lambda quantity, source: f"{source}, {quantity}")
        charts = [
            Chart(title, across, self.unit, [_curve(*pair) for pair in columns.items()], sized=sized)
            for title, columns in parts.items()
        ]
        return [chart for chart in charts if any(len(curve.points) > 1 for curve in chart.curves)]

    def _parts(self, alone: Callable[[str, str], str], unit: str = "") -> dict[str, dict[str, Column]]:
        """Return the named columns by title; `alone` names one by its quantity and source if there is one source."""
        own = {
            quantity: columns
            for quantity, columns in self.quantities.items()
            if any(column.figures and not column.published for column in columns)
        }
        if len({column.source for columns in own.values() for column in columns}) > 1:
            return {
                f"{self.title}: {quantity}{unit}": {column.source: column for column in columns}
                for quantity, columns in own.items()
            }
        named = {alone(quantity, column.source): column for quantity, columns in own.items() for column in columns}
        return {self.title: named} if named else {}

    def _table(self, title: str, columns: Mapping[str, Column]) -> Table:
        places = sorted({place for column in columns.values() for place in column.figures})
        rows = [
            [
                str(place),
                *(column.figures[place][1] if place in column.figures else DASH for column in columns.values()),
            ]
            for place in places
        ]
        return Table(title, [self.rows, *columns], rows)


def _remarks(columns: Iterable[Column]) -> list[str]:
    """Return the notes on published columns, each text once, with its sources."""
    sources: dict[str, dict[str, None]] = {}
    for column in columns:
        if column.note:
            sources.setdefault(column.note, {})[column.source] = None
    return [f"{', '.join(names)}: {note}" for note, names in sources.items()]


def _curve(name: str, column: Column) -> Curve:
    points = sorted((float(place), value) for place, (value, _) in column.figures.items())
    return Curve.of(name, points, reference=column.published)


def published(systems: Sequence[str], kind: str, by: str, **keys: Container[object]) -> list[Column]:
    """Return a column for each source of the systems' tables of this kind, such as `sts`, by the rows' member `by`.

    `keys` choose rows by their values; a source is a system and, if the page has several, its interconnect.
    """
    columns: dict[str, dict[int, tuple[float, str]]] = {}
    notes: dict[str, str] = {}
    for row in rows_of(systems, kind):
        if row["value"] is not None and all(row.get(name) in values for name, values in keys.items()):
            columns.setdefault(source_of(row), {})[row[by]] = (row["value"], row["printed"])
            notes[source_of(row)] = table(row["name"]).note
    return [Column(source, figures, published=True, note=notes[source]) for source, figures in columns.items()]
