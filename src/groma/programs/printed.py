"""How what other programs print is described, and what `groma import` understands of it.

A program's folder has a printed.json (`Description`), and a printed.py if some of its rows need more than that.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import msgspec

Cells = Mapping[str, str]  # the words of a row by the headings of their columns
DATATYPES = {"MPI_BYTE": "byte", "MPI_CHAR": "char", "MPI_INT": "int32", "MPI_FLOAT": "float", "MPI_DOUBLE": "double"}


@dataclass(frozen=True)
class Test:
    """One test of a program: its name there, the operation that stands for it, and how the two count.

    `title` is what its table is called, if that is not its name. `settings` choose among several ways in which the
    profile measures the operation. The program's size is that of the `whole` vector, or of one rank's message; its
    figure is a `rate`, or a time that holds several Groma figures (`holds`: 2 for a round trip). `messages` go in one
    repetition, times the window if there is one, and times the pairs of a rate; 0 if no bandwidth is made of them.
    `ranks` take part however many there are. `part` is the part of the suite that has it, if not the first.
    """

    name: str
    operation: str
    title: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    whole: bool = False
    rate: bool = False
    holds: int = 1
    messages: int = 0
    ranks: int | None = None
    part: str = ""

    def bytes_of(self, size: int, ranks: int) -> int:
        """Return the size of one rank's message if the program says `size`."""
        return size // ranks if self.whole else size


class Columns(msgspec.Struct, frozen=True):
    """Which headings columns can have; the first that a table has is taken. `words` are columns that are no numbers."""

    size: tuple[str, ...]
    figure: tuple[str, ...]
    repetitions: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Description(msgspec.Struct, frozen=True):
    """What a printed.json says. Texts but titles and names are regular expressions, of a line unless it says else.

    marks     what only this program prints
    begins    begins a table, of a `test` of these names, `suite` before it; without it, headings begin one
    headings  stands before the first heading of a line of them; `gaps` divide them
    row       a row of a table without headings, with its columns as named groups
    ends      ends a table
    says      remarks within a table; their named groups are kept for its rows
    facts     statements on the whole output: `version`, `part` (of a suite), `date`, or `key` and `value`
    parts     parts of the suite whose tests need no further name; those of others have the part before theirs
    gives_up  a row of a `size` that the program itself left out, and `why`
    good      what a column of a check says of data that are right
    skipped   why tests are not read, by a regular expression of their names
    nearest   tests that the profile measures by another definition: `differs` says in what they do; they are not read
    """

    title: str
    figure: str
    marks: str
    columns: Columns
    tests: tuple[Test, ...]
    begins: str = r"(?!)"
    headings: str = r"(?!)"
    gaps: str = r"\s+"
    row: str = ""
    ends: str = r"(?!)"
    says: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    gives_up: str = r"(?!)"
    good: dict[str, tuple[str, ...]] = {}
    skipped: dict[str, str] = {}
    nearest: tuple[Test, ...] = ()
    differs: str = ""


@dataclass(frozen=True)
class Line:
    """One row of a program's tables.

    `size` is in bytes as the program counts them (0: none), `figure` in microseconds, or MB/s (10^6 bytes) of a rate;
    without one, `failure` is a reason as in a record of a failure, and what the row says. `others` are the further
    numbers of the row by their own headings, as printed. `ranks` took part, in `groups` at once, of `launched`;
    `members` are they if not the first. `repetitions` were made, and `samples_us` are their times: None or empty if the
    output does not say so. `settings` are fields of the point that the output states. `step` is the last digit's, in
    the unit of the figure. `moved` bytes went if not all of the size. It stands in line `number`, in the table that is
    the `occurrence`-th of its kind. `checked` if the program found its data right.
    """

    test: str
    size: int
    figure: float = 0.0
    others: Mapping[str, float] = field(default_factory=dict)
    ranks: int | None = None
    launched: int | None = None
    members: tuple[int, ...] = ()
    groups: int = 1
    repetitions: int | None = None
    samples_us: tuple[float, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    step: float = 0.0
    moved: int | None = None
    checked: bool = False
    failure: tuple[str, str] | None = None
    number: int = 0
    occurrence: int = 0


@dataclass
class Table:
    """One table as it stands: its title, what was said before and in it, its headings, and all lines not known."""

    name: str
    number: int
    facts: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    headings: list[str] = field(default_factory=list)
    lines: list[tuple[int, str]] = field(default_factory=list)

    def last(self, name: str) -> str:
        """Return what was last said under this name; empty if nothing was."""
        return self.said.get(name, "").rpartition(" ")[2]

    def count(self, name: str) -> int:
        """Return the number that was last said under this name; 0 if none was."""
        return whole(self.last(name))


@dataclass
class Output:
    """One output of a program: its `lines` in order, and what it says of itself; empty if it does not say it.

    `lost` rows, of the tables that are the occurrence-th of their kind, and `texts` of others between rows have the
    number of their line. `skipped` are tests that were not read, with the line of their title and why, `empty` those
    without rows.
    `facts` are statements by their own names, such as {"System": "Linux"}.
    """

    lines: list[Line] = field(default_factory=list)
    lost: list[tuple[int, str, int]] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)
    skipped: dict[str, tuple[int, str]] = field(default_factory=dict)
    empty: list[tuple[int, str]] = field(default_factory=list)
    version: str = ""
    measured: str = ""
    facts: dict[str, str] = field(default_factory=dict)


_Settle = Callable[[Line, Table, Cells], Line]


def _as_it_stands(line: Line, *_: object) -> Line:
    return line


@dataclass(frozen=True)
class Importer:
    """How the output of one program is read, whose method is that of the `profile`.

    `settle` completes a row by its cells, empty if the row could not be read, and by what its table says.
    """

    profile: str
    told: Description
    settle: _Settle = _as_it_stands

    @classmethod
    def of(cls, module: str, settle: _Settle = _as_it_stands) -> Importer:
        """Return the importer of the program whose module this is (`__file__`): beside it lies its printed.json."""
        folder = Path(module).parent
        return cls(folder.name, msgspec.json.decode((folder / "printed.json").read_bytes(), type=Description), settle)

    @property
    def mark(self) -> re.Pattern[str]:
        """What only this program prints."""
        return re.compile(self.told.marks)

    def test(self, name: str) -> Test | None:
        """Return the test of this name or title; None if no operation stands for it, or several have the title."""
        found = [test for test in self.told.tests if name and name in (test.name, test.title)]
        return found[0] if len(found) == 1 else None


def whole(word: str) -> int:
    """Return a whole number of at most nine digits; 0 if it is none."""
    return int(word) if re.fullmatch(r"\d{1,9}", word) else 0


def step_of(word: str) -> float:
    """Return the step of a number as it was printed: 0.01 for `8.30`."""
    with suppress(InvalidOperation, OverflowError):
        exponent = Decimal(word).as_tuple().exponent
        return 10.0**exponent if isinstance(exponent, int) else 0.0
    return 0.0


def date(words: str) -> str:
    """Return a date as C's ctime prints it, such as `Mon Nov 23 02:10:55 2026`, in ISO 8601; empty if it is none."""
    with suppress(ValueError):
        return dt.datetime.strptime(words.strip(), "%a %b %d %H:%M:%S %Y").astimezone().isoformat(timespec="seconds")
    return ""
