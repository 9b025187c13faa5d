"""LogGP: what a message costs its sender, its receiver and the network, and where that model ends."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain

from groma.analysis import PointSummary
from groma.analysis.order import Median
from groma.programs.loggp.sequences import OPERATION, LogGP, loggp
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
