"""What the documents print, as the ranges of numbers that may be behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import groma


@dataclass(frozen=True)
class Printed:
    """All numbers that may have been rounded to what is printed."""

    low: float
    high: float

    @classmethod
    def of(cls, text: str) -> Printed:
        """Return the numbers that a printed text may stand for: half a unit of its last digit either way."""
        match = re.fullmatch(r"(-?\d+)\.?(\d*)(?:e([+-]\d+))?%?", text)
        assert match, text
        half = 0.5 * 10.0 ** (int(match[3] or 0) - len(match[2]))
        value = float(text.rstrip("%"))
        return cls(value - half, value + half)

    def __mul__(self, other: Printed | float) -> Printed:
        others = (other.low, other.high) if isinstance(other, Printed) else (other,)
        ends = [a * b for a in (self.low, self.high) for b in others]
        return Printed(min(ends), max(ends))

    def __truediv__(self, other: Printed) -> Printed:
        return self * Printed(1 / other.high, 1 / other.low)

    def agrees(self, other: Printed | float) -> bool:
        """Whether one number can be behind both, but for the last bit of a double."""
        low, high = (other.low, other.high) if isinstance(other, Printed) else (other, other)
        slack = 1e-9 * max(abs(high), abs(self.high))
        return self.low <= high + slack and low <= self.high + slack


def cells(name: str, **keys: object) -> Iterator[dict[str, Any]]:
    rows = groma.reference(name).filter(**keys) if keys else groma.reference(name)
    return rows.iter_rows(named=True)


def printed(name: str, quantity: str, by: str | None = None, **keys: object) -> dict[Any, Printed]:
    """Return what one table prints of one quantity, by a key."""
    found = list(cells(name, quantity=quantity, **keys))
    named = {row[by] if by else None: Printed.of(row["printed"]) for row in found}
    assert found
    assert len(named) == len(found), "the key does not tell the rows apart"
    return named


def one(name: str, quantity: str, **keys: object) -> Printed:
    return printed(name, quantity, None, **keys)[None]


def check(identities: dict[Any, bool], exceptions: dict[Any, str]) -> None:
    """All identities hold but the exceptions, and those do not."""
    assert identities
    assert {place for place, holds in identities.items() if not holds} == set(exceptions)
