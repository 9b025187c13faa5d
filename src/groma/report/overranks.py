"""The page's charts of time over numbers of ranks, for runs with several."""

from __future__ import annotations

import json

from groma.analysis import PointSummary
from groma.analysis.series import labels, settings
from groma.report.figures import bounded
from groma.text.charts import Chart, Curve, Point
from groma.text.numbers import short, significant
from groma.text.sizes import format_size

# Sizes on a chart: the smallest, the largest and some between.
_MOST_SIZES = 4
_UNIT = "µs"


def rank_charts(summaries: list[PointSummary]) -> list[Chart]:
    """Return a chart for every operation and method that was measured with several numbers of ranks."""
    by_curve: dict[str, dict[int | None, dict[int, PointSummary]]] = {}
    for point in summaries:
        own = settings(point) | {"ranks": ""}
        if point.time_ns <= 0 or "pair" in own:  # which ranks a found pair are changes with their number
            continue
        counts = by_curve.setdefault(json.dumps([point.operation, own], sort_keys=True), {}).setdefault(point.bytes, {})
        earlier = counts.get(point.member_count)
        # If several points have one number of ranks, that of all ranks of its launch is drawn.
        if earlier is None or earlier.ranks > earlier.member_count:
            counts[point.member_count] = point
    drawn = {key: _several(sizes) for key, sizes in by_curve.items()}
    curves = [sizes for sizes in drawn.values() if sizes]
    firsts = [next(iter(next(iter(sizes.values())).values())) for sizes in curves]
    return [
        _chart(number, label, sizes)
        for number, (label, sizes) in enumerate(zip(labels(firsts, but="ranks"), curves, strict=True), start=1)
    ]


def _several(sizes: dict[int | None, dict[int, PointSummary]]) -> dict[int | None, dict[int, PointSummary]]:
    """Return the sizes that were measured with two numbers of ranks or more, not too many."""
    several = [size for size, counts in sizes.items() if len(counts) > 1]
    several.sort(key=lambda size: size or 0)
    last = len(several) - 1
    chosen = sorted({round(step * last / (_MOST_SIZES - 1)) for step in range(_MOST_SIZES)}) if several else []
    return {several[at]: dict(sorted(sizes[several[at]].items())) for at in chosen}


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
    description = f"{title}, time in {_UNIT} over the number of ranks, both axes logarithmic: {'; '.join(spans)}."
    return Chart(title, "ranks", _UNIT, curves, sized=False, words=description, name=f"ranks-{number}")


def _point(count: int, point: PointSummary) -> Point:
    text = f"{count} ranks: {significant(point.time_ns / 1e3)} {_UNIT}"
    return bounded(Point(count, point.time_ns / 1e3, text=text), point.interval, point.interval_kind, 1e-3)
