"""Which tables of a run a terminal shows: all, or the first ones of a run with very many points."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from groma.analysis import PointSummary, Series, SideBySide, series
from groma.text.counts import counted

# Above this number of points, only the first tables are printed, of about this number of rows.
MOST_ROWS, FEW_ROWS = 200, 60


@dataclass(frozen=True)
class Shown:
    """What a terminal shows: sets of alternatives, all curves, and those of them that have a table of their own."""

    beside: list[SideBySide]
    curves: list[Series]
    alone: list[Series]
    left_out: str = ""


def shown_of(summaries: list[PointSummary], compared: list[SideBySide], *, everything: bool, apart: bool) -> Shown:
    """Return what is shown of a run: all if it has few points, else the first tables; `apart`, operations' own too."""
    curves = series(summaries)
    together = {id(point) for both in compared if both.kind != "operation" or not apart for point in both.points}
    alone = [curve for curve in curves if id(curve.points[0]) not in together]
    rows = [*accumulate([*(len(both.sizes) for both in compared), *(len(curve.points) for curve in alone)])]
    fitting = max(1, sum(count <= FEW_ROWS for count in rows))
    if everything or len(summaries) <= MOST_ROWS or fitting == len(rows):
        return Shown(compared, curves, alone)
    compared, alone = compared[:fitting], alone[: max(0, fitting - len(compared))]
    parts = [*(both.points for both in compared), *(curve.points for curve in alone)]
    points = {id(point) for own in parts for point in own}
    sentence = (
        f"Shown: {counted(fitting, 'table')} of {len(rows)}, with {len(points)} of {len(summaries)} points. "
        "--all prints them all; groma export RUN --to csv writes them as a table."
    )
    return Shown(compared, [curve for curve in curves if id(curve.points[0]) in points], alone, sentence)
