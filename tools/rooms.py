"""Prints the lines of a package, its rooms (packages and modules at its root), who imports whom, and circles.

An arrow leads from one room to another whose modules it imports. Imports for type checkers alone are counted apart.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from pathlib import Path

import grimp

SOURCES = Path(__file__).resolve().parents[1] / "src"
Arrows = Mapping[str, set[str]]


@dataclass(frozen=True)
class Rooms:
    """What a package is made of: `arrows` are from room to rooms, `typed` those for type checkers alone.

    `circles` has one circle of modules or packages for each package that has any below it.
    """

    lines: int
    names: list[str]
    arrows: Arrows
    typed: Arrows
    circles: list[list[str]]

    def __str__(self) -> str:
        """Return what is printed: numbers first, then a line for each room and each circle."""
        typed = sum(map(len, self.typed.values()))
        rows = [
            f"lines    {self.lines}",
            f"rooms    {len(self.names)}",
            f"arrows   {sum(map(len, self.arrows.values()))}, and {typed} for types alone (in brackets)",
            f"circles  {len(self.circles)}",
            "",
        ]
        for name in self.names:
            targets = [*sorted(self.arrows[name]), *(f"({room})" for room in sorted(self.typed[name]))]
            rows.append(f"{name}: {' '.join(targets)}".rstrip())
        return "\n".join([*rows, *(f"circle: {' -> '.join(circle)}" for circle in self.circles)])


def rooms_of(package: str, sources: Path) -> Rooms:
    """Return the rooms of a package that lies in `sources` and can be imported."""
    every = grimp.build_graph(package, cache_dir=None)
    running = grimp.build_graph(package, cache_dir=None, exclude_type_checking_imports=True)
    names = sorted(room.removeprefix(f"{package}.") for room in every.find_children(package))
    arrows, all_arrows = _arrows(running, package), _arrows(every, package)
    typed = {name: all_arrows[name] - arrows[name] for name in names}
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (sources / package).rglob("*.py"))
    circles = [circle for parent in sorted(every.modules) if (circle := _circle(_arrows(every, parent)))]
    return Rooms(lines, names, arrows, typed, circles)


def _arrows(graph: grimp.ImportGraph, parent: str) -> dict[str, set[str]]:
    """Return for every child of a package, by its name there, those that it imports, at any depth."""
    arrows: dict[str, set[str]] = defaultdict(set)
    children = graph.find_children(parent)
    inside = {child: {child, *graph.find_descendants(child)} for child in children}
    imported = {
        child: {name for module in modules for name in graph.find_modules_directly_imported_by(module)}
        for child, modules in inside.items()
    }
    for one, other in permutations(children, 2):
        if imported[one] & inside[other]:
            arrows[one.removeprefix(f"{parent}.")].add(other.removeprefix(f"{parent}."))
    return arrows


def _circle(arrows: Arrows) -> list[str]:
    """Return one circle of these, its first member last too; empty if there is none."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def main(arguments: list[str]) -> int:
    """Print the rooms of Groma; exit code 1 if there is a circle."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", default="groma", help="a package in --sources (default: groma)")
    parser.add_argument("--sources", type=Path, default=SOURCES, metavar="FOLDER", help="default: src")
    chosen = parser.parse_args(arguments)
    sys.path.insert(0, str(chosen.sources))
    rooms = rooms_of(chosen.package, chosen.sources)
    print(rooms)
    return 1 if rooms.circles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
