"""The study of the NAS page: LBW, ATA and STS over sizes and process counts, the best of several runs, interference.

A run of that page is a launch here; the best run is the one with the shortest time, as on the page. MB/s are 10^6
bytes per second and process.
"""

from __future__ import annotations

from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from groma.programs.nas import pvm
from groma.programs.nas.reference import Reference, references
from groma.programs.nas.results import Result, Results, digits, read_results
from groma.programs.study import Study
from groma.text.charts import Chart, Curve
from groma.text.counts import counted
from groma.text.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.analysis import PointSummary
    from groma.results import Run

LATENCY_BYTES, LBW_BYTES, ATA_BYTES = 40, 1_000_000, 100_000
CYCLES_S = (0.1, 1.0, 10.0)
EFFICIENT = 0.9
_MB_S = "MB/s per process"
_WHICH_RUN = (
    "Figures of this study are those of the best of {}, as NAS reported them. All other figures of Groma are medians "
    "over launches, and therefore slower."
)


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return the tables of the NAS page for this run, beside those of the reference systems named in `against`."""
    results, systems = read_results(summaries), references(against)
    tables = [
        *_lbw_tables(results),
        *_ata_tables(results),
        *_sts_tables(results),
        *_interference(results),
        *_every_run(results),
        *_summaries(run, results, systems),
        *pvm.tables(run, systems, LATENCY_BYTES, LBW_BYTES),
    ]
    return Study(
        title="NAS study: LBW, ATA, STS",
        sentences=[_WHICH_RUN.format(counted(run.meta.launches, "run")), *conclusions(results)],
        conditions=_conditions(run),
        tables=[table for table in tables if table.rows],
        charts=[chart for chart in _charts(run, results, systems) if any(len(c.points) > 1 for c in chart.curves)],
    )


def conclusions(results: Results) -> list[str]:
    """Say what the tests mean for an application."""
    sentences = []
    latency, bandwidth = results.lbw_at(LATENCY_BYTES), results.lbw_at(LBW_BYTES)
    if latency and bandwidth:
        sentences.append(
            f"Two processes, best run: {latency.us} µs for {LATENCY_BYTES} bytes, "
            f"{bandwidth.mb_s} MB/s at {LBW_BYTES:,} bytes."
        )
    loaded = [result for result in results.load if result.processes > 2]
    if loaded and results.load[0].processes == 2:
        share = loaded[-1].bandwidth / results.load[0].bandwidth
        sentences.append(
            f"{loaded[-1].processes // 2} pairs at once get {share:.0%} of a single pair's bandwidth each."
        )
    singles = [result for result in results.main_sts if result.sides == "single"]
    if singles:
        worst = singles[-1]
        sentences.append(
            f"One pass of STS on {worst.processes} processes takes {worst.ms} ms: "
            f"{100 * worst.time_s:.2g}% of a compute cycle of one second."
        )
        reached = "; ".join(f"{cycle:g} s, {_largest(singles, cycle)}" for cycle in CYCLES_S)
        sentences.append(f"{EFFICIENT:.0%} parallel efficiency with compute cycles of {reached}.")
    return sentences


def _largest(passes: list[Result], cycle_s: float) -> str:
    efficient = [result.processes for result in passes if cycle_s / (cycle_s + result.time_s) >= EFFICIENT]
    return f"up to {max(efficient)} processes" if efficient else "at no process count measured"


def _conditions(run: Run) -> list[tuple[str, str]]:
    nodes = [node for launch in run.launches if launch.nodes for node in launch.nodes.nodes]
    starts = [launch.start for launch in run.launches if launch.start]
    distinct = {node.name: node for node in nodes}
    conditions = [
        ("nodes", f"{len(distinct)} x {next(iter(distinct.values())).cpus} CPUs" if distinct else ""),
        ("processor", _distinct(node.cpu_model for node in nodes)),
        ("memory", _distinct(f"{node.memory_bytes / 2**30:.0f} GiB a node" for node in nodes)),
        ("system", _distinct(node.kernel for node in nodes)),
        ("library", _distinct(" ".join(start.library.text.split()) for start in starts)),
        ("compiler", _distinct(start.compiler for start in starts)),
        ("date", datetime.fromisoformat(run.meta.created).strftime("%B %Y") if run.meta.created else ""),
        ("runs", f"{run.meta.launches} of each test; the best is reported, all are listed"),
        ("more ranks than CPUs", _distinct((f"{start.ranks} ranks" for start in starts if start.oversubscribed), ", ")),
    ]
    return [(name, text) for name, text in conditions if text]


def _distinct(texts: Iterable[str], joint: str = " and ") -> str:
    return joint.join(sorted(set(texts)))


def _latency_and_bandwidth(results: Results) -> list[list[str]]:
    """Return the cells of LBW, bandwidth first; none unless both sizes were measured."""
    latency, bandwidth = results.lbw_at(LATENCY_BYTES), results.lbw_at(LBW_BYTES)
    return [[bandwidth.mb_s, latency.us]] if latency and bandwidth else []


def _lbw_tables(results: Results) -> list[Table]:
    most_processes = results.counts[-1] if results.counts else 0
    lbw = {result.bytes: result.mb_s for result in results.lbw}
    ata = {result.bytes: result.mb_s for result in results.ata if result.processes == most_processes}
    headings = ["bytes", f"LBW, {_MB_S}", f"ATA on {most_processes} processes, {_MB_S}"]
    rows = [[str(size), lbw.get(size, ""), ata.get(size, "")] for size in sorted({*lbw, *ata})]
    return [
        Table("LBW test", [_MB_S, "latency, µs"], _latency_and_bandwidth(results)),
        Table("Bandwidth by message size", headings, rows),
    ]


def _ata_tables(results: Results) -> list[Table]:
    rows, latencies = [], []
    for processes in results.counts:
        full, small = results.ata_at(processes, ATA_BYTES), results.ata_at(processes, LATENCY_BYTES)
        if full:
            rows.append([str(processes), full.mb_s])
        if full and small:
            share = 100 * small.time_s / full.time_s
            latencies.append([str(processes), full.ms, small.ms, digits(share)])
    return [
        Table(f"ATA test, {ATA_BYTES:,} bytes to each process", ["processes", _MB_S], rows),
        Table(
            f"ATA latency, {LATENCY_BYTES} bytes to each process",
            ["processes", "total time, ms", "latency, ms", "percent overhead"],
            latencies,
            [f"Total time: {ATA_BYTES:,} bytes to each process. Percent overhead: latency over total time."],
        ),
    ]


def _sts_tables(results: Results) -> list[Table]:
    """Return the tables of STS from one send buffer, and of STS with a buffer for each message if both were run."""
    several = len(results.sts_by_buffer) > 1
    return [
        table
        for buffer, passes in results.sts_by_buffer.items()
        for table in _sts_from(buffer, passes, f", {buffer}" * several)
    ]


def _sts_from(buffer: str, passes: list[Result], mark: str) -> list[Table]:
    rows, overheads = [], []
    for processes in sorted({result.processes for result in passes}):
        by_side = {result.sides: result for result in passes if result.processes == processes}
        pairs = [
            (by_side[side].mb_s, by_side[side].ms) if side in by_side else ("", "") for side in ("single", "double")
        ]
        rows.append([str(processes), *chain(*pairs)])
        if "single" in by_side:
            passing = by_side["single"].time_s
            overheads.append([str(processes), *(f"{100 * passing / cycle:.2g}" for cycle in CYCLES_S)])
    return [
        Table(
            f"STS test, 6 messages a process{mark}",
            ["processes", f"single-sided, {_MB_S}", "per pass, ms", f"double-sided, {_MB_S}", "per pass, ms"],
            rows,
            [f"A process sends all its messages {buffer}."],
        ),
        Table(
            f"Message passing in percent of a compute cycle{mark}",
            ["processes", *(f"cycle of {cycle:g} s" for cycle in CYCLES_S)],
            overheads,
            ["One single-sided pass of STS at the end of every cycle."],
        ),
    ]


def _interference(results: Results) -> list[Table]:
    alone = next((result for result in results.load if result.processes == 2), None)
    if alone is None:
        return []
    rows = [
        [str(one.processes // 2), str(one.processes), one.mb_s, f"{100 * one.bandwidth / alone.bandwidth:.1f}"]
        for one in results.load
    ]
    return [Table("LBW message passing load test", ["LBW runs", "processes", _MB_S, "memory efficiency, %"], rows)]


def _every_run(results: Results) -> list[Table]:
    tests = [
        *(("lbw", result) for result in results.lbw if result.bytes == LBW_BYTES),
        *(("ata", result) for result in results.ata if result.bytes == ATA_BYTES),
        *((f"sts, {result.sides}-sided{mark}", result) for mark, result in results.sts_marked),
    ]
    rows = []
    for name, result in tests:
        worst, best = min(result.bandwidths), max(result.bandwidths)
        listed = "  ".join(digits(bandwidth) for bandwidth in result.bandwidths)
        rows.append([f"{name}, {result.processes} processes", listed, f"{worst / best:.0%}"])
    return [Table("Every run", ["test", _MB_S, "worst over best"], rows)]


def _summaries(run: Run, results: Results, systems: list[Reference]) -> list[Table]:
    host = run.meta.host
    lbw = [[host, *cells] for cells in _latency_and_bandwidth(results)]
    lbw += [[system.name, *system.lbw] for system in systems if system.lbw]
    ata = [[host, four.mb_s]] if (four := results.ata_at(4, ATA_BYTES)) else []
    ata += [[system.name, system.ata_of_four] for system in systems if system.ata_of_four]
    largest = [result for result in results.main_sts if result.sides == "single"][-1:]
    sts = [[host, str(result.processes), result.mb_s, result.ms] for result in largest]
    sts += [[system.name, "16", *system.sts_of_sixteen] for system in systems if system.sts_of_sixteen]
    return [
        Table("Summary: LBW", ["system", _MB_S, "latency, µs"], lbw),
        Table("Summary: ATA on 4 processes", ["system", _MB_S], ata),
        Table("Summary: STS", ["system", "processes", _MB_S, "per pass, ms"], sts),
    ]


def _charts(run: Run, results: Results, systems: list[Reference]) -> list[Chart]:
    host = run.meta.host
    sized = [Curve.of(f"{host}, LBW", [(result.bytes, result.bandwidth) for result in results.lbw])]
    sized += [
        Curve.of(f"{host}, ATA on {count}", [(r.bytes, r.bandwidth) for r in results.ata if r.processes == count])
        for count in results.counts
    ]
    by_count = [Curve.of(f"{host}, ATA", [(r.processes, r.bandwidth) for r in results.ata if r.bytes == ATA_BYTES])]
    for mark in dict.fromkeys(mark for mark, _ in results.sts_marked):
        for side in ("single", "double"):
            own = [r for its, r in results.sts_marked if (its, r.sides) == (mark, side)]
            by_count.append(Curve.of(f"{host}, STS {side}-sided{mark}", [(r.processes, r.bandwidth) for r in own]))
    sized += _published("LBW", {system.name: system.lbw_by_size for system in systems})
    by_count += _published("ATA", {system.name: system.ata_by_count for system in systems})
    by_count += _published("STS", {system.name: system.sts_by_count for system in systems})
    return [
        Chart("Bandwidth by message size", "message size", _MB_S, sized),
        Chart("Bandwidth by process count", "processes", _MB_S, by_count, sized=False),
    ]


def _published(test: str, places: Mapping[str, Sequence[tuple[float, float]]]) -> list[Curve]:
    """Return the published curves of a test by system, of those that have one."""
    return [Curve.of(f"{name}, {test}", own, reference=True) for name, own in places.items() if own]
