"""The page's charts of time over numbers of ranks, for runs with several."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groma.analysis.series import label, settings
from groma.numbers import short, significant
from groma.report import axes
from groma.report.charts import Chart, Curve, Plan, Point, draw, keys
from groma.report.figures import INTERVAL_TERMS, interval_text
from groma.sizes import format_size

if TYPE_CHECKING:
    from groma.analysis import PointSummary

# Sizes on a chart: the smallest, the largest and some between.
_MOST_SIZES = 4
_UNIT = "µs"


def rank_charts(summaries: list[PointSummary]) -> list[Chart]:
    """Return a chart for every operation and method that was measured with several numbers of ranks."""
    found: dict[str, dict[int | None, dict[int, PointSummary]]] = {}
    for point in summaries:
        own = settings(point) | {"ranks": ""}
        if point.time_ns <= 0 or "pair" in own:  # which ranks a found pair are changes with their number
            continue
        counts = found.setdefault(json.dumps([point.operation, own], sort_keys=True), {}).setdefault(point.bytes, {})
        known = counts.get(point.member_count)
        if (
            known is None or known.ranks > known.member_count
        ):  # a point of all ranks of its launch stands for its number
            counts[point.member_count] = point
    drawn = {key: _several(sizes) for key, sizes in found.items()}
    kept = [sizes for sizes in drawn.values() if sizes]
    firsts = [next(iter(next(iter(sizes.values())).values())) for sizes in kept]
    return [
        _chart(number, label(first, firsts, but="ranks"), sizes)
        for number, (first, sizes) in enumerate(zip(firsts, kept, strict=True), start=1)
    ]


def _several(sizes: dict[int | None, dict[int, PointSummary]]) -> dict[int | None, dict[int, PointSummary]]:
    """Return the sizes that were measured with two numbers of ranks or more, not too many."""
    known = [size for size, counts in sizes.items() if len(counts) > 1]
    known.sort(key=lambda size: size or 0)
    last = len(known) - 1
    chosen = sorted({round(step * last / (_MOST_SIZES - 1)) for step in range(_MOST_SIZES)}) if known else []
    return {known[at]: dict(sorted(sizes[known[at]].items())) for at in chosen}


def _chart(number: int, title: str, sizes: dict[int | None, dict[int, PointSummary]]) -> Chart:
    curves = [
        Curve("" if size is None else format_size(size), [_point(count, point) for count, point in counts.items()])
        for size, counts in sizes.items()
    ]
    curves = [Curve(curve.name or title, curve.points) for curve in curves]
    spans = (
        f"{curve.name} from {short(curve.points[0].y):g} at {curve.points[0].x:g} ranks to "
        f"{short(curve.points[-1].y):g} at {curve.points[-1].x:g}"
        for curve in curves
    )
    said = f"{title}, time in {_UNIT} over the number of ranks, both axes logarithmic: {'; '.join(spans)}."
    return Chart(f"ranks-{number}", title, _UNIT, keys(curves), draw(curves, Plan("ranks", _UNIT, said, axes.counts)))


def _point(count: int, point: PointSummary) -> Point:
    text = f"{count} ranks: {significant(point.time_ns / 1e3)} {_UNIT}"
    interval = point.interval
    if interval is None or interval.low <= 0:
        return Point(count, point.time_ns / 1e3, text=text)
    text += f"\n{INTERVAL_TERMS[point.interval_kind]}: {interval_text(interval, 1e-3)}"
    return Point(count, point.time_ns / 1e3, interval.low / 1e3, interval.high / 1e3, text)
