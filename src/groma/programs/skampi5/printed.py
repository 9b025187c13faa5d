"""What SKaMPI 5 prints between `begin result` and `end result`: size, time, error, repetitions, times of ranks.

A result has the name that the measurement file gives it: `Bcast`, `MPI_Bcast-length` and such are known.
"""

from __future__ import annotations

import re
from pathlib import Path

from groma.programs.printed import Importer, Line, Output, date, is_number, step_of

_BEGIN = re.compile(r'# begin result "(.*)"')
_VERSION = re.compile(r"# SKaMPI Version (\S+)")
_STARTED = re.compile(r"# Started at (.+)")
_LEADING = re.compile(r"^(?:\s*\w+\s*=\s*\S+)+")
_DECORATED = re.compile(r"^(?:MPI_)?(\w+?)(?:-length|-count|-message-length)?$")
_COLUMNS = 4  # size, time, standard error, repetitions; then a time of each rank


def _read(text: str) -> Output:
    lines, name = list[Line](), ""
    for line in text.splitlines():
        if begun := _BEGIN.match(line):
            name = begun[1]
        elif line.startswith("# end result"):
            name = ""
        elif name:
            words = _LEADING.sub("", line).split()
            if len(words) >= _COLUMNS and all(map(is_number, words)):
                lines.append(_line(_plain(name), words))
    version, started = _VERSION.search(text), _STARTED.search(text)
    return Output(lines, version[1] if version else "", measured=date(started[1]) if started else "")


def _line(name: str, words: list[str]) -> Line:
    size, time, error, made, *of_ranks = map(float, words)
    others = {"standard error": error} | {f"rank {rank}": one for rank, one in enumerate(of_ranks)}
    return Line(name, int(size), time, others, len(of_ranks) or None, int(made), step=step_of(words[1]))


def _plain(name: str) -> str:
    """Return the name of the test in the name of a result, such as Bcast of MPI_Bcast-length."""
    found = _DECORATED.match(name)
    return found[1] if found else name


IMPORTER = Importer.of(Path(__file__).parent, lambda text: "# begin result " in text, _read)
