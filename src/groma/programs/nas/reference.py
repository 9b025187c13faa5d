"""The systems of the NAS page, as the study shows them beside a run."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Sequence
from typing import Any

from groma.catalog.references import reference, system_named, systems, table, tables
from groma.programs.nas.columns import Column
from groma.text.numbers import DASH

_DOCUMENT = "NAS page"
_MEASURED = ("_lbw", "_lbw_intranode", "pvm")  # the tables of which every system has one


def reference_systems() -> list[str]:
    """Return the systems that the study of NAS measured, over MPI or over PVM."""
    return systems(*(name for name in _names() if name.endswith(_MEASURED)))


def system_names(names: Sequence[str]) -> list[str]:
    """Return the whole names of these systems, which may be shortened; raises as `system_named`."""
    known = reference_systems() if names else []
    return [system_named(name, known, "nas") for name in names]


def published(systems: Sequence[str], kind: str, by: str, **keys: Container[object]) -> list[Column]:
    """Return a column for each source of the systems' tables of this kind, such as `sts`, by the rows' member `by`.

    `keys` choose rows by their values; a source is a system and, if the page has several, its interconnect.
    """
    columns: dict[str, dict[int, tuple[float, str]]] = {}
    notes: dict[str, str] = {}
    for row in _rows(systems, kind):
        if row["value"] is not None and all(row.get(name) in values for name, values in keys.items()):
            columns.setdefault(_source(row), {})[row[by]] = (row["value"], row["printed"])
            notes[_source(row)] = table(row["name"]).note
    return [Column(source, figures, published=True, note=notes[source]) for source, figures in columns.items()]


def cells(systems: Sequence[str], kind: str, quantities: Sequence[str]) -> list[list[str]]:
    """Return a row for each source in the tables of this kind: its name, and what is printed of these quantities.

    A summary has names of its own for the systems.
    """
    printed: dict[str, dict[str, str]] = {}
    for row in _rows(systems, kind):
        printed.setdefault(row.get("label") or _source(row), {})[row["quantity"]] = row["printed"]
    return [[name, *(figures.get(quantity, DASH) for quantity in quantities)] for name, figures in printed.items()]


def notes(systems: Sequence[str], kind: str) -> list[str]:
    """Return the notes on the tables of this kind; on a summary if it names one of the systems."""
    found = []
    for name, rows in itertools.groupby(_rows(systems, kind), lambda row: str(row["name"])):
        labels = {row.get("label") or row["system"] for row in rows}
        note = table(name).note
        if name != kind:
            found += [f"{label}: {note}" for label in labels if note]
        elif any(label in note for label in labels):
            found.append(note)
    return list(dict.fromkeys(found))


def _rows(systems: Sequence[str], kind: str) -> list[dict[str, Any]]:
    """Return the rows of these systems in all tables of one kind, system by system."""
    of_kind = re.compile(rf"((?!summary_)[^_]+_)?{kind}(_(default|shmem|sa|intranode|internode))?")
    rows = reference(*filter(of_kind.fullmatch, _names()))
    return [row for system in systems for row in rows if row["system"] == system]


def _source(row: dict[str, Any]) -> str:
    return " ".join(filter(None, (row["system"], row.get("where"), row.get("interconnect"))))


def _names() -> list[str]:
    return [entry.name for entry in tables() if entry.document == _DOCUMENT]
