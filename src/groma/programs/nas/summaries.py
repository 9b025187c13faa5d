"""The tables of the NAS page with a row for each system: the LBW test, every run, and the three summaries."""

from __future__ import annotations

from collections.abc import Sequence

from groma.programs.nas.reference import cells, notes
from groma.programs.nas.results import ATA_BYTES, LATENCY_BYTES, LBW_BYTES, MB_S, Results, by_label, digits
from groma.text.tables import Table

_PROCESSES = 16  # of which the summary has STS


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
