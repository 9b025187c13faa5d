"""The pictures of one point's samples: launch to launch, in time order, their distribution, when ranks were done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.analysis.histogram import RULE
from groma.report.pictures import MOST_PROCESSES
from groma.text.charts import COLOURS, Axis, Drawing, Picture, axes

if TYPE_CHECKING:
    from collections.abc import Iterable


_HEIGHT = 170
_ROW_HEIGHT, _OF_ROW = 26, 0.85  # of a process's histogram, and how much of it the fullest bin takes
_TIME = "\N{MICRO SIGN}s"
_PARTS_OF_TRACE = ("launch", "disturbed", "left_out", "trace", "steady_from", "borders")
_Row = tuple[float, ...]
_RANKS = ("first", "\u00bc", "\u00bd", "\u00be", "last")


def pictures(data: dict[str, Any], levels: Iterable[float], name: str) -> list[Picture]:
    """Return the pictures of a point from what `groma.report.pictures.samples` returns of it."""
    drawn = [
        Picture(
            "Launch to launch",
            "Median of each launch with its own interval; line and band: the figure and the bounds of the table.",
            _launches(data).svg(f"Median of every launch, {name}"),
        ),
        Picture(
            "In time order",
            "Every launch from its first to its last sample; lines reach from smallest to largest.",
            _trace(data).svg(f"Samples in time order, launch after launch, {name}"),
            _trace_keys(data),
        ),
        Picture(
            "Distribution",
            "Share of the samples below a time, a line per launch; the slowest 1% are not drawn.",
            _distribution(data, list(levels)).svg(f"Cumulated distribution of the samples of every launch, {name}"),
        ),
        Picture(
            "Histogram",
            f"All launches, without the slowest 1%; bins are {RULE}; dashed: peaks.",
            _histogram(data["histogram"]).svg(f"Histogram of the samples of all launches, {name}"),
        ),
    ]
    if data["processes"]:
        drawn += _of_processes(data["processes"], list(levels), name)
    if data["completion"]:
        note = "Time after the first entry at which ranks were done, a line per launch; on the global clock."
        drawing = _completion(data).svg(f"Completion times over ranks, of every launch, {name}")
        drawn.append(Picture("When ranks were done", note, drawing))
    return drawn


def _launches(data: dict[str, Any]) -> Drawing:
    figure, low, high = data["figure"]
    bounds = [value for pair in data["own"] for value in pair]
    values = [value for value in [*data["median"], *bounds, figure, low, high] if value is not None]
    x = axes.whole("launch", data["launch"])
    drawing = Drawing(x, axes.even(_TIME, min(values), max(values)), _HEIGHT)
    if low is not None and high is not None:
        drawing.rectangles([(x.low, x.high, low, high)], "s1 quiet")
    drawing.line([(x.low, figure), (x.high, figure)], "s1")
    rows = list(zip(data["launch"], data["median"], data["own"], data["texts"], strict=True))
    for flag, kind in _kinds(data):
        own = [row for row, mark in zip(rows, data["disturbed"], strict=True) if mark == flag]
        drawing.spans([(launch, *bound) for launch, _, bound, _ in own if None not in bound], kind)
        drawing.marks(((launch, median, text) for launch, median, _, text in own), kind)
    return drawing


def _trace(data: dict[str, Any]) -> Drawing:
    """Return samples in time order; a launch takes four fifths of a step, with its discarded samples."""
    values = [value for part in ("left_out", "trace") for rows in data[part] for row in rows for value in row]
    drawing = Drawing(axes.whole("launch", data["launch"]), axes.levels(_TIME, values), _HEIGHT)
    parts = list(zip(*(data[name] for name in _PARTS_OF_TRACE), strict=True))
    borders = [
        (
            _across(launch, share),
            min(low for low, _, _ in (*left_out, *trace)),
            max(high for *_, high in (*left_out, *trace)),
        )
        for launch, _, left_out, trace, _, shares in parts
        for share in shares
    ]
    drawing.spans(borders, "border")
    before = [row for launch, _, rows, _, end, _ in parts for row in _placed(launch, rows, 0, end)]
    _cloud(drawing, before, "before")
    for flag, kind in _kinds(data):
        own = [part for part in parts if part[1] == flag]
        _cloud(drawing, [row for launch, _, _, rows, start, _ in own for row in _placed(launch, rows, start, 1)], kind)
    return drawing


def _cloud(drawing: Drawing, rows: list[_Row], kind: str) -> None:
    drawing.spans([(x, low, high) for x, low, _, high in rows if low < high], f"{kind} faint")
    drawing.specks([(x, median) for x, _, median, _ in rows], kind)


def _placed(launch: int, rows: list[list[float]], start: float, end: float) -> list[_Row]:
    """Return smallest, median and largest of each bin, evenly between two shares of the launch's series."""
    step = (end - start) / max(1, len(rows))
    return [(_across(launch, start + step * (place + 0.5)), *row) for place, row in enumerate(rows)]


def _across(launch: int, share: float) -> float:
    return launch - 0.4 + 0.8 * share


def _trace_keys(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return names of what only some series have: discarded samples, and more than one level."""
    entries = [("discarded, before the steady part", "before")] if any(data["left_out"]) else []
    return [*entries, ("a new level begins", "border")] if any(data["borders"]) else entries


def _distribution(data: dict[str, Any], shares: list[float]) -> Drawing:
    times = [time for quantiles in data["quantiles"] for time in quantiles]
    share = axes.even("share of samples", 0, 1, lambda part: f"{part:.0%}")
    drawing = Drawing(axes.levels(_TIME, times, shared=True), share, _HEIGHT)
    for quantiles, mark in zip(data["quantiles"], data["disturbed"], strict=True):
        drawing.line(list(zip(quantiles, shares, strict=True)), f"thin {_kind(mark)}")
    return drawing


def _histogram(data: dict[str, Any]) -> Drawing:
    edges, counts = data["edges"], data["counts"]
    most = max(counts)
    drawing = Drawing(_across_bins([data]), axes.even("samples", 0, most, count=4), _HEIGHT)
    drawing.rectangles(_bars(data, 0, most), "s1")
    inside = [(time, share) for time, share in data["peaks"] if edges[0] <= time <= edges[-1]]
    drawing.spans([(time, 0, most) for time, _ in inside], "peak")
    texts = ((time, most, f"Peak at {time} {_TIME}, {share:.0%} of the samples around it") for time, share in inside)
    drawing.marks(texts, "flagged", 5)
    return drawing


def _across_bins(histograms: list[dict[str, Any]]) -> Axis:
    """Return the axis of the bins' times; times that are all the same have room beside them."""
    low, high = (
        min(histogram["edges"][0] for histogram in histograms),
        max(histogram["edges"][-1] for histogram in histograms),
    )
    room = 1.05 if high < 1.001 * low else 1.0
    return axes.levels(_TIME, (low / room, high * room), shared=True)


def _bars(data: dict[str, Any], base: float, height: float) -> list[tuple[float, float, float, float]]:
    """Return left, right, low and high of the bins that hold something; the fullest one is so high."""
    most = max(data["counts"])
    bins = zip(data["edges"], data["edges"][1:], data["counts"], strict=False)
    return [(left, right, base, base + height * count / most) for left, right, count in bins if count]


def _of_processes(processes: list[dict[str, Any]], levels: list[float], name: str) -> list[Picture]:
    """Return the histograms of all processes and of each, one above the other, and the same cumulated."""
    several = "Every process's own times, all launches"
    which = "each" if len(processes) <= MOST_PROCESSES else f"the first {MOST_PROCESSES}"
    kinds = [f"s{1 + place % COLOURS}" for place in range(len(processes))]
    keys = [(process["name"], kind) for process, kind in zip(processes, kinds, strict=True)]
    return [
        Picture(
            "Each process",
            f"{several}; first all together, then {which}. The fullest bin is as high as its row; dashed: peaks.",
            _rows(processes, kinds).svg(f"Histograms of every process's times, {name}"),
        ),
        Picture(
            "Each process, cumulated",
            f"{several}: share of the calls below a time; the slowest 1% are not drawn.",
            _cumulated(processes, kinds, levels).svg(f"Cumulated distributions of every process's times, {name}"),
            keys if len(keys) <= COLOURS else [("all, and each in the colours of its row", "s1")],
        ),
    ]


def _rows(processes: list[dict[str, Any]], kinds: list[str]) -> Drawing:
    names = [process["name"] for process in reversed(processes)]
    height = max(_HEIGHT, _ROW_HEIGHT * len(names))
    drawing = Drawing(_across_bins(processes), axes.rows("process", names), height)
    for place, (process, kind) in enumerate(zip(reversed(processes), reversed(kinds), strict=True)):
        drawing.rectangles(_bars(process, place, _OF_ROW), kind)
        drawing.spans(
            [(time, place, place + _OF_ROW) for time, _ in process["peaks"] if time <= process["edges"][-1]], "peak"
        )
    return drawing


def _cumulated(processes: list[dict[str, Any]], kinds: list[str], levels: list[float]) -> Drawing:
    times = [time for process in processes for time in process["quantiles"]]
    share = axes.even("share of calls", 0, 1, lambda part: f"{part:.0%}")
    drawing = Drawing(axes.levels(_TIME, times, shared=True), share, _HEIGHT)
    for place, (process, kind) in enumerate(zip(processes, kinds, strict=True)):
        drawing.line(list(zip(process["quantiles"], levels, strict=True)), f"thin {kind}" if place else kind)
    return drawing


def _completion(data: dict[str, Any]) -> Drawing:
    times = [time for row in data["completion"] for time in row]
    y = axes.even(f"{_TIME} after the first entry", min(times), max(times))
    drawing = Drawing(axes.named("share of the ranks that are done", _RANKS), y, _HEIGHT)
    for row, mark, text in zip(data["completion"], data["disturbed"], data["texts"], strict=True):
        drawing.line(list(enumerate(row)), f"thin {_kind(mark)}")
        launch = text.partition(":")[0]
        texts = (
            (place, time, f"{launch}, {name} done after {time} {_TIME}") for (place, time), name in _with_names(row)
        )
        drawing.marks(texts, _kind(mark))
    return drawing


def _with_names(row: list[float]) -> Iterable[tuple[tuple[int, float], str]]:
    return zip(enumerate(row), _RANKS, strict=True)


def _kinds(data: dict[str, Any]) -> list[tuple[int, str]]:
    """Return the flags of launches there are, and how each is drawn: disturbed ones stand out."""
    return [(flag, _kind(flag)) for flag in sorted(set(data["disturbed"]))]


def _kind(disturbed: int) -> str:
    return "flagged" if disturbed else "s1"
