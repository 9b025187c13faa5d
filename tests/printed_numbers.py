"""Numbers that were rounded when they were printed, as the ranges that may be behind them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass


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

    @property
    def value(self) -> float:
        """The number as it was printed."""
        return (self.low + self.high) / 2

    def __mul__(self, other: Printed | float) -> Printed:
        others = (other.low, other.high) if isinstance(other, Printed) else (other,)
        ends = [a * b for a in (self.low, self.high) for b in others]
        return Printed(min(ends), max(ends))

    def __truediv__(self, other: Printed) -> Printed:
        return self * Printed(1 / other.high, 1 / other.low if other.low > 0 else math.inf)

    def agrees(self, other: Printed | float) -> bool:
        """True if one number can be behind both, but for the last bit of a double."""
        low, high = (other.low, other.high) if isinstance(other, Printed) else (other, other)
        slack = 1e-9 * max(abs(high), abs(self.high))
        return self.low <= high + slack and low <= self.high + slack


def exactly(value: float) -> Printed:
    """A number that nobody rounded."""
    return Printed(value, value)
