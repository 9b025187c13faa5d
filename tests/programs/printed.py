"""Starts the programs of engine/programs, and reads what they print."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from beds import Library, Result


def program(library: Library, name: str) -> Path:
    """Return the program built for a library: installed beside the engine, or in the build folder below it."""
    beside = library.engine.with_name(name)
    return beside if beside.is_file() else library.engine.parent / "programs" / name


def start(library: Library, ranks: int, name: str, *arguments: str | Path) -> Result:
    """Run a program and return how it ended."""
    return library.run(ranks, *arguments, engine=program(library, name))


def report(library: Library, ranks: int, name: str, *arguments: str | Path) -> str:
    """Run a program that must succeed and return what it printed."""
    result = start(library, ranks, name, *arguments)
    assert result.exit_code == 0, result
    return result.output


@dataclass(frozen=True)
class Figure:
    """A printed number: its value, and by how much rounding may have moved it."""

    value: float
    rounding: float

    def __mul__(self, other: Figure) -> Figure:
        return Figure(self.value * other.value, self.value * other.rounding + other.value * self.rounding)

    def __truediv__(self, other: Figure) -> Figure:
        value, least = self.value / other.value, other.value - other.rounding
        return Figure(value, (self.value + self.rounding) / least - value if least > 0 else math.inf)

    def agrees(self, other: Figure) -> bool:
        """Whether both may be roundings of one number."""
        return abs(self.value - other.value) <= 1.001 * (self.rounding + other.rounding)


def exactly(value: float) -> Figure:
    """A number that nobody rounded."""
    return Figure(value, 0)


def figures(printed: str) -> dict[str, Figure]:
    """Return the last number of every ` Label:   number unit` line by its label; a label's second line is `Label 2`."""
    found: dict[str, Figure] = {}
    for label, number, _ in re.findall(r"^ ([A-Z][^0-9\n]*?):?  +(-?[0-9.]+)( \S.*)?$", printed, re.MULTILINE):
        exponent = Decimal(number).as_tuple().exponent
        assert isinstance(exponent, int)
        rounding = 0.0 if exponent == 0 else 0.5 * 10.0**exponent
        found[label if label not in found else f"{label} 2"] = Figure(float(number), rounding)
    return found
