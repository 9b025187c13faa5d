"""Lists of launch numbers in words."""

from __future__ import annotations

from collections.abc import Iterable


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return neighbouring numbers, given in rising order, as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def these_launches(numbers: Iterable[int]) -> str:
    """Return `launch 4` or `launches 1 to 3, 7`."""
    listed = list(numbers)
    parts = [
        f"{first} to {last}" if last > first + 1 else ", ".join(map(str, sorted({first, last})))
        for first, last in spans(listed)
    ]
    return f"launch{'es' * (len(listed) > 1)} {', '.join(parts)}"
