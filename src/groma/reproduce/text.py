"""The comment at the top of a C program: what it measures, what Groma found, and how to run it."""

from __future__ import annotations

import textwrap

from groma.analysis.summary import PointSummary
from groma.reproduce.choose import Chosen
from groma.reproduce.commands import compile_command, run_command
from groma.reproduce.method import Method
from groma.reproduce.operations import OPERATIONS
from groma.results import Run
from groma.text.counts import counted
from groma.text.sizes import format_size

_WIDTH = 110
_STARTS = {
    "none": "calls follow each other",
    "barrier": "an MPI_Barrier before each sample",
    "dissemination": "a dissemination barrier before each sample",
    "roundtime": "each sample starts at a time that rank 0 announces; samples for which a rank was late are repeated",
}
_OVER_RANKS = {
    "root": "the time of rank 0",
    "max": "the longest time of the ranks",
    "min": "the shortest time of the ranks",
    "mean": "the mean time of the ranks",
    "span": "the time from the first rank's entry to the last one's exit",
}


def head(run: Run, chosen: Chosen, method: Method, name: str, time: str) -> list[str]:
    """Return the lines of the comment; `time` is what one figure is, in the catalogue's words."""
    summary = chosen.summary
    size = "" if summary.bytes is None else f" of {format_size(summary.bytes)}"
    of_calls = f"of {method.calls} calls in a row" if method.in_blocks else "of one call"
    outliers = " middle half of the" if method.outliers == "trim_quarters" else ""
    measured = f"{run.libraries} on {run.meta.host}" if run.meta.host else run.libraries
    checked = " What arrived is checked at the end." if OPERATIONS[method.operation].expected else ""
    what = f"{method.operation}{size} among {counted(method.ranks, 'rank')}"
    sample = f"{_OVER_RANKS[method.reduce]}, {of_calls}; {_STARTS[method.sync]}"
    samples = f"the {method.estimator} of the{outliers} {method.samples} samples"
    sentences = (
        f"{what}, as Groma {run.meta.groma} measured it with {measured} (run {run.path.name}).",
        f"Groma's figure ({time}): {_figure(summary)}.",
        f"This program prints the figure of one launch: {samples}, after {counted(method.warmup, 'call')} of warm-up.",
        f"A sample is {sample}.{checked}",
        "Compile and run, as often as there were launches, and compare the medians:",
    )
    commands = [compile_command(name), run_command(name, chosen.records[0][0])]
    return [*_wrapped(*sentences), *(f"  {command}" for command in commands)]


def _figure(summary: PointSummary) -> str:
    launches = counted(len(summary.rows), "launch")
    bounds = summary.interval if summary.interval_kind in ("launches", "range") else None
    kind = "95 % interval" if summary.interval_kind == "launches" else "from"
    within = f", {kind} {bounds.low / 1e3:.4g} to {bounds.high / 1e3:.4g} us" if bounds else ""
    return f"{summary.time_ns / 1e3:.4g} us{within}, over {launches}"


def _wrapped(*sentences: str) -> list[str]:
    return [line for sentence in sentences for line in textwrap.wrap(sentence.replace("\N{MICRO SIGN}", "u"), _WIDTH)]
