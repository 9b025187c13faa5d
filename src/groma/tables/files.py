"""Tables as files: CSV and JSON, written row by row from columns of encoded cells, and Parquet."""

from __future__ import annotations

import json
import tempfile
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from groma.columns import COLUMNS
from groma.errors import OutputError
from groma.results.bounds import SCHEMA
from groma.tables.cells import NOTHING
from groma.tables.frame import polars_frame, polars_of
from groma.tables.launches import launches, no_launches
from groma.tables.points import figures_of_launches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groma.catalog import Catalog
    from groma.results.run import Run
    from groma.tables.cells import Cells, Table

Format = Literal["parquet", "csv", "json"]
_encoded = msgspec.json.encode


def export(run: Run, to: Format, path: str | Path) -> Path:
    """Write the table of `load` to `path` and return the path; a row also has the figures of its point over launches.

    Those are `groma.columns.FIGURES`, with the names and meanings of `groma.summary`; CSV joins the checks with " | ".
    JSON contains the columns' definitions; for Parquet and CSV they are written to `<name>.columns.csv` beside.
    Raises `OutputError` where the file cannot be written, `InputError` for Parquet without polars.
    """
    target = Path(path)
    parts = _with_figures(run)
    try:
        names = _WRITERS[to](run, parts, target)
        if to != "json":
            described = [tuple(one.values()) for one in _described(names, run.catalog)]
            lines = [",".join(map(_quoted, line)) for line in [("name", "unit", "meaning"), *described]]
            target.with_suffix(".columns.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"{target} cannot be written ({error.strerror or error}): give another place with -o"
        ) from error
    return target


def _with_figures(run: Run) -> Iterator[Table]:
    """Yield the rows of each launch with the figures of their points over all launches, if they have any."""
    numbers, figures = figures_of_launches(run)
    empty = not numbers
    for number, part in zip(numbers, launches(run), strict=True):
        yield part | {name: cells.at(number) for name, cells in figures.items()}
    if empty:
        yield no_launches() | figures


def _write_json(run: Run, parts: Iterator[Table], target: Path) -> Sequence[str]:
    first = next(parts)
    head = {"schema": SCHEMA, "run": run.path.name, "columns": _described(list(first), run.catalog)}
    with target.open("wb") as file:
        file.write(json.dumps(head, allow_nan=False)[:-1].encode() + b', "rows": [')
        between = b""
        for part in chain([first], parts):
            if rows := _rows(
                part, _json, [b'%s"%s":' % (b"{,"[at > 0 :][:1], name.encode()) for at, name in enumerate(part)], b"}"
            ):
                file.write(between + b",\n".join(rows))
                between = b",\n"
        file.write(b"]}\n")
    return list(first)


def _write_csv(run: Run, parts: Iterator[Table], target: Path) -> Sequence[str]:
    del run
    first = next(parts)
    with target.open("wb") as file:
        file.write(",".join(map(_quoted, first)).encode() + b"\n")
        for part in chain([first], parts):
            file.writelines(_rows(part, _csv, [b"," * (at > 0) for at in range(len(part))], b"\n"))
    return list(first)


def _write_parquet(run: Run, parts: Iterator[Table], target: Path) -> Sequence[str]:
    """Write the launches to files of their own first, which are put together without being read as a whole."""
    del run
    polars: Any = polars_of("Parquet")
    names: Sequence[str] = []
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        for place, part in enumerate(parts):
            frame = polars_frame(part, polars)
            frame.write_parquet(Path(folder) / f"{place:06}.parquet", compression="uncompressed", statistics=False)
            names = list(part)
        polars.scan_parquet(Path(folder) / "*.parquet").sink_parquet(target)
    return names


_WRITERS = {"json": _write_json, "csv": _write_csv, "parquet": _write_parquet}


def _rows(part: Table, write: Callable[[Any], bytes], before: Sequence[bytes], end: bytes) -> list[bytes]:
    """Return the rows of a table as texts: its cells as `write` has them, each after a text of its own."""
    count = len(next(iter(part.values())))
    pieces: list[bytes | list[bytes]] = []
    same = b""
    for text, cells in zip(before, part.values(), strict=True):
        same += text
        own = _written(cells, write)
        if isinstance(own, bytes):
            same += own
        else:
            pieces += [same, own]
            same = b""
    pieces.append(same + end)
    columns = [repeat(piece, count) if isinstance(piece, bytes) else piece for piece in pieces]
    return list(map(b"".join, zip(*columns, strict=True)))


def _written(cells: Cells, write: Callable[[Any], bytes]) -> list[bytes] | bytes:
    """Return the cells as texts; one text where all are the same."""
    numbers, missing = cells.numbers, cells.missing
    if not numbers.size:
        return []
    if missing.all() or (numbers == numbers[0]).all():
        return write(cells.at(np.zeros(1, np.int64)).listed()[0])
    if cells.words is not None:
        words = [*map(write, cells.words), write(None)]
        return [words[place] for place in numbers.tolist()]
    if cells.kind == "truth":
        words = [write(False), write(True), write(None)]
        return [words[place] for place in np.where(missing, NOTHING, np.nan_to_num(numbers)).astype(np.int64).tolist()]
    whole = cells.kind == "whole"
    texts = _encoded((np.nan_to_num(numbers).astype(np.int64) if whole else numbers).tolist())[1:-1].split(b",")
    nothing = write(None)
    for place in np.flatnonzero(missing).tolist():
        texts[place] = nothing
    return texts


def _json(value: Any) -> bytes:  # noqa: ANN401 - what a cell holds
    return _encoded(value)


def _csv(value: Any) -> bytes:  # noqa: ANN401 - as above
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
