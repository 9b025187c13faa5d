"""The cells of a comparison's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.text.numbers import DASH, microseconds, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.decide.comparing import Compared, Row

DIFFERENCES = ("kind", "what")
_DIGITS = 4


def headings(compared: Compared) -> list[str]:
    """Return the headings of the table of points."""
    first, second = compared.names
    return ["point", f"{first} \N{MICRO SIGN}s", f"{second} \N{MICRO SIGN}s", "ratio", "95% interval", "verdict"]


def cells(row: Row) -> list[str]:
    """Return a point's cells under `headings`."""
    return [
        row.label,
        microseconds(row.times_ns[0]),
        microseconds(row.times_ns[1]),
        significant(row.ratio, _DIGITS),
        interval(row),
        row.words,
    ]


def interval(row: Row) -> str:
    """Return the 95 % interval of the ratio; a dash where launches are too few."""
    if row.interval is None:
        return DASH
    return row.interval.text(_DIGITS)


def difference_rows(compared: Compared) -> list[list[str]]:
    """Return the rows of the table of what differs: kind, what, and both sides."""
    return [
        [difference.kind, difference.name, difference.first, difference.second] for difference in compared.differences
    ]


def difference_headings(compared: Compared) -> Sequence[str]:
    """Return the headings of that table."""
    return [*DIFFERENCES, *compared.names]
