"""Tables as files: CSV and JSON, written row by row from columns of encoded cells, and Parquet."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from groma.catalog import Catalog
from groma.columns import COLUMNS
from groma.errors import writing
from groma.results.bounds import SCHEMA
from groma.results.run import Run
from groma.tables.cells import NOTHING, Block, Cells, Table, flat, polars_frame, polars_of, printed
from groma.tables.launches import launches, no_launches
from groma.tables.openmetrics import run_as_openmetrics
from groma.tables.points import brief, figures_of_launches
from groma.text.sizes import format_size
from groma.text.tables import Table as TextTable
from groma.text.tables import latex_lines, markdown_lines

Format = Literal["parquet", "csv", "json", "markdown", "latex", "openmetrics"]
ENDINGS = {"markdown": "md", "latex": "tex", "openmetrics": "prom"}  # others are their names
# What is of points only, and has no definitions beside it.
TEXTS: dict[str, Callable[[Run], str]] = {
    "markdown": lambda run: _lines(markdown_lines(_told(run))),
    "latex": lambda run: _lines(latex_lines(_told(run))),
    "openmetrics": run_as_openmetrics,
}
_HEADINGS = {"bytes": "size", "interval_low": "low", "interval_high": "high"}
_encoded = msgspec.json.encode


def export(run: Run, to: Format, path: str | Path, *, points: bool = False) -> Path:
    """Write the table of `load` to `path` and return the path; a row also has the figures of its point over launches.

    Those are `groma.columns.FIGURES`, with the names and meanings of `groma.summary`; CSV joins the checks with " | ".
    With `points`, write the table of `groma.summary`; Markdown and LaTeX are always of that, and OpenMetrics has all
    quantities of points. JSON contains the columns' definitions; for Parquet and CSV they are written to
    `<name>.columns.csv` beside.
    Raises `OutputError` if the file cannot be written, `InputError` for Parquet without polars.
    """
    target = Path(path)
    with writing(target):
        if to in TEXTS:
            target.write_text(TEXTS[to](run), encoding="utf-8")
            return target
        parts = iter([[Block(brief(run))]]) if points else _with_figures(run)
        names = _WRITERS[to](run, parts, target)
        if to != "json":
            described = [tuple(one.values()) for one in _described(names, run.catalog)]
            lines = [",".join(map(_quoted, line)) for line in [("name", "unit", "meaning"), *described]]
            target.with_suffix(".columns.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def _told(run: Run) -> TextTable:
    """Return the table of points for people: sizes with their units, figures with four digits."""
    columns = {name: [_cell(name, value) for value in cells.listed()] for name, cells in brief(run).items()}
    return TextTable.of_columns("", {_HEADINGS.get(name, name.replace("_", " ")): own for name, own in columns.items()})


def _lines(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def _cell(name: str, value: Any) -> str:  # noqa: ANN401 - what a cell holds
    return format_size(value) if name == "bytes" and value is not None else printed(value)


def _with_figures(run: Run) -> Iterator[list[Block]]:
    """Yield the rows of each launch with the figures of their points over all launches, if they have any."""
    numbers, figures = figures_of_launches(run)
    for number, blocks in zip(numbers, launches(run), strict=True):
        yield [*blocks, Block(figures, number)]
    if not numbers:
        yield [Block(no_launches()), Block(figures)]


def _write_json(run: Run, parts: Iterator[list[Block]], target: Path) -> Sequence[str]:
    first = next(parts)
    names = list(flat(first))
    head = {"schema": SCHEMA, "run": run.path.name, "columns": _described(names, run.catalog)}
    writer = _Writer(_encoded, {name: f'{"," if at else "{"}"{name}":' for at, name in enumerate(names)}, "}")
    with target.open("wb") as file:
        file.write(json.dumps(head, allow_nan=False)[:-1].encode() + b', "rows": [')
        between = b""
        for rows in map(writer.rows, chain([first], parts)):
            if rows:
                file.write(between + b",\n".join(rows))
                between = b",\n"
        file.write(b"]}\n")
    return names


def _write_csv(run: Run, parts: Iterator[list[Block]], target: Path) -> Sequence[str]:
    del run
    first = next(parts)
    names = list(flat(first))
    writer = _Writer(_csv, {name: "," if at else "" for at, name in enumerate(names)}, "\n")
    with target.open("wb") as file:
        file.write(",".join(map(_quoted, names)).encode() + b"\n")
        for rows in map(writer.rows, chain([first], parts)):
            file.writelines(rows)
    return names


def _write_parquet(run: Run, parts: Iterator[list[Block]], target: Path) -> Sequence[str]:
    """Write the launches to files of their own first, which are put together without being read as a whole."""
    del run
    polars: Any = polars_of("Parquet")
    names: Sequence[str] = []
    known: dict[int, tuple[Any, Any]] = {}
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        for place, blocks in enumerate(parts):
            part = flat(blocks)
            frame = polars_frame(part, polars, known)
            frame.write_parquet(Path(folder) / f"{place:06}.parquet", compression="uncompressed", statistics=False)
            names = list(part)
        polars.scan_parquet(Path(folder) / "*.parquet").sink_parquet(target)
    return names


_WRITERS = {"json": _write_json, "csv": _write_csv, "parquet": _write_parquet}


class _Writer:
    """Turns tables into texts, a row each; the rows of a table that several launches share are written once."""

    def __init__(self, write: Callable[[Any], bytes], before: Mapping[str, str], end: str) -> None:
        """Take how a value is written, the text before each column's cell, and that at the end of a row."""
        self._write, self._before, self._end = write, before, end.encode()
        self._shared: dict[int, tuple[Table, list[bytes]]] = {}

    def rows(self, blocks: Sequence[Block]) -> list[bytes]:
        """Return the rows of blocks side by side."""
        parts = [self._block(block) for block in blocks]
        return list(map(b"".join, zip(*parts, repeat(self._end, len(parts[0])), strict=True)))

    def _block(self, block: Block) -> list[bytes]:
        if block.places is None:
            return self._rows(block.table)
        if not block.table:
            return [b""] * len(block.places)
        if id(block.table) not in self._shared:
            nothing = Block(block.table, np.array([NOTHING])).rows
            self._shared[id(block.table)] = block.table, [*self._rows(block.table), *self._rows(nothing)]
        texts = self._shared[id(block.table)][1]
        return [texts[place] for place in block.places.tolist()]

    def _rows(self, table: Table) -> list[bytes]:
        count = len(next(iter(table.values())))
        pieces: list[bytes | list[bytes]] = []
        same = b""
        for name, cells in table.items():
            same += self._before[name].encode()
            own = self._cells(cells)
            if isinstance(own, bytes):
                same += own
            else:
                pieces += [same, own]
                same = b""
        columns = [repeat(piece, count) if isinstance(piece, bytes) else piece for piece in [*pieces, same]]
        return list(map(b"".join, zip(*columns, strict=True)))

    def _cells(self, cells: Cells) -> list[bytes] | bytes:
        """Return the cells as texts; one text if all are the same."""
        numbers, missing = cells.numbers, cells.missing
        if not numbers.size:
            return []
        if missing.all() or (numbers == numbers[0]).all():
            return self._write(cells.at(np.zeros(1, np.int64)).listed()[0])
        if cells.words is not None:
            words = self._texts(cells.words)
            return [words[place] for place in numbers.tolist()]
        if cells.kind == "truth":
            words = self._texts((False, True))
            return [words[place] for place in np.where(missing, NOTHING, numbers).astype(np.int64).tolist()]
        whole = np.nan_to_num(numbers).astype(np.int64) if cells.kind == "whole" else numbers
        texts = _encoded(whole.tolist())[1:-1].split(b",")
        nothing = self._write(None)
        for place in np.flatnonzero(missing).tolist():
            texts[place] = nothing
        return texts

    def _texts(self, words: Sequence[Any]) -> list[bytes]:
        """Return the texts of words, and last of none."""
        return [*map(self._write, words), self._write(None)]


def _csv(value: Any) -> bytes:  # noqa: ANN401 - what a cell holds
    if value is None:
        return b""
    if isinstance(value, list):
        value = " | ".join(map(str, value))
    return _quoted(value).encode() if isinstance(value, str) else _encoded(value)


def _quoted(text: str) -> str:
    if text and not any(mark in text for mark in '",\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _described(names: Sequence[str], catalog: Catalog) -> list[dict[str, str]]:
    """Return name, unit and meaning of every column: as declared, or from the catalogue for a point field."""
    fields = {field.name: field for field in catalog.fields if field.scope == "point"}
    described = []
    for name in names:
        column, field = COLUMNS.get(name), fields.get(name)
        unit, meaning = (column.unit, column.meaning) if column else (field.unit, field.help) if field else ("", "")
        described.append({"name": name, "unit": unit, "meaning": meaning})
    return described
