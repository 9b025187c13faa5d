"""Numbers of things, in the singular or the plural."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return `1 launch`, `2 launches`."""
    plural = f"{noun}es" if noun.endswith(("ch", "ss")) else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
