"""Text from records, plans and file names, made safe for a terminal."""

from __future__ import annotations

import re

# Control characters but line ends and tabulators, and those that turn the direction of writing: a terminal obeys them.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return the text with U+FFFD in place of every character that a terminal would obey instead of showing it."""
    return _OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)
