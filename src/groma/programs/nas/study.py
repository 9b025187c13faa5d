"""The study of the NAS page: LBW, ATA and STS over sizes and process counts, the best of several runs, interference.

A run of that page is a launch here; the best run is the one with the shortest time, as on the page. MB/s are 10^6
bytes per second and process. Variants of a run are columns, as the interconnects of the page's IBM SP are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from groma.analysis import PointSummary
from groma.programs.nas import summaries
from groma.programs.nas.grids import Page
from groma.programs.nas.results import (
    CYCLES_S,
    LATENCY_BYTES,
    LBW_BYTES,
    STS_BYTES,
    Result,
    Results,
    by_label,
    length,
    read_results,
)
from groma.programs.study import Study, conditions_apart
from groma.results import Run
from groma.text.counts import counted

EFFICIENT = 0.9
_WHICH_RUN = (
    "Figures of this study are those of the best of {}, as NAS reported them. All other figures of Groma are medians "
    "over launches, and therefore slower."
)


def study(run: Run, points: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return the tables of the NAS page for this run, beside those of the reference systems named in `against`."""
    results = read_results(points)
    page, shown = Page(run.meta.host, results, against), (run.meta.host, results, against)
    tables = [
        summaries.lbw("LBW test", "lbw", *shown),
        *(table for grid in page.grids() for table in grid.tables()),
        summaries.every_run(results),
        summaries.lbw("Summary: LBW", "summary_lbw", *shown),
        summaries.ata(*shown),
        summaries.sts(*shown),
        summaries.pvm(run, against),
    ]
    parts = run.by_variant() or {"": run}
    return Study(
        title="NAS study: LBW, ATA, STS",
        sentences=[_WHICH_RUN.format(counted(run.meta.launches, "run")), *conclusions(results)],
        conditions=conditions_apart({name: _conditions(part) for name, part in parts.items()}),
        tables=[table for table in tables if table.rows],
        charts=[*page.sizes().charts("message size"), *page.counts().charts("processes", sized=False)],
    )


def conclusions(results: Results) -> list[str]:
    """Say what the tests mean for an application, by label if there are several."""
    parts = (
        (results.lbw, _latency_and_bandwidth),
        (results.load, _interference),
        (results.singles, _overheads),
    )
    return [
        f"{label}: {sentence}" if label else sentence
        for test, say in parts
        for label, own in by_label(test).items()
        for sentence in say(own)
    ]


def _latency_and_bandwidth(lbw: list[Result]) -> Iterator[str]:
    at = {result.bytes: result for result in lbw}
    if LATENCY_BYTES in at and LBW_BYTES in at:
        yield (
            f"Two processes, best run: {at[LATENCY_BYTES].us} µs for {LATENCY_BYTES} bytes, "
            f"{at[LBW_BYTES].mb_s} MB/s at {LBW_BYTES:,} bytes."
        )


def _interference(load: list[Result]) -> Iterator[str]:
    if load[0].pairs == 1 < load[-1].pairs:
        share = load[-1].bandwidth / load[0].bandwidth
        yield f"{load[-1].pairs} pairs at once get {share:.0%} of a single pair's bandwidth each."


def _overheads(singles: list[Result]) -> Iterator[str]:
    worst = singles[-1]
    longest = length(worst.bytes)
    messages = f" with messages {longest}" * (worst.bytes != STS_BYTES and longest not in worst.label)
    yield (
        f"One pass of STS{messages} on {worst.processes} processes takes {worst.ms} ms: "
        f"{100 * worst.time_s:.2g}% of a compute cycle of one second."
    )
    reached = "; ".join(f"{cycle:g} s, {_largest(singles, cycle)}" for cycle in CYCLES_S)
    yield f"{EFFICIENT:.0%} parallel efficiency with compute cycles of {reached}."


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
