"""LogGP: what a message costs its sender, its receiver and the network, and where that model ends.

The parameters are those of request sequences (docs/methods.md). With PRTT(n,d,s), the time of n requests of s bytes, d
apart, and one reply: the gap is (PRTT(n,0,s) - PRTT(1,0,s)) / (n-1); o_s is (PRTT(n,d,s) - PRTT(1,0,s)) / (n-1) - d;
o_r is what each of n-1 replies adds that is received after d, when it is there; L is PRTT(1,0,s)/2 - o_s - o_r. g and G
are those of the line gap = g + (s-1) G.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from groma.analysis import PointSummary, models
from groma.analysis.order import Median
from groma.programs.study import Study
from groma.results import Run
from groma.text.charts import Chart, Curve
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

_BAD_LINE = 0.1
_RULES = (
    "o_s, o_r: time to send, receive a message; gap: time per message of a sequence, g + (s-1) G; way: L + (s-1) G.",
    "From request sequences: differences of round trips within a repetition, medians of launches, their median.",
)
OPERATION = "request_trains"


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return the parameters of every pair of ranks; no published figures exist for them."""
    del run, against
    models = {name: loggp(points) for name, points in _pairs(summaries).items()}
    return Study(
        "LogGP",
        [sentence for name, model in models.items() for sentence in _sentences(name, model)],
        [],
        [make(name, model) for name, model in models.items() for make in (_parameters, _sizes)],
        [_chart(name, model) for name, model in models.items()],
    )


def _pairs(summaries: list[PointSummary]) -> dict[str, list[PointSummary]]:
    """Return the points of each pair, under a name that distinguishes it."""
    pairs: dict[tuple[int, str, str], list[PointSummary]] = defaultdict(list)
    for point in summaries:
        if point.operation == OPERATION and any(launch.phases_ns for launch in point.launches):
            pairs[point.ranks, str(point.point["pattern"]), point.variant or ""].append(point)
    names = {}
    for (ranks, pattern, variant), points in pairs.items():
        ends = "-".join(map(str, points[0].members[:2]))
        launched = f", {ranks} ranks launched" if len({key[0] for key in pairs}) > 1 else ""
        names[f"{pattern} ({ends}){launched}{f', {variant}' if variant else ''}"] = points
    return names


def _sentences(name: str, model: LogGP) -> list[str]:
    sentences = []
    if model.max_error is not None and model.last_bytes is not None and model.last_bytes < model.sizes[-1].bytes:
        reach = f"up to {format_size(model.last_bytes)}"
        sentences.append(f"{name}: one line describes the gaps {reach}; beyond, another one does.")
    beyond = next((size.bytes for size in model.sizes if not size.holds), None)
    if beyond is not None:
        sentences.append(
            f"{name}: from {format_size(beyond)} on the overheads take longer than the way: the two ranks wait for "
            "each other, which LogGP does not describe."
        )
    if model.max_error is not None and model.max_error > _BAD_LINE:
        sentences.append(f"{name}: the line through the gaps is off by up to {model.max_error:.0%}.")
    return sentences


def _parameters(name: str, model: LogGP) -> Table:
    smallest = model.smallest
    rows = [
        ["L, latency", *_cells(smallest.way, 1e3), "us"],
        ["o_s, send overhead", *_cells(smallest.send, 1e3), "us"],
        ["o_r, receive overhead", *_cells(smallest.receive, 1e3), "us"],
        ["g, gap between messages", *_cells(model.gap, 1e3), "us"],
        ["G, gap per byte", *_cells(model.gap_per_byte, 1), "ns/B"],
    ]
    of_line = "need four sizes" if model.last_bytes is None else f"from the sizes up to {format_size(model.last_bytes)}"
    notes = [f"L and overheads at {format_size(smallest.bytes)}.", f"g and G {of_line}."]
    return Table(f"LogGP of {name}", ["parameter", "value", "95% interval", "unit"], rows, notes)


def _sizes(name: str, model: LogGP) -> Table:
    headings = ["size", "o_s us", "95% interval", "o_r us", "95% interval", "gap us", "95% interval", "way us"]
    rows = [
        [
            format_size(size.bytes),
            *chain(*(_cells(figure, 1e3) for figure in (size.send, size.receive, size.gap))),
            significant(size.way.value / 1e3, 3) if size.holds else DASH,
        ]
        for size in model.sizes
    ]
    return Table(f"Overheads and gaps of {name}", headings, rows, list(_RULES))


def _cells(figure: Median | None, unit_ns: float) -> tuple[str, str]:
    if figure is None:
        return DASH, DASH
    bounds = figure.interval
    text = bounds.text(3, 1 / unit_ns) if bounds else DASH
    return significant(figure.value / unit_ns, 3), text


def _chart(name: str, model: LogGP) -> Chart:
    parts = {"o_s": "send", "o_r": "receive", "gap": "gap"}
    curves = [
        Curve.of(title, [(size.bytes, getattr(size, part).value / 1e3) for size in model.sizes if size.bytes > 0])
        for title, part in parts.items()
    ]
    return Chart(f"Overheads and gap, {name}", "message size, bytes", "time, us", curves)


@dataclass(frozen=True)
class SequenceTimes:
    """The times of one launch at one size, in nanoseconds: medians over repetitions."""

    send_ns: float
    receive_ns: float
    gap_ns: float
    way_ns: float  # L + (s-1) G: one way without overheads


@dataclass(frozen=True)
class SizeParameters:
    """The figures of one message size."""

    bytes: int
    launches: tuple[SequenceTimes, ...]
    send: Median
    receive: Median
    gap: Median
    way: Median

    @property
    def holds(self) -> bool:
        """True if the latency without overheads is positive: above the eager limit, one side waits for the other."""
        return self.way.value > 0


@dataclass(frozen=True)
class LogGP:
    """The five parameters of one pair of ranks, and the sizes that they are from.

    Overheads and latency are those of the smallest size. g and G are those of the segment of the gaps that begins
    there, up to `last_bytes`; None if too few sizes were measured for a line.
    """

    sizes: tuple[SizeParameters, ...]
    gap: Median | None
    gap_per_byte: Median | None
    last_bytes: int | None
    max_error: float | None

    @property
    def smallest(self) -> SizeParameters:
        """The smallest size."""
        return self.sizes[0]


def sequence_times(phases_ns: Mapping[str, ArrayLike], requests: int) -> SequenceTimes:
    """Return the medians of one launch in ns; every difference is taken within a repetition.

    `phases_ns` has for each phase the times of all repetitions; `requests` is n. The formulas are those of Hoefler,
    Lichei and Rehm (Low-overhead LogGP parameter assessment for modern interconnection networks, 2007).
    """
    single, train, delays, spaced, late = (
        np.asarray(phases_ns[name], dtype=np.float64) for name in ("single", "train", "delays", "spaced", "late")
    )
    between = requests - 1
    send = (spaced - single - delays) / between
    receive = (late - spaced) / between
    parts = (send, receive, (train - single) / between, single / 2 - send - receive)
    return SequenceTimes(*(float(np.median(part)) for part in parts))


def loggp(points: Sequence[PointSummary]) -> LogGP:
    """Return the parameters from the sizes of one pair, of which there is at least one, all with `OPERATION`."""
    sizes = sorted((_at_size(point) for point in points), key=lambda size: size.bytes)
    model = models.fit([size.bytes for size in sizes], [size.gap.value for size in sizes])
    if model is None:
        return LogGP(tuple(sizes), None, None, None, None)
    first = model.line if model.one_line else model.segments[0]
    covered = [size for size in sizes if size.bytes <= first.last]
    launches = min(len(size.launches) for size in covered)
    lines = [
        models.line([size.bytes for size in covered], [size.launches[launch].gap_ns for size in covered])
        for launch in range(launches)
    ]
    return LogGP(
        tuple(sizes),
        gap=Median.of([line.time_ns(1) for line in lines]),
        gap_per_byte=Median.of([line.ns_per_byte for line in lines]),
        last_bytes=first.last,
        max_error=first.max_error,
    )


def _at_size(point: PointSummary) -> SizeParameters:
    launches = tuple(
        sequence_times(launch.phases_ns, int(point.point["window"])) for launch in point.launches if launch.phases_ns
    )
    return SizeParameters(
        bytes=point.bytes or 0,
        launches=launches,
        send=Median.of([times.send_ns for times in launches]),
        receive=Median.of([times.receive_ns for times in launches]),
        gap=Median.of([times.gap_ns for times in launches]),
        way=Median.of([times.way_ns for times in launches]),
    )
