"""Rows of a benchmark in CSV files: one dataclass a file, one field a column."""

from __future__ import annotations

import csv
import types
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

Row = TypeVar("Row")
DIGITS = 9
_READ: dict[type, Callable[[str], Any]] = {str: str, int: int, float: float, bool: lambda cell: cell == "yes"}


def write_rows(path: Path, kind: type[Row], rows: Sequence[Row]) -> None:
    """Write rows under the names of their type's fields: floats with nine digits, None as an empty cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        names = list(_readers(kind))
        out.writerow(names)
        out.writerows([_cell(getattr(row, name)) for name in names] for row in rows)


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """Return the rows of a file.

    Raises ValueError if its columns are not the fields of the type, or a cell is not of a field's type.
    """
    with path.open(encoding="utf-8", newline="") as file:
        headings, *lines = csv.reader(file)
    read = _readers(kind)
    if headings != list(read):
        raise ValueError(f"{path} has the columns {', '.join(headings)}, not {', '.join(read)}")
    return [kind(*(of(cell) for of, cell in zip(read.values(), line, strict=True))) for line in lines]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)


def _readers(kind: type) -> dict[str, Callable[[str], Any]]:
    """Return what reads a cell of each field, in their order."""
    hints = get_type_hints(kind)
    return {field.name: _reader(hints[field.name]) for field in fields(kind)}


def _reader(hint: type | types.UnionType) -> Callable[[str], Any]:
    if isinstance(hint, type):
        return _READ[hint]
    read = _READ[get_args(hint)[0]]
    return lambda cell: read(cell) if cell else None
