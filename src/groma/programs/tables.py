"""The tables of an output: every line between a title and the last row is a row, a known remark, or kept as unread.

A row is whole if it has a word for every heading, numbers with as many digits after the point as the other rows of its
table, and their length if columns are aligned: a number that was cut is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from groma.analysis.grouping import grouped
from groma.programs.files import File
from groma.programs.printed import Cells, Importer, Line, Output, Table, date, step_of

_NUMBER = re.compile(r"[-+]?(?:\d{1,15}(?:\.\d{0,15})?|nan|inf)", re.IGNORECASE)
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf)", re.IGNORECASE)
# What may have been a row: a number in front, or two of which the second has a gap before it or digits after a point.
_LIKE_A_ROW = re.compile(r"^\s*[-+]?\d[\d.,]*(?![\d.,:/-])|\d(?:(?:\s{2,}|\t)[-+]?\d|\s[-+]?\d+\.\d)")
_LEADING = re.compile(r"\s*\w+=\s*\d")  # a variable of SKaMPI's loop
_WITH_DECIMALS = re.compile(r"\d\.\d")
_WORDS = 6
_SIZELESS = ("barrier", "ibarrier", "barrier_init")


def read_tables(file: File, importer: Importer) -> Output:
    """Return what an output of a program says."""
    return _Reading(file, importer).output()


def first_words(number: int, text: str) -> str:
    """Name a line by its number and its first words."""
    words = text.split()
    return f'line {number} "{" ".join(words[:_WORDS])[:60]}{" ..." if len(words) > _WORDS else ""}"'


class _Reading:
    """Goes through the lines of one output."""

    def __init__(self, file: File, importer: Importer) -> None:
        told = importer.told
        self._importer, self._told, self._out = importer, told, Output()
        self._lines = file.without_prefix(importer.mark)
        self._cut = 0 if file.is_whole else len(self._lines)
        self._begins, self._headings, self._ends = map(re.compile, (told.begins, told.headings, told.ends))
        self._says = [re.compile(one) for one in told.says]
        self._facts = [re.compile(one) for one in told.facts]
        self._seen = Counter[tuple[object, ...]]()
        self._table: Table | None = None

    def output(self) -> Output:
        """Read all lines."""
        for number, text in enumerate(self._lines, start=1):
            self._take(number, text.strip(), text.rstrip())
        self._close()
        facts = self._out.facts
        self._out.version, self._out.measured = facts.pop("version", ""), date(facts.pop("date", ""))
        return self._out

    def _take(self, number: int, stripped: str, text: str) -> None:
        if fact := next((found for one in self._facts if (found := one.match(stripped))), None):
            self._keep(number, stripped, stripped)
            said = fact.groupdict()
            self._out.facts |= {said["key"]: said["value"].strip()} if "key" in said else said
        elif begun := self._begins.search(stripped):
            self._keep(number, stripped, stripped[: begun.start()])
            self._begin(number, begun.groupdict(default=""))
            self._keep(number, stripped, stripped[begun.end() :])
        elif heading := self._headings.search(stripped):
            if self._table is None or (self._table.headings and self._table.lines):
                self._begin(number, {})
            if self._table:
                self._table.headings = re.split(self._told.gaps, stripped[heading.end() :])
            self._keep(number, stripped, stripped)
        elif self._ends.search(stripped):
            self._keep(number, stripped, stripped)
            self._close()
        elif self._table and stripped:
            self._within(self._table, number, stripped, text)

    def _keep(self, number: int, text: str, part: str) -> None:
        """Keep a line that is known, but of which a part is like a row."""
        if self._table and _LIKE_A_ROW.search(part):
            self._table.lines.append((number, text))

    def _within(self, table: Table, number: int, stripped: str, text: str) -> None:
        remark = next((found for one in self._says if (found := one.fullmatch(stripped))), None)
        if remark is None:
            table.lines.append((number, text))
        else:
            for name, value in remark.groupdict(default="").items():
                table.said[name] = f"{table.said.get(name, '')} {value}".strip()

    def _begin(self, number: int, said: dict[str, str]) -> None:
        """Begin a table, unless its title is only printed again."""
        only = self._told.tests[0].name if len(self._told.tests) == 1 else ""
        version, part = said.pop("version", ""), self._out.facts.get("part", "")
        name = said.pop("suite", "") + said.pop("test", only)
        name = f"{part} {name}" if part and part not in self._told.parts else name
        if self._table and self._table.name == name and not self._table.headings and not self._table.lines:
            return
        self._close()
        if version:
            self._out.facts.setdefault("version", version)
        self._table = Table(name, number, dict(self._out.facts), said)

    def _close(self) -> None:
        """Read the rows of the table that ends here."""
        table, self._table = self._table, None
        if table is None:
            return
        test = self._importer.test(table.name)
        if table.name and test is None:
            self._skip(table.name, table.number)
            return
        table.name = test.name if test else ""
        rows = _Rows(self._importer, table, self._cut)
        lines = [line for line in rows.lines if self._is_read(line)]
        if not rows.lines and not rows.lost and table.name:
            self._out.empty.append((table.number, table.name))
        keys = [(line.test, line.ranks, line.groups, repr(line.settings)) for line in lines]
        times = [self._seen[key] for key in keys]
        self._seen.update(set(keys))
        self._out.lines += [replace(line, occurrence=time) for line, time in zip(lines, times, strict=True)]
        self._out.lost += [(number, text, max(times, default=0)) for number, text in rows.lost]
        self._out.texts += rows.texts

    def _is_read(self, line: Line) -> bool:
        """Return whether a row has a test and a figure, or that it should have had one."""
        test = self._importer.test(line.test)
        if test is None:
            self._skip(line.test, line.number)
        elif not line.figure and line.failure is None:
            self._out.skipped[f"{line.test} at 0 bytes"] = (line.number, "no bytes have no rate")
            return False
        return test is not None

    def _skip(self, name: str, number: int) -> None:
        told = (why for pattern, why in self._told.skipped.items() if re.search(pattern, name))
        self._out.skipped.setdefault(name, (number, next(told, "no operation stands for it")))


class _Rows:
    """The rows of one table: `lines` in order, `lost` ones of unknown size, and other `texts` before the last row."""

    def __init__(self, importer: Importer, table: Table, cut: int) -> None:
        self.lines: list[Line] = []
        self.lost: list[tuple[int, str]] = []
        self.texts: list[tuple[int, str]] = []
        self._importer, self._told, self._table = importer, importer.told, table
        self._row, gives_up = re.compile(self._told.row), re.compile(self._told.gives_up)
        self._known: set[tuple[str, int, int | None]] = set()
        test = importer.test(table.name)
        self._sizeless, self._ranks = test is not None and test.operation in _SIZELESS, test.ranks if test else None
        columns, headings = self._told.columns, table.headings or list(self._row.groupindex)
        self._size, self._figure, self._made = (
            next((name for name in names if name in headings), "")
            for names in (columns.size, columns.figure, columns.repetitions)
        )
        self._others = [
            name
            for name in headings
            if name not in (self._size, self._figure, self._made, *columns.words, *self._told.good)
        ]
        rows: list[tuple[int, str, Cells]] = []
        others: list[tuple[int, str]] = []
        for number, text in table.lines:
            if given_up := gives_up.match(text.strip()):
                self._fail(number, int(given_up["size"]), "given_up", f"the program says {given_up['why']}")
            elif number != cut and (cells := self._cells(text)):
                rows.append((number, text, cells))
            elif self._is_like_a_row(text):
                others.append((number, text))
            else:
                self.texts.append((number, text))
        for row in self._whole(rows, self._most_of_another_length(others)):
            self._add(*row)
        for other in others:
            self._lose(*other)
        self.lost.sort()
        self.lines = sorted(_gathered(self.lines), key=lambda line: line.number)
        last = max([number for number, _ in self.lost] + [line.number for line in self.lines], default=0)
        self.texts = [one for one in self.texts if one[0] < last]

    def _most_of_another_length(self, others: Sequence[tuple[int, str]]) -> int:
        """Return how many lines of numbers have the same number of words, but another than there are headings."""
        words = [text.split() for _, text in others if self._table.headings]
        numbers = [len(row) for row in words if 2 * sum(map(bool, map(_NUMBER.fullmatch, row))) > len(row)]
        return max(Counter(one for one in numbers if one != len(self._table.headings)).values(), default=0)

    def _is_like_a_row(self, text: str) -> bool:
        leads = _LEADING.match(text) if self._told.row else self._importer.test(text.split(maxsplit=1)[0])
        return bool(leads or _LIKE_A_ROW.search(text) or (self._sizeless and _WITH_DECIMALS.search(text)))

    def _cells(self, text: str) -> dict[str, str]:
        """Return the words of a row by their headings; empty if it has not a word for each, or a wrong one."""
        headings, words = self._table.headings, text.split()
        if found := self._row.fullmatch(text.strip()) if self._told.row else None:
            cells = {name: word for name, word in found.groupdict().items() if word is not None}
        elif len(words) == len(headings) == len(set(headings)):
            cells = dict(zip(headings, words, strict=True))
        else:
            return {}
        if not (self._figure and (self._table.name or "test" in cells)):
            return {}
        numbers = all(_NUMBER.fullmatch(word) for name, word in cells.items() if name not in self._told.columns.words)
        return cells if numbers and cells.get(self._size, "0" if self._sizeless else "").isdecimal() else {}

    def _whole(self, rows: list[tuple[int, str, Cells]], most: int) -> Iterator[tuple[int, str, Cells]]:
        """Yield the rows of the shape that most of the table have; the others were cut, or glued to something.

        If `most` other lines of numbers, which are more, have one length, the headings are not those of the table.
        """
        aligned = not self._told.row and all("  " in text.strip() and "\t" not in text for _, text, _ in rows)
        lengths = [len(text) if aligned else len(text.split()) - int(cells.get("nodes", 0)) for _, text, cells in rows]
        shapes = [
            (length, *map(self._digits, cells.items())) for length, (*_, cells) in zip(lengths, rows, strict=True)
        ]
        finite = [not any(_NOT_FINITE.fullmatch(word) for word in cells.values()) for *_, cells in rows]
        counts = Counter(shape for shape, is_finite in zip(shapes, finite, strict=True) if is_finite)
        usual = max(counts, key=lambda shape: (counts[shape], shape), default=None)
        for row, shape, is_finite in zip(rows, shapes, finite, strict=True):
            if not is_finite or (shape == usual and counts[usual] >= most):
                yield row
            else:
                self._lose(*row[:2])

    def _digits(self, cell: tuple[str, str]) -> int:
        """Return the digits after the point of a number; -1 of a word."""
        return -1 if cell[0] in self._told.columns.words else len(cell[1].partition(".")[2])

    def _add(self, number: int, text: str, cells: Cells) -> None:
        good, test = self._told.good, cells.get("test", self._table.name)
        size, figure = int(cells.get(self._size, 0)), cells[self._figure]
        if odd := next((word for word in cells.values() if _NOT_FINITE.fullmatch(word)), ""):
            self._fail(number, size, "no_figure", f"line {number} prints {odd}", test)
            return
        line = Line(
            test,
            size,
            float(figure),
            {name: float(cells[name]) for name in self._others if name in cells},
            self._ranks,
            repetitions=int(float(cells.get(self._made, 0))) or None,
            step=step_of(figure),
            checked=any(name in cells for name in good),
            number=number,
        )
        line = self._importer.settle(line, self._table, cells)
        known = self._importer.test(line.test)
        wrong = next(
            (f"{name} is {cells[name]}" for name in good if name in cells and cells[name] not in good[name]), ""
        )
        if wrong:
            line = replace(line, failure=("wrong_data", f"the program's own check of line {number}: {wrong}"))
        elif line.figure < 0 or (not line.figure and (line.size or not (known and known.rate))):
            line = replace(line, failure=("no_figure", f"line {number} prints {figure}"))
        if (line.test, line.size, line.ranks) in self._known and not line.samples_us:
            self._lose(number, text)
        else:
            self._known.add((line.test, line.size, line.ranks))
            self.lines.append(line)

    def _lose(self, number: int, text: str) -> None:
        """Keep a row that is not whole: as a failure of its point if its size stands there, else as a lost one."""
        words, headings = text.split(), self._table.headings
        place = headings.index(self._size) if self._size in headings else -1
        size = words[place] if self._table.name and 0 <= place < len(words) - 1 else ""
        if size.isdecimal() and _NUMBER.fullmatch(size):
            self._fail(number, int(size), "unread", f"{first_words(number, text)} is no whole row")
        else:
            self.lost.append((number, text))

    def _fail(self, number: int, size: int, reason: str, why: str, test: str = "") -> None:
        line = Line(test or self._table.name, size, ranks=self._ranks, failure=(reason, why), number=number)
        self.lines.append(self._importer.settle(line, self._table, {}))


def _gathered(lines: Sequence[Line]) -> list[Line]:
    """Return the rows, of which those that are samples of the same point are one, with their median."""
    alone = [line for line in lines if not line.samples_us]
    calls = grouped((line for line in lines if line.samples_us), lambda line: (line.test, line.size, line.ranks))
    for those in calls.values():
        times = tuple(time for line in those for time in line.samples_us)
        alone.append(replace(those[0], figure=median(times), samples_us=times, repetitions=len(times)))
    return alone
