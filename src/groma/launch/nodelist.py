"""Lists as schedulers shorten them: hosts `n[001-003,7],login`, and numbers `4(x2),2`."""

from __future__ import annotations

import itertools
import math
import re

_PART = re.compile(r"((?:[^,\[\]]|\[[^\]]*\])+)")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_REPEATED = re.compile(r"(\d{1,9})(?:\(x(\d{1,6})\))?")
# More names than any machine has hosts: such a text is no list of hosts.
_MOST_NAMES = 1_000_000


def expand(text: str) -> tuple[str, ...]:
    """Return the names of `n[001-003,7]-ib[0-1],login`; empty for a text that is no such list."""
    if text.count("[") != text.count("]"):
        return ()
    parts = [_names(part) for part in _PART.findall(text.strip())]
    return tuple(itertools.chain.from_iterable(parts)) if all(parts) else ()


def _names(part: str) -> list[str]:
    pieces = re.split(r"\[([^\]]*)\]", part)  # what is between brackets stands at odd places
    choices = [[piece] if at % 2 == 0 else _numbers(piece) for at, piece in enumerate(pieces)]
    if math.prod(map(len, choices)) > _MOST_NAMES:
        return []
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def _numbers(listed: str) -> list[str]:
    """Return the numbers of `001-003,7`, as wide as they are written."""
    numbers: list[str] = []
    for text in listed.split(","):
        match = _RANGE.fullmatch(text.strip())
        if match is None:
            return []
        first, last = match[1], match[2] or match[1]
        if int(last) - int(first) > _MOST_NAMES:
            return []
        numbers += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return numbers


def repeated(text: str) -> list[int]:
    """Return the numbers of `4(x2),2`; empty for a text that is no such list."""
    matches = [_REPEATED.fullmatch(part.strip()) for part in text.split(",")]
    if not all(matches):
        return []
    return [int(match[1]) for match in matches if match for _ in range(int(match[2] or 1))]
