"""Latency and bandwidth as HPC Challenge reports them, what the order of ranks costs, and maps of all pairs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.compare import compare
from groma.analysis.order import Median
from groma.programs.hpcc.figures import LONG, SHORT, HpccTimes, Times, figures, measured
from groma.programs.study import Study
from groma.results import Run
from groma.text.charts import HeatMap
from groma.text.numbers import DASH, significant
from groma.text.tables import Table

TITLE = "HPC Challenge: latency and bandwidth"
HEADINGS = ["figure", "latency us", "95% interval", "bandwidth GB/s", "95% interval"]
_LATENCY, _BANDWIDTH = "Latency_usec", "Bandwidth_GBytes"
_ROWS = {  # the names of both figures, without what they are of
    "ping-pong, slowest pair": ("MaxPingPong", "MinPingPong"),
    "ping-pong, mean of the pairs": ("AvgPingPong", "AvgPingPong"),
    "ping-pong, fastest pair": ("MinPingPong", "MaxPingPong"),
    "ring in the order of the ranks": ("NaturallyOrderedRing", "NaturallyOrderedRing"),
    "rings in random orders": ("RandomlyOrderedRing", "RandomlyOrderedRing"),
}
_METHOD = (
    f"Latency at {SHORT} B, bandwidth at {LONG:,} B, of one rank. In a ring each rank sends to both neighbours and "
    "receives from both; the faster of halo/sendrecv and halo/all_at_once counts. Random orders: the geometric mean of "
    "their times."
)
ONE_PAIR = 2  # both orders of its ranks


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study | None:
    """Return the figures with maps of the pairs; None if nothing of the test was measured."""
    del summaries, against
    found = measured(run)
    values = figures(found)
    if not values:
        return None
    rows = [[title, *_cells(values, names)] for title, names in _ROWS.items()]
    return Study(
        TITLE,
        _conclusions(found, values),
        [],
        [Table("Figures", HEADINGS, rows, [_pairs_note(run, found), _METHOD])],
        [],
        [_map(size, found.pairs[size]) for size in sorted(found.pairs) if len(found.pairs[size]) > ONE_PAIR],
    )


def _cells(values: Mapping[str, Median], names: tuple[str, str]) -> list[str]:
    cells = []
    for name, kind in zip(names, (_LATENCY, _BANDWIDTH), strict=True):
        figure = values.get(name + kind)
        ends = figure.interval if figure else None
        cells.append(significant(figure.value if figure else None, 3))
        cells.append(ends.text(3) if ends else DASH)
    return cells


def _conclusions(found: HpccTimes, values: Mapping[str, Median]) -> list[str]:
    sentences = []
    latency, bandwidth = values.get(f"AvgPingPong{_LATENCY}"), values.get(f"AvgPingPong{_BANDWIDTH}")
    if latency and bandwidth:
        sentences.append(
            f"Two ranks alone: {significant(latency.value, 3)} us one way and {significant(bandwidth.value, 3)} GB/s, "
            "the mean of the pairs."
        )
    for size, kind, what in ((SHORT, _LATENCY, "latency"), (LONG, _BANDWIDTH, "bandwidth")):
        if size in found.rings:
            sentences.append(_order_sentence(found, values, size, kind, what))
    return sentences


def _order_sentence(found: HpccTimes, values: Mapping[str, Median], size: int, kind: str, what: str) -> str:
    """State the figures of all ranks at once, and the effect of a random order."""
    rings = found.rings[size]
    natural = values[f"NaturallyOrderedRing{kind}"]
    compared = compare(rings.random, rings.natural)
    longer = f"{significant(compared.ratio, 3)} times as long"
    ends = compared.interval
    longer += f" ({ends.text(3)})" if ends else ""
    unit = "us" if kind == _LATENCY else "GB/s for each"
    return (
        f"All ranks in a ring: a {what} of {significant(natural.value, 3)} {unit}; in random orders a message takes "
        f"{longer}."
    )


def _pairs_note(run: Run, found: HpccTimes) -> str:
    ranks = run.meta.rank_counts[0]
    pairs = max(map(len, found.pairs.values()), default=0)
    return f"Ping-pong of {pairs} of {ranks * (ranks - 1)} ordered pairs of ranks, one after another."


def _map(size: int, pairs: Mapping[tuple[int, int], Times]) -> HeatMap:
    """Return how many times the median of all pairs each takes; the rank that sends first by row."""
    ranks = sorted({rank for pair in pairs for rank in pair})
    values = np.full((len(ranks), len(ranks)), np.nan)
    for (client, server), times in pairs.items():
        values[ranks.index(client), ranks.index(server)] = np.median(list(times.values()))
    return HeatMap(
        title=f"Ping-pong of {size:,} B",
        unit="times the median of all pairs",
        down="sends first",
        across="answers",
        names=tuple(f"rank {rank}" for rank in ranks),
        values=values / np.nanmedian(values),
    )
