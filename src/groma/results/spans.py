"""Lists of launch numbers as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return neighbouring numbers, given in rising order, as (first, last)."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def these_launches(numbers: Iterable[int]) -> str:
    """Return `launch 4` or `launches 1 to 3, 7`."""
    listed = list(numbers)
    parts = [
        f"{first} to {last}" if last > first + 1 else ", ".join(map(str, sorted({first, last})))
        for first, last in spans(listed)
    ]
    return f"launch{'es' * (len(listed) > 1)} {', '.join(parts)}"
