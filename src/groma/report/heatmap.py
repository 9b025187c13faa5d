"""Heat maps: a cell for every pair or, of many, for the largest value of a block of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup, escape

from groma.text.numbers import significant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.programs.study import HeatMap, Study

MOST_CELLS = 64  # along a side
LIMITS = (1.1, 1.25, 1.5, 2.0, 3.0, 5.0)  # colours change at these values
_MOST_LABELS = 16
_MOST_TITLES = 1100  # cells that say their value when pointed at


@dataclass(frozen=True)
class DrawnMap:
    """A heat map as the page shows it; `scale` has what each colour stands for."""

    title: str
    note: str
    words: str
    down: str
    across: str
    rows: list[tuple[str, float, bool]]
    drawing: Markup
    scale: list[str]


def drawn_maps(study: Study | None) -> list[DrawnMap]:
    """Return the heat maps of a study as the page shows them."""
    return [_drawn(heat) for heat in study.maps] if study else []


def _drawn(heat: HeatMap) -> DrawnMap:
    count = len(heat.names)
    block = -(-count // MOST_CELLS)
    cells = largest_of_blocks(heat.values, block)
    note = f"A cell is the largest of {block} x {block} pairs. " if block > 1 else ""
    missing = int(np.isnan(cells).sum() - (len(cells) if block == 1 else 0))
    note += "Cells without colour were not measured. " if missing > 0 else ""
    return DrawnMap(
        title=heat.title,
        note=f"{note}Values are {heat.unit}.",
        words=_summary(heat),
        down=heat.down,
        across=heat.across,
        rows=_labels(heat, block, len(cells)),
        drawing=_svg(heat, cells, block),
        scale=[f"under {LIMITS[0]:g}", *(f"from {limit:g}" for limit in LIMITS)],
    )


def largest_of_blocks(values: NDArray[np.float64], block: int) -> NDArray[np.float64]:
    """Return the largest value of every block of so many rows and columns, NaN where it has none."""
    side = -(-len(values) // block)
    padded = np.full((side * block, side * block), -np.inf)
    padded[: len(values), : len(values)] = np.where(np.isnan(values), -np.inf, values)
    largest = padded.reshape(side, block, side, block).max(axis=(1, 3))
    return np.where(np.isinf(largest), np.nan, largest)


def _labels(heat: HeatMap, block: int, side: int) -> list[tuple[str, float, bool]]:
    """Return names for rows: those marked, and others as there is room; each with its height in percent."""
    marked = {unit // block: heat.names[unit] for unit in heat.marked}
    step = -(-side // _MOST_LABELS)
    chosen = dict.fromkeys([*marked, *range(0, side, step)])
    drawn_rows: list[int] = []
    for row in chosen:
        if row in marked or all(abs(row - drawn) >= max(1, 0.75 * step) for drawn in drawn_rows):
            drawn_rows.append(row)
    return [
        (marked.get(row, heat.names[row * block]), round(100 * (row + 0.5) / side, 2), row in marked)
        for row in sorted(drawn_rows)
    ]


def _svg(heat: HeatMap, cells: NDArray[np.float64], block: int) -> Markup:
    """Return the cells as one path for each colour, and frames around the rows and columns of what is marked."""
    side = len(cells)
    colours = np.digitize(np.nan_to_num(cells, nan=0.0), LIMITS)
    parts = []
    for colour in range(len(LIMITS) + 1):
        places = np.argwhere((colours == colour) & ~np.isnan(cells)).tolist()
        if places:
            path = "".join(f"M{column} {row}h1v1h-1z" for row, column in places)
            parts.append(f'<path class="heat{colour}" d="{path}"/>')
    blocks = sorted({unit // block for unit in heat.marked})
    parts += [f'<path class="frame" d="M0 {row}h{side}v1H0zM{row} 0v{side}h1V0z"/>' for row in blocks]
    if side * side <= _MOST_TITLES:
        for row, column in np.argwhere(~np.isnan(cells)).tolist():
            ends = f"{heat.down} {heat.names[row]}, {heat.across} {heat.names[column]}"
            text = f"{ends}: {significant(cells[row, column], 3)}"
            parts.append(f'<path class="spot" d="M{column} {row}h1v1h-1z"><title>{escape(text)}</title></path>')
    return Markup(  # noqa: S704 - names are escaped
        f'<svg viewBox="0 0 {side} {side}" preserveAspectRatio="none" role="img" aria-label="{escape(_summary(heat))}">'
        f"{''.join(parts)}</svg>"
    )


def _summary(heat: HeatMap) -> str:
    """Return the map in words, for readers who cannot see it."""
    if not np.isfinite(heat.values).any():
        return f"{heat.title}: no pair was measured."
    row, column = divmod(int(np.nanargmax(heat.values)), len(heat.names))
    marked = ", ".join(heat.names[unit] for unit in heat.marked) or "none"
    ends = f"{heat.down} {heat.names[row]}, {heat.across} {heat.names[column]}"
    most = significant(heat.values[row, column], 3)
    return f"{heat.title}, {heat.unit}: at most {most}, {ends}. Marked: {marked}."
