"""Writes docs/coverage.md, as `groma list coverage` prints it.

python -m tools.coverage_page [--check]     with --check: says whether the page is stale, exit code 1
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from groma.catalog import Catalog, packaged
from groma.catalog.coverage import CALLS, PROGRAMS, Item, counts, items, large_counts
from groma.text.counts import first_names
from tools.stale import kept

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
_BEFORE = {CALLS: 39, "osu": 20, "imb": 29, "skampi": 26}  # with the operations before ADR 50
_TITLES = {
    CALLS: "MPI's communication calls",
    "osu": "OSU Micro-Benchmarks 7.4",
    "imb": "Intel MPI Benchmarks 2021.11",
    "skampi": "SKaMPI 5",
}
_NAMED = 4  # names in a cell that counts them
_HEAD = """# Coverage: what Groma measures of MPI, and of OSU's, IMB's and SKaMPI's benchmarks

`groma list coverage` prints this, `groma list coverage all` every name with its operations.

A call of MPI 4.1 counts if an operation states it among those that it times. All are those that communicate, or make or
complete what does (`src/groma/catalog/coverage.toml`): not large-count forms (159; Groma has {large}), tool interface,
queries, groups, info, attributes, error handlers. A benchmark counts if an operation stands for it. *Otherwise* means
by another method or definition, which `groma run NAME` states; the profiles `osu`, `imb`, `imb_rma` and
`skampi5` measure all others.
"""


def page() -> str:
    """Return the whole page."""
    catalog = packaged()
    lines = [_HEAD.format(large=large_counts(catalog)), *_table("", "of", "before", "now", "otherwise")]
    for kind, title in _TITLES.items():
        every, had, otherwise = counts(kind, catalog)
        lines.append(_row(title, every, _BEFORE[kind], had, otherwise or ""))
    lines += ["", f"## {_TITLES[CALLS]}", "", *_table("chapter", "have", "missing")]
    for name, group in items(CALLS, catalog).items():
        lines.append(_row(name, _had(group), _missing_calls(group)))
    for kind in PROGRAMS:
        lines += ["", f"## {_TITLES[kind]}", "", *_table("family", "have", "name→operation", "missing")]
        for name, group in items(kind, catalog).items():
            lines.append(_row(name, _had(group), _pairs(group, catalog), _reasons(group)))
    return "\n".join(lines) + "\n"


def _table(*headings: str) -> tuple[str, str]:
    return _row(*headings), _row(*["---"] * len(headings))


def _row(*cells: object) -> str:
    return f"|{'|'.join(map(str, cells))}|"  # without blanks, which would count as words


def _had(group: list[Item]) -> str:
    return f"{sum(item.is_had for item in group)}/{len(group)}"


def _missing_calls(group: list[Item]) -> str:
    """Return the calls without MPI_, or `all`."""
    names = [item.name.removeprefix("MPI_") for item in group if not item.is_had]
    return "all" if len(names) == len(group) else ", ".join(names)


def _pairs(group: list[Item], catalog: Catalog) -> str:
    """Return how operations are called after benchmarks, and how many so: `osu_*→* (15)`, in italics if otherwise."""
    blocking = {operation.name: operation.form_of or operation.name for operation in catalog.operations}
    alike: dict[tuple[str, bool], list[Item]] = {}
    for item in group:
        if item.is_had:
            stem = blocking[item.operations[0]]
            name = re.sub(rf"(?<![a-zA-Z]){stem}(?![a-z])|(?<=I|i){stem}(?![a-z])", "*", item.name, flags=re.IGNORECASE)
            alike.setdefault((f"{name}→{item.operations[0].replace(stem, '*')}", item.otherwise), []).append(item)
    cells = []
    for (pattern, otherwise), those in alike.items():
        pairs = [f"{item.name}→{item.operations[0]}" for item in those]
        told = f"`{pattern}` ({len(those)})" if len(those) > 1 and "*" in pattern else " ".join(f"`{p}`" for p in pairs)
        cells.append(f"*{told}*" if otherwise else told)
    return ", ".join(cells)


def _reasons(group: list[Item]) -> str:
    """Return what is missing, and what it is; a family of which all is missing has no names."""
    missing = [item for item in group if not item.is_had]
    reasons = list(dict.fromkeys(item.missing for item in missing))
    if len(missing) == len(group):
        return f"all: {', '.join(reasons)}"
    told = ([item.name for item in missing if item.missing == reason] for reason in reasons)
    return "; ".join(f"{first_names(names, _NAMED)}: {reason}" for names, reason in zip(told, reasons, strict=True))


if __name__ == "__main__":
    sys.exit(kept(PAGE, page(), sys.argv[1:], "operations or names have changed"))
