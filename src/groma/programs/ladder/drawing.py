"""The ladder as two charts: latency and bandwidth of every step on one axis, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from groma.analysis import PointSummary
from groma.analysis.order import Interval
from groma.programs.ladder.rungs import LATENCY, ONE_WAY, Rung
from groma.programs.ladder.steps import TITLES
from groma.text.charts import Row, Rows, Track, axes
from groma.text.numbers import significant

_Figure = tuple[float, Interval | None]
_NOTE = "logarithmic; lines are the intervals over launches"


def steps_drawn(ladder: Sequence[Rung]) -> list[tuple[str, str, Rows]]:
    """Return title, note and rows of each chart that two steps or more have a figure for."""
    sound = [rung for rung in ladder if not rung.doubt]
    latency = {rung.step: _latency_us(rung.points[LATENCY]) for rung in sound if LATENCY in rung.points}
    one_way = {rung.step: _gb_s(rung.points[ONE_WAY]) for rung in sound if ONE_WAY in rung.points}
    charts = (("Latency by step", "\N{MICRO SIGN}s", latency), ("Bandwidth by step", "GB/s", one_way))
    return [(title, f"{unit}, {_NOTE}", _rows(unit, own)) for title, unit, own in charts if len(own) > 1]


def _latency_us(point: PointSummary) -> _Figure:
    own = point.interval
    return point.time_ns / 1e3, own and Interval(own.low / 1e3, own.high / 1e3)


def _gb_s(point: PointSummary) -> _Figure:
    """Return the bandwidth, and its interval by that of the time."""
    value, own = (point.bandwidth_mb_s or 0.0) / 1e3, point.interval
    scaled = value * point.time_ns
    return value, Interval(scaled / own.high, scaled / own.low) if own and own.low > 0 else None


def _rows(unit: str, figures: dict[str, _Figure]) -> Rows:
    ends = [end for value, own in figures.values() for end in (value, *((own.low, own.high) if own else ()))]
    axis = axes.levels(unit, ends, shared=True)
    return Rows([_row(TITLES[step], unit, figure, axis) for step, figure in figures.items()], axis)


def _row(title: str, unit: str, figure: _Figure, axis: axes.Axis) -> Row:
    value, own = figure
    track = Track(axis)
    if own:
        track.interval(own.low, own.high)
    track.mark(value, 0)
    told = f"{significant(value, 3)} {unit}" + (f" ({own.text(3)})" if own else "")
    return Row(title, "s1", track.svg(f"{title}: {told}"), told)
