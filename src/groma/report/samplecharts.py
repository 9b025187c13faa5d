"""The pictures of one point's samples: launch to launch, in time order, their distribution, when ranks were done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groma.analysis.grouping import grouped
from groma.analysis.peaks import RULE
from groma.report.pictures import LEVELS, MOST_PROCESSES, Bins, LaunchSamples, PointSamples, Process
from groma.text.charts import COLOURS, Axis, Drawing, Picture, axes

_HEIGHT = 170
_ROW_HEIGHT, _OF_ROW = 26, 0.85  # of a process's histogram, and how much of it the fullest bin takes
_TIME = "\N{MICRO SIGN}s"
_Row = tuple[float, ...]
_RANKS = ("first", "\u00bc", "\u00bd", "\u00be", "last")


def pictures(data: PointSamples, name: str) -> list[Picture]:
    """Return the pictures of a point from what `groma.report.pictures.samples` returns of it."""
    launches = data.launches
    drawn = [
        Picture(
            "Launch to launch",
            "Median of each launch with its own interval; line and band: the figure and the bounds of the table.",
            _launches(data).svg(f"Median of every launch, {name}"),
        ),
        Picture(
            "In time order",
            "Every launch from its first to its last sample; lines reach from smallest to largest.",
            _trace(launches).svg(f"Samples in time order, launch after launch, {name}"),
            _trace_keys(launches),
        ),
        Picture(
            "Distribution",
            "Share of the samples below a time, a line per launch; the slowest 1% are not drawn.",
            _distribution(launches).svg(f"Cumulated distribution of the samples of every launch, {name}"),
        ),
        Picture(
            "Histogram",
            f"All launches, without the slowest 1%; bins are {RULE}; dashed: peaks.",
            _histogram(data.histogram).svg(f"Histogram of the samples of all launches, {name}"),
        ),
    ]
    if data.processes:
        drawn += _of_processes(data.processes, name)
    done = [(launch, launch.done) for launch in launches if launch.done]
    if len(done) == len(launches):
        note = "Time after the first entry at which ranks were done, a line per launch; on the global clock."
        drawing = _completion(done).svg(f"Completion times over ranks, of every launch, {name}")
        drawn.append(Picture("When ranks were done", note, drawing))
    return drawn


def _launches(data: PointSamples) -> Drawing:
    ends = [end for bounds in (data.bounds, *(launch.own for launch in data.launches)) for end in bounds or ()]
    values = [data.figure, *(launch.figure for launch in data.launches), *ends]
    x = axes.whole("launch", [launch.number for launch in data.launches])
    drawing = Drawing(x, axes.even(_TIME, min(values), max(values)), _HEIGHT)
    if data.bounds:
        drawing.rectangles([(x.low, x.high, *data.bounds)], "s1 quiet")
    drawing.line([(x.low, data.figure), (x.high, data.figure)], "s1")
    for kind, own in _by_kind(data.launches):
        drawing.spans([(launch.number, *launch.own) for launch in own if launch.own], kind)
        drawing.marks(((launch.number, launch.figure, launch.text) for launch in own), kind)
    return drawing


def _trace(launches: Sequence[LaunchSamples]) -> Drawing:
    """Return samples in time order; a launch takes four fifths of a step, with its discarded samples."""
    values = [value for launch in launches for row in (*launch.left_out, *launch.trace) for value in row]
    drawing = Drawing(axes.whole("launch", [launch.number for launch in launches]), axes.levels(_TIME, values), _HEIGHT)
    drawing.spans([border for launch in launches for border in _borders(launch)], "border")
    before = [row for launch in launches for row in _placed(launch.number, launch.left_out, 0, launch.steady_from)]
    _cloud(drawing, before, "before")
    for kind, own in _by_kind(launches):
        rows = [row for launch in own for row in _placed(launch.number, launch.trace, launch.steady_from, 1)]
        _cloud(drawing, rows, kind)
    return drawing


def _borders(launch: LaunchSamples) -> list[tuple[float, float, float]]:
    """Return an upright line from the smallest to the largest sample at each border."""
    rows = [*launch.left_out, *launch.trace]
    low, high = min(row[0] for row in rows), max(row[-1] for row in rows)
    return [(_across(launch.number, share), low, high) for share in launch.borders]


def _cloud(drawing: Drawing, rows: list[_Row], kind: str) -> None:
    drawing.spans([(x, low, high) for x, low, _, high in rows if low < high], f"{kind} faint")
    drawing.specks([(x, median) for x, _, median, _ in rows], kind)


def _placed(launch: int, rows: list[list[float]], start: float, end: float) -> list[_Row]:
    """Return smallest, median and largest of each bin, evenly between two shares of the launch's series."""
    step = (end - start) / max(1, len(rows))
    return [(_across(launch, start + step * (place + 0.5)), *row) for place, row in enumerate(rows)]


def _across(launch: int, share: float) -> float:
    return launch - 0.4 + 0.8 * share


def _trace_keys(launches: Sequence[LaunchSamples]) -> list[tuple[str, str]]:
    """Return the legend of what only some series have: discarded samples, several levels."""
    entries = [("discarded, before the steady part", "before")] if any(one.left_out for one in launches) else []
    return [*entries, ("a new level begins", "border")] if any(one.borders for one in launches) else entries


def _distribution(launches: Sequence[LaunchSamples]) -> Drawing:
    drawing = _cumulated([launch.quantiles for launch in launches], "share of samples")
    for launch in launches:
        drawing.line(list(zip(launch.quantiles, LEVELS, strict=True)), f"thin {_kind(launch)}")
    return drawing


def _cumulated(quantiles: Iterable[list[float]], what: str) -> Drawing:
    share = axes.even(what, 0, 1, lambda part: f"{part:.0%}")
    return Drawing(axes.levels(_TIME, [time for times in quantiles for time in times], shared=True), share, _HEIGHT)


def _histogram(bins: Bins) -> Drawing:
    most = max(bins.counts)
    drawing = Drawing(_across_bins([bins]), axes.even("samples", 0, most, count=4), _HEIGHT)
    drawing.rectangles(_bars(bins, 0, most), "s1")
    inside = [(time, share) for time, share in bins.peaks if bins.edges[0] <= time <= bins.edges[-1]]
    drawing.spans([(time, 0, most) for time, _ in inside], "peak")
    texts = ((time, most, f"Peak at {time} {_TIME}, {share:.0%} of the samples around it") for time, share in inside)
    drawing.marks(texts, "flagged", 5)
    return drawing


def _across_bins(histograms: Sequence[Bins]) -> Axis:
    """Return the axis of the bins' times; times that are all the same have room beside them."""
    low, high = min(bins.edges[0] for bins in histograms), max(bins.edges[-1] for bins in histograms)
    room = 1.05 if high < 1.001 * low else 1.0
    return axes.levels(_TIME, (low / room, high * room), shared=True)


def _bars(bins: Bins, base: float, height: float) -> list[tuple[float, float, float, float]]:
    """Return left, right, low and high of the non-empty bins; the fullest one has this height."""
    most = max(bins.counts)
    ends = zip(bins.edges, bins.edges[1:], bins.counts, strict=False)
    return [(left, right, base, base + height * count / most) for left, right, count in ends if count]


def _of_processes(processes: Sequence[Process], name: str) -> list[Picture]:
    """Return the histograms of all processes and of each, one above the other, and the same cumulated."""
    several = "Every process's own times, all launches"
    which = "each" if len(processes) <= MOST_PROCESSES else f"the first {MOST_PROCESSES}"
    kinds = {process.name: f"s{1 + place % COLOURS}" for place, process in enumerate(processes)}
    keys = list(kinds.items()) if len(kinds) <= COLOURS else [("all, and each in the colours of its row", "s1")]
    cumulated = _cumulated([process.quantiles for process in processes], "share of calls")
    for place, process in enumerate(processes):
        kind = kinds[process.name]
        cumulated.line(list(zip(process.quantiles, LEVELS, strict=True)), f"thin {kind}" if place else kind)
    return [
        Picture(
            "Each process",
            f"{several}; first all together, then {which}. The fullest bin is as high as its row; dashed: peaks.",
            _rows(processes[::-1], kinds).svg(f"Histograms of every process's times, {name}"),
        ),
        Picture(
            "Each process, cumulated",
            f"{several}: share of the calls below a time; the slowest 1% are not drawn.",
            cumulated.svg(f"Cumulated distributions of every process's times, {name}"),
            keys,
        ),
    ]


def _rows(processes: Sequence[Process], kinds: dict[str, str]) -> Drawing:
    """Return a histogram for each process, from the bottom to the top."""
    height = max(_HEIGHT, _ROW_HEIGHT * len(processes))
    across = _across_bins([process.bins for process in processes])
    drawing = Drawing(across, axes.rows("process", [process.name for process in processes]), height)
    for place, process in enumerate(processes):
        drawing.rectangles(_bars(process.bins, place, _OF_ROW), kinds[process.name])
        peaks = [time for time, _ in process.bins.peaks if time <= process.bins.edges[-1]]
        drawing.spans([(time, place, place + _OF_ROW) for time in peaks], "peak")
    return drawing


def _completion(done: Sequence[tuple[LaunchSamples, list[float]]]) -> Drawing:
    times = [time for _, row in done for time in row]
    y = axes.even(f"{_TIME} after the first entry", min(times), max(times))
    drawing = Drawing(axes.named("share of the ranks that are done", _RANKS), y, _HEIGHT)
    for launch, row in done:
        drawing.line(list(enumerate(row)), f"thin {_kind(launch)}")
        named = enumerate(zip(row, _RANKS, strict=True))
        texts = (
            (place, time, f"Launch {launch.number}, {name} done after {time} {_TIME}") for place, (time, name) in named
        )
        drawing.marks(texts, _kind(launch))
    return drawing


def _by_kind(launches: Iterable[LaunchSamples]) -> list[tuple[str, list[LaunchSamples]]]:
    """Return the launches by how they are drawn: disturbed ones stand out, above the others."""
    return list(grouped(sorted(launches, key=lambda launch: launch.is_disturbed), _kind).items())


def _kind(launch: LaunchSamples) -> str:
    return "flagged" if launch.is_disturbed else "s1"
