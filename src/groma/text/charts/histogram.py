"""Histograms one below the other, on the same axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from markupsafe import Markup

from groma.text.charts import axes
from groma.text.charts.drawing import COLOURS, Drawing

_HEIGHT = 64


@dataclass(frozen=True)
class Histogram:
    """Shares of values in bins that all rows have in common, on a logarithmic axis; `x` is its unit.

    A row has a name, a description, and the share of each bin by the number of the curve whose colour it has.
    """

    title: str
    x: str
    y: str
    by: str
    edges: list[float]
    rows: list[tuple[str, str, dict[int, list[float]]]]

    @cached_property
    def drawings(self) -> list[tuple[str, Markup]]:
        """Every row by its name."""
        across = axes.levels(self.x, self.edges)
        most = max(share for _, _, curves in self.rows for shares in curves.values() for share in shares)
        upright = axes.even(self.y, 0, most, lambda part: f"{part:.0%}", count=3)
        drawn = []
        for name, words, curves in self.rows:
            drawing = Drawing(across, upright, _HEIGHT)
            for number, shares in curves.items():
                bins = zip(pairwise(self.edges), shares, strict=True)
                drawing.rectangles([(*ends, 0.0, share) for ends, share in bins if share], f"s{number % COLOURS + 1}")
            drawn.append((name, drawing.svg(words)))
        return drawn
