"""Writes the sources that clang-tidy reads to check changed files, and prints their paths.

    python tools/tidy_sources.py FOLDER CHANGED...

The changed sources of a folder are included in one file, for most of what a source costs is the headers that it shares
with the others. A changed header is checked where a source includes it; the fewest further sources are taken for that.
A source with a main function has a file of its own, and that with the catalogue, which is slow with any other.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "engine"
TOGETHER = 8  # sources in one file, so that all processors have work
_WANTED = "// NOLINT(bugprone-suspicious-include)"
_INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
_ALONE = re.compile(r'^int main\(|^#include "groma/operations/catalogue.hpp"', re.MULTILINE)


@cache
def headers_of(path: Path) -> frozenset[Path]:
    """Return the engine's headers that a file includes, also through others."""
    headers: set[Path] = set()
    for name in _INCLUDE.findall(path.read_text()):
        header = next((place / name for place in (path.parent, ENGINE) if (place / name).is_file()), None)
        if header and header not in headers:
            headers |= {header, *headers_of(header)}
    return frozenset(headers)


def to_check(changed: Iterable[Path], sources: Iterable[Path]) -> list[Path]:
    """Return the changed sources, and of the others as few as include all changed headers."""
    changed = set(changed)
    chosen = {path for path in changed if path.suffix == ".cpp"}
    missing = {path for path in changed if path.suffix == ".hpp"} - _all_headers(chosen)
    others = sorted(set(sources) - chosen)
    while missing:
        best = max(others, key=lambda source: (len(missing & headers_of(source)), -len(headers_of(source))))
        if not missing & headers_of(best):
            names = ", ".join(str(path.relative_to(ROOT)) for path in sorted(missing))
            raise SystemExit(f"no source includes {names}, so clang-tidy cannot check it: include it, or remove it")
        chosen.add(best)
        missing -= headers_of(best)
    return sorted(chosen)


def _all_headers(sources: Iterable[Path]) -> set[Path]:
    return {header for source in sources for header in headers_of(source)}


def together(sources: Iterable[Path]) -> Iterator[list[Path]]:
    """Yield the sources in groups, each of which one file can include."""
    for alone, alike in groupby(sorted(sources, key=_place), key=lambda source: _place(source)[0]):
        for _, folder in groupby(alike, key=lambda source: source.parent):
            of_folder = list(folder)
            step = 1 if alone else TOGETHER
            yield from (of_folder[at : at + step] for at in range(0, len(of_folder), step))


def _place(source: Path) -> tuple[bool, Path]:
    return bool(_ALONE.search(source.read_text())), source


def main() -> int:
    """Write the files, those of most sources first."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    changed = [ROOT / name for name in sys.argv[2:]]
    groups = together(to_check(changed, ENGINE.rglob("*.cpp")))
    for number, group in enumerate(sorted(groups, key=len, reverse=True)):
        path = folder / f"{number:02d}.cpp"
        path.write_text("".join(f'#include "{source}"  {_WANTED}\n' for source in group))
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
