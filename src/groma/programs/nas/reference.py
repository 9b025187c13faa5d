"""The systems of the NAS page, as the study shows them beside a run."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

from groma.catalog.references import names_in, reference, systems, table
from groma.text.numbers import DASH

_DOCUMENT = "NAS page"
_MEASURED = ("_lbw", "_lbw_intranode", "pvm")  # the tables of which every system has one


def reference_systems() -> list[str]:
    """Return the systems that the study of NAS measured, over MPI or over PVM."""
    return systems(*(name for name in names_in(_DOCUMENT) if name.endswith(_MEASURED)))


def cells(systems: Sequence[str], kind: str, quantities: Sequence[str]) -> list[list[str]]:
    """Return a row for each source in the tables of this kind: its name, and what is printed of these quantities.

    A summary has names of its own for the systems.
    """
    printed: dict[str, dict[str, str]] = {}
    for row in rows_of(systems, kind):
        printed.setdefault(row.get("label") or source_of(row), {})[row["quantity"]] = row["printed"]
    return [[name, *(figures.get(quantity, DASH) for quantity in quantities)] for name, figures in printed.items()]


def notes(systems: Sequence[str], kind: str) -> list[str]:
    """Return the notes on the tables of this kind; on a summary if it names one of the systems."""
    found = []
    for name, rows in itertools.groupby(rows_of(systems, kind), lambda row: str(row["name"])):
        labels = {row.get("label") or row["system"] for row in rows}
        note = table(name).note
        if name != kind:
            found += [f"{label}: {note}" for label in labels if note]
        elif any(label in note for label in labels):
            found.append(note)
    return list(dict.fromkeys(found))


def rows_of(systems: Sequence[str], kind: str) -> list[dict[str, Any]]:
    """Return the rows of these systems in all tables of one kind, system by system."""
    of_kind = re.compile(rf"((?!summary_)[^_]+_)?{kind}(_(default|shmem|sa|intranode|internode))?")
    rows = reference(*filter(of_kind.fullmatch, names_in(_DOCUMENT)))
    return [row for system in systems for row in rows if row["system"] == system]


def source_of(row: dict[str, Any]) -> str:
    """Return the system of a row and, if the page has several, its interconnect."""
    return " ".join(filter(None, (row["system"], row.get("where"), row.get("interconnect"))))
