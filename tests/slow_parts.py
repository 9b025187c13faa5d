"""The parts of the slow tests, of which CI runs one by turns: `2/3` is the second of three."""

from __future__ import annotations

import re
import zlib


def has(part: str, nodeid: str) -> bool:
    """Tell whether a test is in a part of all, whatever other tests there are; ValueError where that is no part."""
    found = re.fullmatch(r"([1-9])/([1-9])", part)
    if not found or int(found[1]) > int(found[2]):
        raise ValueError(f"{part} is neither 1 nor a part such as 2/3")
    number, parts = map(int, found.groups())
    return zlib.crc32(nodeid.encode()) % parts == number - 1
