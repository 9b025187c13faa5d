"""What other programs print, as lines that `groma import` understands; each program's folder has its own reader."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec


@dataclass(frozen=True)
class Test:
    """One test of a program: its name there, the operation that stands for it, and how the two count.

    `settings` choose among several ways in which the profile measures the operation. The program's size is that of the
    `whole` vector, or of one rank's message; its figure is a `rate`, or a time that holds several Groma figures
    (`holds`: 2 for a round trip). `messages` go in one repetition, times the window if there is one, and times the
    pairs of a rate; 0 if no bandwidth is made of them.
    """

    name: str
    operation: str
    settings: dict[str, Any] = field(default_factory=dict)
    whole: bool = False
    rate: bool = False
    holds: int = 1
    messages: int = 0

    def bytes_of(self, size: int, ranks: int) -> int:
        """Return the size of one rank's message if the program says `size`."""
        return size // ranks if self.whole else size


class _Told(msgspec.Struct):
    """What a printed.json says, as in `Importer`."""

    title: str
    figure: str
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Line:
    """One line of a program's tables.

    `size` is in bytes as the program counts them (0: none), `figure` in microseconds, or MB/s (10^6 bytes) of a rate.
    `others` are the further numbers of the line by their own headings, as printed. `ranks` took part, `repetitions`
    were made, and `samples_us` are their times: None or empty if the output does not say so. `settings` are fields
    of the point that the output states. `step` is the last digit's, in the unit of the figure.
    """

    test: str
    size: int
    figure: float
    others: Mapping[str, float] = field(default_factory=dict)
    ranks: int | None = None
    repetitions: int | None = None
    samples_us: tuple[float, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    step: float = 0.0


@dataclass(frozen=True)
class Output:
    """One output of a program: its `lines` in order, and what it says of itself; empty if it does not say it.

    `ranks` were launched, and `measured` is when, in ISO 8601. `facts` are statements by their own names, such as
    {"System": "Linux"}.
    """

    lines: list[Line]
    version: str = ""
    ranks: int | None = None
    measured: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Importer:
    """How the output of one program is read: `recognises` finds it by its text.

    `title` names the program in sentences, and the method of its `tests` is that of the `profile`. `figure`
    says what its figures are.
    """

    title: str
    profile: str
    tests: tuple[Test, ...]
    recognises: Callable[[str], bool]
    read: Callable[[str], Output]
    figure: str

    @classmethod
    def of(cls, folder: Path, recognises: Callable[[str], bool], read: Callable[[str], Output]) -> Importer:
        """Return the importer of the program in a folder, whose printed.json has title, figure and tests."""
        told = msgspec.json.decode((folder / "printed.json").read_bytes(), type=_Told)
        return cls(told.title, folder.name, told.tests, recognises, read, told.figure)

    def test(self, name: str) -> Test | None:
        """Return the test of this name; None if no operation stands for it."""
        return next((test for test in self.tests if test.name == name), None)


def is_number(word: str) -> bool:
    """Return whether a word is a finite number, as programs print them."""
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def step_of(word: str) -> float:
    """Return the step of a number as it was printed: 0.01 for `8.30`."""
    return 10.0 ** -len(word.partition(".")[2]) if "e" not in word.lower() else 0.0


def date(words: str) -> str:
    """Return a date as C's ctime prints it, such as `Mon Nov 23 02:10:55 2026`, in ISO 8601; empty if it is none."""
    with suppress(ValueError):
        return dt.datetime.strptime(words.strip(), "%a %b %d %H:%M:%S %Y").astimezone().isoformat(timespec="seconds")
    return ""
