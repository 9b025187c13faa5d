"""The tables of the documents that Groma implements (reference/README.md), row by row."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from groma.catalog.words import known, suggestion
from groma.errors import InputError


class ReferenceTable(msgspec.Struct, frozen=True):
    """One table: its name here, its file, and the document, title and size that it has there."""

    name: str
    file: str
    document: str
    title: str
    lines: int
    rows: int
    note: str = ""


class _Index(msgspec.Struct):
    table: list[ReferenceTable]


class ReferenceColumn(msgspec.Struct, frozen=True):
    """One column: the kind of its values, as in groma.columns, and its meaning if only some tables have it."""

    kind: Literal["text", "whole", "real", "truth"]
    meaning: str = ""


@functools.cache
def columns() -> dict[str, ReferenceColumn]:
    """Return every column, in the order of tables."""
    return msgspec.toml.decode((_folder() / "columns.toml").read_bytes(), type=dict[str, ReferenceColumn])


@functools.cache
def tables() -> Sequence[ReferenceTable]:
    """Return every table, in the order of the documents."""
    return tuple(msgspec.toml.decode((_folder() / "index.toml").read_bytes(), type=_Index).table)


def names_in(document: str) -> list[str]:
    """Return the names of a document's tables."""
    return [entry.name for entry in tables() if entry.document == document]


def table(name: str) -> ReferenceTable:
    """Return one table's entry, or raise InputError with the nearest name."""
    return known("reference table", name, {entry.name: entry for entry in tables()}, "; see groma list reference")


def reference(*names: str, **keys: object) -> list[dict[str, Any]]:
    """Return the rows of the named tables, or of all, that have these values in columns: one row a value.

    Every row has the columns that any of the tables has, in the order of `columns`; None is no value. `value`
    is in `unit`, None if what is printed is no number. Raises InputError for a name that is not known.
    """
    chosen = [_read(entry.name) for entry in ([table(name) for name in names] if names else tables())]
    present = {column for rows in chosen for column in rows[0]}
    ordered = [column for column in columns() if column in present]
    rows = ({column: row.get(column) for column in ordered} for rows in chosen for row in rows)
    return [row for row in rows if all(row[key] == value for key, value in keys.items())]


def systems(*names: str) -> list[str]:
    """Return the systems that the named tables have figures of, in alphabetical order."""
    return sorted({row["system"] for row in reference(*names)})


def conditions_of(system: str) -> list[str]:
    """Return when and on what the figures of a system were measured, according to its tables: each text once."""
    pairs = {(row["date"], row["conditions"]) for row in reference(system=system) if row["conditions"] is not None}
    return sorted("; ".join(filter(None, pair)) for pair in pairs)


def system_named(name: str, known: Sequence[str], place: str) -> str:
    """Return the known system whose name, from the start of some word on, begins with `name`, in any case.

    Raises InputError if there is none or several; `place` says whose systems these are.
    """
    asked = name.casefold()
    matches = [system for system in known if any(tail.startswith(asked) for tail in _tails(system.casefold()))]
    matches = [system for system in matches if system.casefold() == asked] or matches
    if len(matches) > 1:
        raise InputError(f"'{name}' may be {' or '.join(matches)}; write more of the name")
    if not matches:
        listed = f"; there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
        raise InputError(f"no reference system for {place} is called '{name}'{suggestion(name, known) or listed}")
    return matches[0]


def _tails(system: str) -> list[str]:
    words = system.split()
    return [" ".join(words[start:]) for start in range(len(words))]


@functools.cache
def _read(name: str) -> Sequence[dict[str, Any]]:
    entry = table(name)
    with (_folder() / entry.file).open(encoding="utf-8", newline="") as file:
        converted = {column: _CONVERTED[known.kind] for column, known in columns().items()}
        return [
            {"name": name} | {column: converted[column](text) if text else None for column, text in row.items()}
            for row in csv.DictReader(file)
        ]


_CONVERTED: dict[str, Callable[[str], Any]] = {
    "text": str,
    "whole": int,
    "real": float,
    "truth": lambda text: text == "true",
}


def _folder() -> Path:
    """Return the installed folder, or that of the source tree if Groma runs from there."""
    installed = Path(__file__).parents[1] / "reference"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "reference"
