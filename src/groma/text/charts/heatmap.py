"""Heat maps: a cell for every pair or, of many, for the largest value of a block of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from groma.text.numbers import significant

MOST_CELLS = 64  # along a side
LIMITS = (1.1, 1.25, 1.5, 2.0, 3.0, 5.0)  # colours change at these values
_MOST_LABELS = 16
_MOST_TITLES = 1100  # cells that say their value when pointed at
_MOST_NUMBERS, _FEW = 16, 8  # cells along a side that show their value, and that do so on a telephone too
_DIGITS = 2


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A value for every ordered pair: rows are `down`, columns `across`, NaN if nothing was measured.

    values   shape (n, n), in `unit`, such as times the median of all pairs; 1 and less is unremarkable
    marked   places of the names that stand out
    """

    title: str
    unit: str
    down: str
    across: str
    names: tuple[str, ...]
    values: NDArray[np.float64]
    marked: tuple[int, ...] = ()

    @property
    def block(self) -> int:
        """Of how many rows and columns a cell has the largest value."""
        return -(-len(self.names) // MOST_CELLS)

    @cached_property
    def cells(self) -> NDArray[np.float64]:
        """The values of the cells, shape (m, m)."""
        return largest_of_blocks(self.values, self.block)

    @property
    def note(self) -> str:
        """What a cell is, if that is not plain, and the unit."""
        missing = int(np.isnan(self.cells).sum() - (len(self.cells) if self.block == 1 else 0))
        note = f"A cell is the largest of {self.block} x {self.block} pairs. " if self.block > 1 else ""
        note += "Cells without colour were not measured. " if missing > 0 else ""
        return f"{note}Values are {self.unit}."

    @property
    def scale(self) -> list[str]:
        """What each colour stands for."""
        return [f"under {LIMITS[0]:g}", *(f"from {limit:g}" for limit in LIMITS)]

    @property
    def words(self) -> str:
        """The map in words, for readers who cannot see it."""
        if not np.isfinite(self.values).any():
            return f"{self.title}: no pair was measured."
        row, column = divmod(int(np.nanargmax(self.values)), len(self.names))
        marked = ", ".join(self.names[unit] for unit in self.marked) or "none"
        most = significant(self.values[row, column], 3)
        return f"{self.title}, {self.unit}: at most {most}, {self._pair(row, column)}. Marked: {marked}."

    @property
    def labels(self) -> list[tuple[str, float, bool]]:
        """Names of rows and columns: those marked, and others as there is room; each with its place in percent."""
        side, step = len(self.cells), -(-len(self.cells) // _MOST_LABELS)
        marked: dict[int, str] = {}
        for unit in self.marked:
            row = unit // self.block
            marked[row] = ", ".join(filter(None, [marked.get(row), self.names[unit]]))
        labelled: list[int] = []
        for row in dict.fromkeys([*marked, *range(0, side, step)]):
            if row in marked or all(abs(row - other) >= max(1, 0.75 * step) for other in labelled):
                labelled.append(row)
        return [
            (marked.get(row, self.names[row * self.block]), round(100 * (row + 0.5) / side, 2), row in marked)
            for row in sorted(labelled)
        ]

    @property
    def is_small(self) -> bool:
        """True if there is room for the numbers on a telephone too."""
        return len(self.cells) <= _FEW

    @property
    def numbers(self) -> list[tuple[str, float, float, int]]:
        """The values of the cells, if there is room: text, places from the left and the top in percent, and colour."""
        side = len(self.cells)
        if self.block > 1 or side > _MOST_NUMBERS:
            return []
        return [
            (
                significant(self.cells[row, column], _DIGITS),
                round(100 * (column + 0.5) / side, 2),
                round(100 * (row + 0.5) / side, 2),
                int(self._colours[row, column]),
            )
            for row, column in np.argwhere(~np.isnan(self.cells)).tolist()
        ]

    @cached_property
    def _colours(self) -> NDArray[np.int64]:
        """The number of each cell's colour."""
        return np.asarray(np.digitize(np.nan_to_num(self.cells, nan=0.0), LIMITS))

    @property
    def drawing(self) -> Markup:
        """The cells as one path for each colour, and frames around the rows and columns of what is marked."""
        side = len(self.cells)
        parts = []
        for colour in range(len(LIMITS) + 1):
            places = np.argwhere((self._colours == colour) & ~np.isnan(self.cells)).tolist()
            if places:
                path = "".join(f"M{column} {row}h1v1h-1z" for row, column in places)
                parts.append(f'<path class="heat{colour}" d="{path}"/>')
        blocks = sorted({unit // self.block for unit in self.marked})
        parts += [f'<path class="frame" d="M0 {row}h{side}v1H0zM{row} 0v{side}h1V0z"/>' for row in blocks]
        if self.block == 1 and side * side <= _MOST_TITLES:
            parts += [self._titled(row, column) for row, column in np.argwhere(~np.isnan(self.cells)).tolist()]
        return Markup(  # noqa: S704 - names are escaped
            f'<svg viewBox="0 0 {side} {side}" preserveAspectRatio="none" role="img" '
            f'aria-label="{escape(self.words)}">{"".join(parts)}</svg>'
        )

    def _titled(self, row: int, column: int) -> str:
        text = f"{self._pair(row, column)}: {significant(self.cells[row, column], 3)}"
        return f'<path class="spot" d="M{column} {row}h1v1h-1z"><title>{escape(text)}</title></path>'

    def _pair(self, row: int, column: int) -> str:
        return f"{self.down} {self.names[row]}, {self.across} {self.names[column]}"


def largest_of_blocks(values: NDArray[np.float64], block: int) -> NDArray[np.float64]:
    """Return the largest value of every block of `block` rows and columns, NaN if it has none."""
    side = -(-len(values) // block)
    padded = np.full((side * block, side * block), -np.inf)
    padded[: len(values), : len(values)] = np.where(np.isnan(values), -np.inf, values)
    largest = padded.reshape(side, block, side, block).max(axis=(1, 3))
    return np.where(np.isinf(largest), np.nan, largest)
