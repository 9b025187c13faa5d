"""Figures that can have a limit, and the units in which their values may be written."""

from __future__ import annotations

from groma.catalog import suggestion
from groma.columns import COLUMNS, Column
from groma.errors import InputError

_TIMES = {"ns": 1.0, "us": 1e3, "\N{MICRO SIGN}s": 1e3, "ms": 1e6, "s": 1e9}
_RATES = {"kB/s": 1e-3, "MB/s": 1.0, "GB/s": 1e3, "MiB/s": 1.048576, "GiB/s": 1073.741824}
_COUNTS = {"1/s": 1.0, "million/s": 1e6}
# By the unit of a column: units that a file may have, and how many of the column's each is.
UNITS = {"ns": _TIMES, "MB/s": _RATES, "1/s": _COUNTS, "": {"": 1.0, "%": 0.01}}
# The figure of a limit that names none, by the unit of its value.
DEFAULT_FIGURES = {
    **dict.fromkeys(_TIMES, "time_ns"),
    **dict.fromkeys(_RATES, "bandwidth_mb_s"),
    **dict.fromkeys(_COUNTS, "messages_per_s"),
}
# Units in which a file is written by Groma, and titles, by the unit of a column.
OWN = {"ns": "us", "MB/s": "MB/s", "1/s": "1/s", "": ""}
_TIME = "time_ns"
_ENDS = ("_ns", "_mb_s", "_per_s")


def figures() -> dict[str, Column]:
    """Return the columns that can have a limit: numbers that every launch has."""
    return {
        column.name: column
        for column in COLUMNS.values()
        if column.name == _TIME
        or (not column.inner and column.launch and column.point and column.kind == "real" and column.unit in UNITS)
    }


def launch_column(figure: Column) -> str:
    """Return the column of a launch whose median is the figure."""
    return "figure_ns" if figure.name == _TIME else figure.name


def figure_of(name: str | None, unit: str) -> Column:
    """Return the column of a figure's name, which may lack its unit, or the one that has such a unit by default.

    Raises InputError for a name or a unit that is not known.
    """
    known = figures()
    if name is None:
        if unit not in DEFAULT_FIGURES:
            raise InputError(_unknown(unit, list(DEFAULT_FIGURES)))
        name = DEFAULT_FIGURES[unit]
    for word in (name, *(name + end for end in _ENDS)):
        if word in known:
            return known[word]
    hint = suggestion(name, known) or f"; there are {', '.join(known)}"
    raise InputError(f"no figure is called '{name}'{hint}")


def factor(figure: Column, unit: str) -> float:
    """Return how many units of the column one such unit is; raises InputError for one that the figure cannot have."""
    units = UNITS[figure.unit]
    if unit in units:
        return units[unit]
    if not unit:
        raise InputError(f'the limit has no unit; add unit = "{OWN[figure.unit]}", or another of {", ".join(units)}')
    raise InputError(f"{figure.name}: {_unknown(unit, list(units))}")


def _unknown(unit: str, units: list[str]) -> str:
    return f"'{unit}' is no unit of it; use {', '.join(word for word in units if word)}"
