"""The tables of the NAS page with a row for each system: LBW, also over PVM, every run, and the three summaries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from groma.programs.nas.reference import cells, notes
from groma.programs.nas.results import ATA_BYTES, LATENCY_BYTES, LBW_BYTES, MB_S, Results, by_label, digits
from groma.results import Run
from groma.results.launched import read_records
from groma.results.records import Point, Record, Start
from groma.text.numbers import DASH, significant
from groma.text.tables import Table

_PROCESSES = 16  # of which the summary has STS
FILE = "pvm.jsonl"  # in the run directory: what `lbw-pvm --out` recorded
_GIGAHERTZ = re.compile(r"@\s*([\d.]+)\s*GHz")


def lbw(title: str, kind: str, host: str, results: Results, systems: Sequence[str]) -> Table:
    """Return bandwidth and latency of two processes, beside those in the page's tables of this kind."""
    rows = []
    for label, own in by_label(results.lbw).items():
        at = {result.bytes: result for result in own}
        if LATENCY_BYTES in at and LBW_BYTES in at:
            rows.append([_named(host, label), at[LBW_BYTES].mb_s, at[LATENCY_BYTES].us])
    rows += cells(systems, kind, ("bandwidth", "latency"))
    return Table(title, ["system", MB_S, "latency, µs"], rows, notes(systems, kind))


def ata(host: str, results: Results, systems: Sequence[str]) -> Table:
    """Return the bandwidths of ATA on four processes."""
    four = [one for one in results.ata if (one.processes, one.bytes) == (4, ATA_BYTES)]
    rows = [[_named(host, one.label), one.mb_s] for one in four]
    rows += cells(systems, "summary_ata", ("bandwidth",))
    return Table("Summary: ATA on 4 processes", ["system", MB_S], rows)


def sts(host: str, results: Results, systems: Sequence[str]) -> Table:
    """Return single-sided STS on 16 processes, else on the next smaller number, else on the smallest."""
    rows = []
    for label, own in by_label(results.singles).items():
        one = [result for result in own if result.processes <= _PROCESSES][-1:] or own[:1]
        rows += [[_named(host, label), str(result.processes), result.mb_s, result.ms] for result in one]
    published = cells(systems, "summary_sts", ("bandwidth", "time_per_pass"))
    rows += [[system, str(_PROCESSES), *figures] for system, *figures in published]
    headings = ["system", "processes", MB_S, "per pass, ms"]
    return Table("Summary: STS", headings, rows, notes(systems, "summary_sts"))


def every_run(results: Results) -> Table:
    """Return the bandwidths of all runs of each test."""
    tests = [
        *(("lbw", result) for result in results.lbw if result.bytes == LBW_BYTES),
        *(("ata", result) for result in results.ata if result.bytes == ATA_BYTES),
        *((f"sts, {result.sides}-sided", result) for result in results.sts),
    ]
    rows = []
    for name, result in tests:
        listed = "  ".join(digits(bandwidth) for bandwidth in result.bandwidths)
        test = _named(name, f"{result.processes} processes", result.label)
        rows.append([test, listed, f"{min(result.bandwidths) / result.bandwidth:.0%}"])
    return Table("Every run", ["test", MB_S, "worst over best"], rows)


def _named(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def pvm(run: Run, systems: Sequence[str]) -> Table:
    """Return the table of LBW over PVM: a row for each way recorded beside the run, then those of other systems."""
    recorded, _ = read_records(run.path / FILE)
    rows = [
        [
            ", ".join([run.meta.host, *(word for word in way if word not in ("sync", "daemons"))]),
            _clock_rate(run),
            significant(LBW_BYTES * 1e3 / times[LBW_BYTES]) if LBW_BYTES in times else DASH,
            significant(times[LATENCY_BYTES] / 1e3) if LATENCY_BYTES in times else DASH,
        ]
        for way, times in _shortest_ns(recorded).items()
    ]
    rows += cells(systems, "pvm", ("clock_rate", "bandwidth", "latency"))
    versions = dict.fromkeys(record.library.version for record in recorded if isinstance(record, Start))
    notes = [f"{run.meta.host}: PVM {', '.join(versions)}, two processes, the best of all runs in {FILE}."]
    headings = ["system", "clock rate, MHz", "bandwidth, MB/s per process", "latency, \u00b5s"]
    return Table("LBW over PVM", headings, rows, notes if versions else [])


def _shortest_ns(recorded: Sequence[Record]) -> dict[tuple[str, str], dict[int, float]]:
    """Return the shortest time of a message in one direction, in nanoseconds, by way and by message size.

    A way is how messages went: `sync` or `async`, through the daemons or from task to task (`direct`).
    """
    shortest: dict[tuple[str, str], dict[int, float]] = {}
    for record in recorded:
        if isinstance(record, Point) and record.point.get("operation") == "lbw_pvm" and record.samples_ns.size:
            way = str(record.point.get("style")), str(record.point.get("route"))
            one_way_ns = float(record.samples_ns.min()) / record.repetitions_per_sample / record.divisor
            times = shortest.setdefault(way, {})
            times[record.message_bytes] = min(one_way_ns, times.get(record.message_bytes, one_way_ns))
    return shortest


def _clock_rate(run: Run) -> str:
    """Return the MHz that the processor's name gives, as the table of the NAS page does; a dash if it gives none."""
    models = [node.cpu_model for launch in run.launches if launch.nodes for node in launch.nodes.nodes]
    matches = [match for model in models if (match := _GIGAHERTZ.search(model))]
    return f"{float(matches[0][1]) * 1e3:.0f}" if matches else DASH
