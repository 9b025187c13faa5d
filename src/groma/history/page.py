"""The page of a history: a small chart of every series, changes marked, and all figures in tables; without scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from markupsafe import Markup

from groma.history.timelines import Group, Timeline
from groma.history.told import (
    certainty,
    change_figures,
    changes_table,
    date,
    facts_text,
    heading,
    sentences,
    series_table,
    summary,
)
from groma.report.templating import rendered, save
from groma.text.charts import Axis, Drawing, Picture, axes
from groma.text.numbers import microseconds, significant

MOST_COLUMNS = 200  # more runs share the columns, about one for each pixel and a half of a small chart
_HEIGHT, _LEVELS = 130, 7
_BEYOND = 8.0  # standard deviations from the levels: what is farther off is drawn at the border
_US = 1e3


def write_page(groups: Sequence[Group], path: Path) -> Path:
    """Write the page and return its path; raises `OutputError` if it cannot be written."""
    return save(render(groups), path, "give another place with --report")


def render(groups: Sequence[Group]) -> str:
    """Return the page as HTML."""
    sections = [
        {
            "heading": heading(group),
            "summary": summary(group),
            "sentences": sentences(group),
            "changes": changes_table(group),
            "charts": charts(group),
            "series": series_table(group),
        }
        for group in groups
    ]
    return rendered("history.html", "groma.history", sections=sections, certainty=certainty(groups))


def charts(group: Group) -> list[Picture]:
    """Return the charts of all series on one axis of time, those with changes first; sentences tell these."""
    times = [run.unix_s for run in group.runs]
    across = axes.dates("run", times[0], times[-1])
    lines = sorted(group.timelines, key=lambda line: not line.changes)
    return [
        Picture(line.label, f"{len(line.runs)} runs", _drawing(group, line, across), sentences=_told(group, line))
        for line in lines
    ]


def _drawing(group: Group, line: Timeline, across: Axis) -> Markup:
    times = [group.runs[at].unix_s for at in line.runs]
    low, high = _ends(line)
    drawing = Drawing(across, axes.even("\N{MICRO SIGN}s", low, high, count=_LEVELS), _HEIGHT)
    rows = [tuple(min(max(value, low), high) for value in row) for row in thinned(line, times)]
    places = [float(np.mean(times[own])) for own in _columns(times)]
    drawing.band([(x, below, above) for x, (_, below, above) in zip(places, rows, strict=True)], "s1")
    drawing.specks([(x, figure) for x, (figure, *_) in zip(places, rows, strict=True)], "s1")
    drawing.spans([(group.runs[at].unix_s, low, high) for at, _ in group.versions], "border")
    drawing.spans([(times[change.at], low, high) for change in line.changes], "peak")
    for begin, end, figure in line.stretches():
        last = times[end] if end < len(times) else times[-1]
        drawing.line([(times[begin], figure / _US), (last, figure / _US)], "level")
    told = zip(line.changes, _told(group, line), strict=True)
    drawing.marks(((times[change.at], high, text) for change, text in told), "flagged", 5)
    return drawing.svg(f"{line.label}, time of every run in \N{MICRO SIGN}s. {' '.join(_told(group, line))}".strip())


def thinned(line: Timeline, times: Sequence[float]) -> list[tuple[float, float, float]]:
    """Return figure, low and high in microseconds of every column: medians, and the ends of all runs in it."""
    ns = np.array([figure.ns for figure in line.figures])
    low = np.array([figure.low_ns or figure.ns for figure in line.figures])
    high = np.array([figure.high_ns or figure.ns for figure in line.figures])
    return [
        (float(np.median(ns[own])) / _US, float(low[own].min()) / _US, float(high[own].max()) / _US)
        for own in _columns(times)
    ]


def _columns(times: Sequence[float]) -> Iterator[slice]:
    """Yield the runs of each column: runs of their own if there are few, else those of equal times."""
    if len(times) <= MOST_COLUMNS:
        yield from (slice(at, at + 1) for at in range(len(times)))
        return
    edges = np.linspace(times[0], times[-1], MOST_COLUMNS + 1)[1:-1]
    borders = [0, *np.searchsorted(times, edges, side="right").tolist(), len(times)]
    yield from (slice(a, b) for a, b in pairwise(borders) if a < b)


def _ends(line: Timeline) -> tuple[float, float]:
    """Return the ends of the upright axis in microseconds: of all figures and intervals, but few far-off ones."""
    deviation = (line.levels.deviation if line.levels else None) or 0.01
    reach = math.exp(_BEYOND * deviation)
    levels = [figure for _, _, figure in line.stretches()]
    known = [end for figure in line.figures for end in (figure.low_ns, figure.high_ns, figure.ns) if end]
    low, high = max(min(known), min(levels) / reach), min(max(known), max(levels) * reach)
    return (low / _US, high / _US) if low < high else (min(known) / _US, max(known) / _US)


def _told(group: Group, line: Timeline) -> list[str]:
    return [_sentence(group, line, at) for at in range(len(line.changes))]


def _sentence(group: Group, line: Timeline, number: int) -> str:
    change = line.changes[number]
    before, after = change_figures(line, change)
    ends = [significant(math.exp(end)) for end in (change.interval.low, change.interval.high)]
    news = group.facts_changed(line, change)
    return (
        f"{date(group.runs[line.runs[change.at]])}: {microseconds(before)} to {microseconds(after)} \N{MICRO SIGN}s, "
        f"{significant(math.exp(change.shift))} times ({ends[0]} to {ends[1]})"
        f"{f'; {facts_text(news)}' if news else ''}."
    )
