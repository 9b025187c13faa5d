"""The tables of the NAS page, in its order: what the run measured, beside what the page prints of other systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.programs.nas.columns import Column, Grid
from groma.programs.nas.reference import cells, notes, published
from groma.programs.nas.results import by_label, digits
from groma.text.sizes import format_size
from groma.text.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from groma.programs.nas.results import Result, Results
    from groma.text.charts import Chart

LATENCY_BYTES, LBW_BYTES, ATA_BYTES = 40, 1_000_000, 100_000
CYCLES_S = (0.1, 1.0, 10.0)
_ATA_BY_SIZE = 8  # processes of which the page has ATA by message size
_STS_SUMMARY = 16  # processes of which its summary has STS
_MB_S = "MB/s per process"
_SENT_FROM = {"one": "one buffer", "separate": "places of their own"}


@dataclass(frozen=True)
class Page:
    """The results of a run on a host, and the systems to show beside them."""

    host: str
    results: Results
    systems: Sequence[str]

    def tables(self) -> list[Table]:
        """Return the tables that the run has figures for, or the page of these systems."""
        by_size = [count for count in self._counts if count == _ATA_BY_SIZE] or self._counts[-1:]
        grids = [self._sizes(by_size), self._ata(), self._ata_latency(), self._sts(), self._cycles(), self._load()]
        tables = [
            self._lbw("LBW test", "lbw"),
            *(table for grid in grids for table in grid.tables()),
            self._every_run(),
            self._lbw("Summary: LBW", "summary_lbw"),
            self._ata_summary(),
            self._sts_summary(),
        ]
        return [table for table in tables if table.rows]

    def charts(self) -> list[Chart]:
        """Return the bandwidths over message sizes and over numbers of processes."""
        tests = {"ATA": self._ata_bandwidths()} | {
            f"STS {side}-sided": self._sts_columns(side, "bandwidth") for side in ("single", "double")
        }
        by_count = Grid("Bandwidth by process count", "processes", tests, _MB_S)
        return [*self._sizes(self._counts).charts("message size"), *by_count.charts("processes", sized=False)]

    @property
    def _counts(self) -> list[int]:
        return sorted({result.processes for result in self.results.ata})

    def _own(
        self,
        results: Iterable[Result],
        by: str,
        figure: Callable[[Result], float],
        text: Callable[[float], str] = digits,
    ) -> list[Column]:
        """Return a column for each label, or of the host, by this member of the results."""
        return [
            Column(label or self.host, {getattr(one, by): (figure(one), text(figure(one))) for one in own})
            for label, own in by_label(results).items()
        ]

    def _system(self, label: str) -> str:
        return ", ".join(filter(None, (self.host, label)))

    def _lbw(self, title: str, kind: str) -> Table:
        """Return bandwidth and latency of two processes; `kind` is that of the page's tables."""
        rows = []
        for label, own in by_label(self.results.lbw).items():
            at = {result.bytes: result for result in own}
            if LATENCY_BYTES in at and LBW_BYTES in at:
                rows.append([self._system(label), at[LBW_BYTES].mb_s, at[LATENCY_BYTES].us])
        rows += cells(self.systems, kind, ("bandwidth", "latency"))
        return Table(title, ["system", _MB_S, "latency, µs"], rows, notes(self.systems, kind))

    def _sizes(self, counts: Iterable[int]) -> Grid:
        """Return LBW by message size, and ATA on each of these numbers of processes."""
        tests = {
            "LBW": [
                *self._own(self.results.lbw, "bytes", _bandwidth),
                *published(self.systems, "(lbw_)?sizes", "bytes", test=(None, "lbw")),
            ]
        }
        for count in counts:
            own = [result for result in self.results.ata if result.processes == count]
            tests[f"ATA on {count} processes"] = [
                *self._own(own, "bytes", _bandwidth),
                *published(self.systems, "sizes", "bytes", test=("ata",), processes=(count,)),
            ]
        return Grid("Bandwidth by message size", "bytes", tests, _MB_S)

    def _ata_bandwidths(self) -> list[Column]:
        full = [result for result in self.results.ata if result.bytes == ATA_BYTES]
        return [*self._own(full, "processes", _bandwidth), *published(self.systems, "ata", "processes")]

    def _ata(self) -> Grid:
        title = f"ATA test, {ATA_BYTES:,} bytes to each process"
        return Grid(title, "processes", {"bandwidth": self._ata_bandwidths()}, _MB_S)

    def _ata_latency(self) -> Grid:
        small = {(one.label, one.processes): one for one in self.results.ata if one.bytes == LATENCY_BYTES}
        both = [one for one in self.results.ata if one.bytes == ATA_BYTES and (one.label, one.processes) in small]
        figures: dict[str, tuple[str, Callable[[Result], float]]] = {
            "total time, ms": ("total_time", lambda one: 1e3 * one.time_s),
            "latency, ms": ("latency", lambda one: 1e3 * small[one.label, one.processes].time_s),
            "percent overhead": ("overhead", lambda one: 100 * small[one.label, one.processes].time_s / one.time_s),
        }
        columns = {
            heading: [
                *self._own(both, "processes", figure),
                *published(self.systems, "ata_latency", "processes", quantity=(quantity,)),
            ]
            for heading, (quantity, figure) in figures.items()
        }
        note = f"Total time: {ATA_BYTES:,} bytes to each process. Percent overhead: latency over total time."
        return Grid(f"ATA latency, {LATENCY_BYTES} bytes to each process", "processes", columns, notes=[note])

    def _sts(self) -> Grid:
        columns = {
            f"{side}-sided, {heading}": self._sts_columns(side, quantity)
            for side in ("single", "double")
            for heading, quantity in ((_MB_S, "bandwidth"), ("per pass, ms", "time_per_pass"))
        }
        messages = {result.messages for result in self.results.sts}
        title = f"STS test, {messages.pop()} messages a process" if len(messages) == 1 else "STS test"
        return Grid(title, "processes", columns, notes=self._sts_notes())

    def _sts_columns(self, side: str, quantity: str) -> list[Column]:
        own = [result for result in self.results.sts if result.sides == side]
        figure = _bandwidth if quantity == "bandwidth" else _ms
        return [
            *self._own(own, "processes", figure),
            *published(self.systems, "sts", "processes", quantity=(quantity,), sides=(side,)),
        ]

    def _sts_notes(self) -> list[str]:
        """Say what all passes of the run have in common."""
        longest = {result.bytes for result in self.results.sts}
        buffers = {result.send_buffer for result in self.results.sts}
        sentences = [f"Messages have 1 byte to {format_size(size)}." for size in longest if len(longest) == 1]
        sentences += [
            f"A process sends all its messages from {_SENT_FROM[name]}." for name in buffers if len(buffers) == 1
        ]
        return [" ".join(sentences)] if sentences else []

    def _cycles(self) -> Grid:
        columns = {
            f"cycle of {cycle_s:g} s": self._own(
                _singles(self.results), "processes", lambda one, cycle_s=cycle_s: 100 * one.time_s / cycle_s
            )
            for cycle_s in CYCLES_S
        }
        note = "One single-sided pass of STS at the end of every cycle."
        return Grid("Message passing in percent of a compute cycle", "processes", columns, notes=[note])

    def _load(self) -> Grid:
        alone = {result.label: result.bandwidth for result in self.results.load if result.pairs == 1}
        loaded = [result for result in self.results.load if result.label in alone]
        bandwidth = published(self.systems, "load", "runs", quantity=("bandwidth",))
        efficiency = published(self.systems, "load", "runs", quantity=("memory_efficiency",))
        columns = {
            _MB_S: [*self._own(loaded, "pairs", _bandwidth), *bandwidth],
            "memory efficiency, %": [
                *self._own(loaded, "pairs", lambda one: 100 * one.bandwidth / alone[one.label], "{:.1f}".format),
                *efficiency,
            ],
        }
        return Grid("LBW message passing load test", "LBW runs of 2 processes", columns)

    def _every_run(self) -> Table:
        tests = [
            *(("lbw", result) for result in self.results.lbw if result.bytes == LBW_BYTES),
            *(("ata", result) for result in self.results.ata if result.bytes == ATA_BYTES),
            *((f"sts, {result.sides}-sided", result) for result in self.results.sts),
        ]
        rows = []
        for name, result in tests:
            listed = "  ".join(digits(bandwidth) for bandwidth in result.bandwidths)
            share = f"{min(result.bandwidths) / result.bandwidth:.0%}"
            test = ", ".join(filter(None, (name, f"{result.processes} processes", result.label)))
            rows.append([test, listed, share])
        return Table("Every run", ["test", _MB_S, "worst over best"], rows)

    def _ata_summary(self) -> Table:
        four = [one for one in self.results.ata if (one.processes, one.bytes) == (4, ATA_BYTES)]
        rows = [[self._system(one.label), one.mb_s] for one in four]
        rows += cells(self.systems, "summary_ata", ("bandwidth",))
        return Table("Summary: ATA on 4 processes", ["system", _MB_S], rows)

    def _sts_summary(self) -> Table:
        rows = []
        for label, own in by_label(_singles(self.results)).items():
            one = max(
                (one for one in own if one.processes <= _STS_SUMMARY), default=own[0], key=lambda one: one.processes
            )
            rows.append([self._system(label), str(one.processes), one.mb_s, one.ms])
        for system, *figures in cells(self.systems, "summary_sts", ("bandwidth", "time_per_pass")):
            rows.append([system, str(_STS_SUMMARY), *figures])
        headings = ["system", "processes", _MB_S, "per pass, ms"]
        return Table("Summary: STS", headings, rows, notes(self.systems, "summary_sts"))


def _singles(results: Results) -> list[Result]:
    return [result for result in results.sts if result.sides == "single"]


def _bandwidth(result: Result) -> float:
    return result.bandwidth


def _ms(result: Result) -> float:
    return 1e3 * result.time_s
