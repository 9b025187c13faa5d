"""The systems of the NAS page, as the study shows them beside a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.catalog.references import reference, system_named, systems, tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_DOCUMENT = "NAS page"
_MEASURED = ("_lbw", "_lbw_intranode", "pvm")  # the tables of which every system has one
_SHARED_MEMORY = "shmem"


@dataclass
class Reference:
    """One system's published figures: tables as printed, curves in MB/s per process."""

    name: str
    lbw: list[str] = field(default_factory=list)
    ata_of_four: str = ""
    sts_of_sixteen: list[str] = field(default_factory=list)
    lbw_by_size: list[tuple[float, float]] = field(default_factory=list)
    ata_by_count: list[tuple[float, float]] = field(default_factory=list)
    sts_by_count: list[tuple[float, float]] = field(default_factory=list)
    pvm: dict[str, str] = field(default_factory=dict)


def reference_systems() -> list[str]:
    """Return the systems that the study of NAS measured, over MPI or over PVM."""
    return systems(*(name for name in _names() if name.endswith(_MEASURED)))


def references(names: Sequence[str]) -> list[Reference]:
    """Return what was published of these systems, which may be shortened; raises as `system_named`."""
    if not names:
        return []
    published, rows = reference_systems(), reference(*_names())
    return [_read(system_named(name, published, "nas"), rows) for name in names]


def _names() -> list[str]:
    return [table.name for table in tables() if table.document == _DOCUMENT]


def _read(system: str, rows: list[dict[str, Any]]) -> Reference:
    published = Reference(system)
    for row in rows:
        if row["system"] == system and row.get("interconnect") in (None, "", _SHARED_MEMORY, "sa"):
            _add(published, row)
    for curve in (published.lbw_by_size, published.ata_by_count, published.sts_by_count):
        curve.sort()
    return published


def _add(published: Reference, row: dict[str, Any]) -> None:
    name, printed = str(row["name"]), str(row["printed"])
    if name.endswith("summary_lbw"):
        published.lbw.append(printed)
    elif name.endswith("summary_ata"):
        published.ata_of_four = printed
    elif name.endswith("summary_sts"):
        published.sts_of_sixteen.append(printed)
    elif name == "pvm":
        published.pvm[row["quantity"]] = printed
    elif row["quantity"] == "bandwidth" and row["value"] is not None:
        _add_to_curves(published, row)


def _add_to_curves(published: Reference, row: dict[str, Any]) -> None:
    name, value = str(row["name"]), float(row["value"])
    if row.get("interconnect") not in (None, "", _SHARED_MEMORY):
        return  # IBM01 was measured through several; the summaries choose shared memory if there is a choice
    if name.endswith("_sizes") and row.get("test") in (None, "lbw"):
        published.lbw_by_size.append((row["bytes"], value))
    elif name.endswith(("_ata", "_ata_intranode")):
        published.ata_by_count.append((row["processes"], value))
    elif name.endswith(("_sts", "_sts_shmem")) and row.get("sides") == "single":
        published.sts_by_count.append((row["processes"], value))
