"""What Groma measures of MPI and of other programs, for `groma list coverage`."""

from __future__ import annotations

from groma.catalog import Catalog, suggestion
from groma.catalog.coverage import CALLS, PROGRAMS, Item, counts, items
from groma.cli.wordlists import print_columns, print_heading
from groma.errors import InputError
from groma.text.counts import first_names

_NAMED = 4  # names in a line that counts them
_ALL = "all"
_TITLES = {CALLS: "MPI's communication calls", **PROGRAMS}


def print_coverage(part: str, catalog: Catalog) -> None:
    """Print a line for each chapter of MPI and each family of benchmarks, or all that is in the parts of this name.

    A part is a chapter, a family or a program whose name has these letters; `all` is all of them.
    Raises InputError if there is none.
    """
    known = {kind: items(kind, catalog) for kind in _TITLES}
    asked = part.casefold()
    wanted = {
        kind: {
            name: group
            for name, group in groups.items()
            if asked in ("", _ALL, kind) or asked in name.casefold() or asked in _TITLES[kind].casefold()
        }
        for kind, groups in known.items()
    }
    if not any(wanted.values()):
        names = dict.fromkeys([_ALL, *PROGRAMS, *(name for groups in known.values() for name in groups)])
        hint = suggestion(part, names) or f"; there are {', '.join(names)}"
        raise InputError(f"no part of the coverage is called '{part}'{hint}")
    for kind, groups in wanted.items():
        if groups:
            print_heading(f"{_TITLES[kind]}: {_counted(*counts(kind, catalog))}")
            print_columns([row for name, group in groups.items() for row in _rows(name, group, whole=bool(part))])


def _counted(every: int, had: int, otherwise: int) -> str:
    """Return how many of all there are, as a sentence without an end."""
    return f"{had} of {every}" + (f", {otherwise} of them by another method or definition" if otherwise else "")


def _rows(name: str, group: list[Item], *, whole: bool) -> list[tuple[str, ...]]:
    had = sum(item.is_had for item in group)
    if whole:
        return [(name, f"{had} of {len(group)}"), *((f"  {item.name}", _what(item)) for item in group)]
    lacking = [item.name.removeprefix("MPI_") for item in group if not item.is_had]
    missing = "all" if len(lacking) == len(group) else first_names(lacking, _NAMED)
    return [(name, f"{had} of {len(group)}", f"missing: {missing}" if lacking else "")]


def _what(item: Item) -> str:
    """Say what stands for a call or a benchmark."""
    if not item.is_had:
        return f"missing: {item.missing}" if item.missing else "missing"
    differs = f": {item.differs}" if item.differs else ""
    return first_names(item.operations, _NAMED) + (f", by another method or definition{differs}" * item.otherwise)
