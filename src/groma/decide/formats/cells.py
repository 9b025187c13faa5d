"""The tables of a comparison."""

from __future__ import annotations

from groma.decide.comparing import Compared, Row
from groma.text.numbers import DASH, microseconds, significant
from groma.text.tables import Table

_DIGITS = 4


def figures_table(compared: Compared) -> Table:
    """Return a row for every point: both times, their ratio and the verdict."""
    first, second = compared.names
    headings = ["point", f"{first} \N{MICRO SIGN}s", f"{second} \N{MICRO SIGN}s", "ratio", "95% interval", "verdict"]
    rows = [
        [row.label, *map(microseconds, row.times_ns), significant(row.ratio, _DIGITS), interval(row), row.words]
        for row in compared.rows
    ]
    return Table("Figures", headings, rows)


def differences_table(compared: Compared) -> Table:
    """Return a row for everything that differs: kind, what, and both sides."""
    rows = [[one.kind, one.name, one.first, one.second] for one in compared.differences]
    return Table("What differs", ["kind", "what", *compared.names], rows)


def interval(row: Row) -> str:
    """Return the 95 % interval of the ratio; a dash if launches are too few."""
    if row.interval is None:
        return DASH
    return row.interval.text(_DIGITS)
