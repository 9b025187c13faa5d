"""Message sizes as people write them: `8`, `1K`, `4M`, `1MiB`, `8:1M`, `8:1M:*4`, `1:1M:*sqrt2`, `8,64,1K`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from groma.errors import InputError

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"(\d{1,200})\s*([KMGT]?)(iB|B)?", re.IGNORECASE)
_STEP = re.compile(r"([*+])(.+)")
_ROOT_STEP = "*sqrt2"
_LARGEST_LIST = 100_000


def parse_size(text: str) -> int:
    """Return the bytes of one size such as `8`, `1K` or `1MiB` (K, M, G, T are powers of 1024)."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise InputError(f"'{text}' is not a size; write bytes such as 8, 1K, 4M or 1MiB")
    digits, unit, suffix = match.groups()
    if unit and (suffix or "").lower() == "b":
        clear = f"{digits}{unit.upper()}iB for {digits} x {_UNITS[unit.upper()]} bytes"
        raise InputError(f"'{text}' could mean powers of 1000 or of 1024; write {clear}")
    return int(digits) * _UNITS[unit.upper()]


def parse_sizes(text: str) -> list[int]:
    """Return the sizes of a list of sizes and ranges, in the order written and without repeats.

    `a:b` doubles from a up to b, `a:b:*k` multiplies by k, `a:b:+k` adds k; b belongs to the range when it is hit.
    `a:b:*sqrt2` takes SKaMPI's steps: a times powers of the square root of 2, each rounded to a whole byte.
    """
    sizes: dict[int, None] = {}
    for part in text.split(","):
        for size in _range(part) if ":" in part else [parse_size(part)]:
            sizes[size] = None
        if len(sizes) > _LARGEST_LIST:
            raise InputError(f"'{text}' is more than {_LARGEST_LIST} sizes; use a larger step")
    return list(sizes)


def write_sizes(sizes: Iterable[int]) -> str:
    """Return sizes as `parse_sizes` reads them, ascending: `8:1M` if each is twice the one before, else a list."""
    ordered = sorted(set(sizes))
    last = ordered[-1] if ordered else 0
    if len(ordered) > 2 and ordered == parse_sizes(f"{ordered[0]}:{last}"):
        return f"{_written(ordered[0])}:{_written(last)}"
    return ",".join(map(_written, ordered))


def _written(size_bytes: int) -> str:
    unit = max((unit for unit, factor in _UNITS.items() if size_bytes % factor == 0), key=_UNITS.__getitem__)
    return f"{size_bytes // _UNITS[unit]}{unit}" if size_bytes else "0"


def format_size(size_bytes: int) -> str:
    """Return a size for people: `8 B`, `1 KiB`, `1.5 MiB`."""
    value, names = float(size_bytes), ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(names) > 1:
        value /= 1024
        names.pop(0)
    return f"{value:.4g} {names[0]}"


def _range(part: str) -> list[int]:
    pieces = part.split(":")
    if len(pieces) > 3:
        raise InputError(f"'{part}' is not a size range; write FIRST:LAST or FIRST:LAST:*4")
    first, last = parse_size(pieces[0]), parse_size(pieces[1])
    if first > last:
        raise InputError(f"the size range '{part}' is empty: {pieces[0]} is larger than {pieces[1]}; swap its ends")
    if len(pieces) == 3 and pieces[2].strip() == _ROOT_STEP:
        return _root_range(first, last)
    kind, amount = _step(part, pieces[2] if len(pieces) == 3 else "*2")
    if kind == "+":
        if (last - first) // amount > _LARGEST_LIST:
            raise InputError(f"'{part}' is more than {_LARGEST_LIST} sizes; use a larger step")
        return list(range(first, last + 1, amount))
    sizes, size = ([0], 1) if first == 0 else ([], first)
    while size <= last:
        sizes.append(size)
        size *= amount
    return sizes


def _root_range(first: int, last: int) -> list[int]:
    start = max(first, 1)
    halvings = 2 * (last // start).bit_length()
    steps = (round(start * math.sqrt(2) ** power) for power in range(halvings + 1))
    return list(dict.fromkeys([first, *(size for size in steps if size <= last)]))


def _step(part: str, text: str) -> tuple[str, int]:
    match = _STEP.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"'{text}' in the size range '{part}' is not a step; write *2 to multiply, +64 to add, or *sqrt2"
        )
    kind, amount = match[1], parse_size(match[2])
    if amount < (2 if kind == "*" else 1):
        raise InputError(
            f"the step '{text}' in the size range '{part}' never reaches its end; write *2 or more, or +1 or more"
        )
    return kind, amount
