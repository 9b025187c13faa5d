"""What Groma measures of MPI's communication calls and of other programs' benchmarks, which coverage.toml names.

Calls are those that the catalogue's operations state; benchmarks are what their names mean to `groma run`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from groma.catalog.catalog import Catalog
from groma.catalog.synonyms import difference, meaning, unmeasured
from groma.catalog.words import table

CALLS = "calls"
PROGRAMS = {"osu": "OSU Micro-Benchmarks", "imb": "Intel MPI Benchmarks", "skampi": "SKaMPI"}


@dataclass(frozen=True)
class Item:
    """A call or a benchmark with the `operations` that stand for it, if any.

    `otherwise` if these have a method or a definition of their own, and `differs` may say in what; `missing` says what
    a benchmark without one is.
    """

    name: str
    operations: tuple[str, ...] = ()
    otherwise: bool = False
    missing: str = ""
    differs: str = ""

    @property
    def is_had(self) -> bool:
        """Whether an operation stands for it."""
        return bool(self.operations)


def items(kind: str, catalog: Catalog) -> dict[str, list[Item]]:
    """Return MPI's calls (`calls`) by chapters, or the benchmarks of a program of PROGRAMS by families."""
    item = functools.partial(_call, _timed(catalog)) if kind == CALLS else functools.partial(_benchmark, catalog)
    return {group: [item(name) for name in names.split()] for group, names in _named()[kind].items()}


def counts(kind: str, catalog: Catalog) -> tuple[int, int, int]:
    """Return how many there are of a kind, how many of them Groma has, and of these how many otherwise."""
    every = [item for group in items(kind, catalog).values() for item in group]
    return len(every), sum(item.is_had for item in every), sum(item.otherwise for item in every)


def large_counts(catalog: Catalog) -> int:
    """Return how many calls with large counts (`MPI_Send_c`), which are no calls of their own here, are timed."""
    return sum(call.endswith("_c") for call in _timed(catalog))


def _call(timed: dict[str, list[str]], name: str) -> Item:
    return Item(f"MPI_{name}", tuple(timed.get(f"MPI_{name}", ())))


def _benchmark(catalog: Catalog, name: str) -> Item:
    if command := table()["commands"].get(name):
        return Item(name, (command.split()[0],), otherwise=True, differs=difference(name))
    found = meaning(name, catalog)
    if found is None:
        return Item(name, missing=unmeasured(name))
    otherwise = not found.program or bool(found.differs)
    return Item(name, (found.operation,), otherwise=otherwise, differs=found.differs)


def _timed(catalog: Catalog) -> dict[str, list[str]]:
    """Return the operations that time each call, by the call."""
    found: dict[str, list[str]] = {}
    for operation in catalog.operations:
        for call in dict.fromkeys(re.findall(r"MPI_\w+", operation.calls)):
            found.setdefault(call, []).append(operation.name)
    return found


@functools.cache
def _named() -> dict[str, dict[str, str]]:
    """Return the names of coverage.toml: by kind, and in it by chapter or family, apart by blanks."""
    return tomllib.loads((Path(__file__).parent / "coverage.toml").read_text(encoding="utf-8"))
