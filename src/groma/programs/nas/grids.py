"""The tests of the NAS page over sizes and process counts: the run's columns, beside those that the page prints."""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from groma.programs.nas.columns import Column, Grid
from groma.programs.nas.reference import published
from groma.programs.nas.results import ATA_BYTES, CYCLES_S, LATENCY_BYTES, MB_S, Result, Results, by_label, digits

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
