"""A run as tables: one row per point and launch, or one row per sample."""

from __future__ import annotations

import json
import tempfile
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from groma.analysis.grouping import size_of
from groma.errors import OutputError
from groma.results.bounds import SCHEMA
from groma.results.run import load_run
from groma.tables.columns import COLUMNS, FIGURE_COLUMNS, SAMPLE_COLUMNS
from groma.tables.frames import LEADING, frames
from groma.tables.summaries import figures_of_launches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from groma.catalog import Catalog
    from groma.results.launched import Launch
    from groma.results.records import Point
    from groma.results.run import Run

Format = Literal["parquet", "csv", "json"]


def load(path: str | Path) -> pl.DataFrame:
    """Read a run directory as a table with one row per point and launch, including those without a figure.

    The columns are those of `COLUMNS` (name, unit, meaning) and, before them, one per point field as it ran, with the
    units and meanings of the catalogue. Times are in nanoseconds of one figure. Raises as `load_run`.
    """
    return figures(load_run(path))


def figures(run: Run) -> pl.DataFrame:
    """Return the table of `load` for a run that is already read."""
    parts = list(frames(run))
    empty = pl.DataFrame(schema={column.name: column.type for column in COLUMNS})
    leading = empty.select(LEADING)
    return pl.concat(parts) if parts else leading.hstack(empty.drop(LEADING).get_columns())


def samples(path: str | Path) -> pl.DataFrame:
    """Read every sample of a run directory, warm-up included, as a table with one row per sample.

    The columns are those of `SAMPLE_COLUMNS`; `launch` and `index` lead to the rows of `load`. Raises as `load_run`.
    """
    run = load_run(path)
    schema = {column.name: column.type for column in SAMPLE_COLUMNS}
    parts = [
        _phase(run, launch, record, phase, values)
        for launch in run.launches
        for record in launch.points
        for phase, values in (
            ("warmup", record.warmup_ns),
            ("discarded", record.discarded_ns),
            ("sample", record.samples_ns),
        )
    ]
    return pl.concat([pl.DataFrame(schema=schema), *(part.select(list(schema)) for part in parts)])


def export(run: Run, to: Format, path: str | Path) -> Path:
    """Write the table of `load` to `path` and return the path; a row also has the figures of its point over launches.

    Those are `FIGURE_COLUMNS`, with the names and meanings of `groma.summary`; CSV joins the checks with " | ".
    JSON contains the columns' definitions; for Parquet and CSV they are written to `<name>.columns.csv` beside.
    Raises `OutputError` where the file cannot be written.
    """
    target = Path(path)
    parts = _with_figures(run)
    try:
        schema = _WRITERS[to](run, parts, target)
        if to != "json":
            pl.DataFrame(_described(schema, run.catalog)).write_csv(target.with_suffix(".columns.csv"))
    except OSError as error:
        raise OutputError(
            f"{target} cannot be written ({error.strerror or error}): give another place with -o"
        ) from error
    return target


def _with_figures(run: Run) -> Iterator[pl.DataFrame]:
    """Yield the rows of each launch with the figures of their points over all launches; null where a row has none."""
    numbers, point_figures = figures_of_launches(run)
    empty = True
    for number, part in zip(numbers, frames(run), strict=True):
        rows = pl.Series(np.where(number < 0, np.nan, number), nan_to_null=True).cast(pl.Int64())
        yield part.hstack(point_figures.select(pl.all().gather(rows)).get_columns())
        empty = False
    if empty:
        yield figures(run).hstack(point_figures.get_columns())


def _write_json(run: Run, parts: Iterator[pl.DataFrame], target: Path) -> pl.Schema:
    first = next(parts)
    head = {"schema": SCHEMA, "run": run.path.name, "columns": _described(first.schema, run.catalog)}
    with target.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head, allow_nan=False)[:-1] + ', "rows": [')
        between = ""
        for part in chain([first], parts):
            if part.height:
                file.write(between + part.write_json()[1:-1])
                between = ", "
        file.write("]}\n")
    return first.schema


def _write_csv(run: Run, parts: Iterator[pl.DataFrame], target: Path) -> pl.Schema:
    del run
    first = next(parts)
    with target.open("wb") as file:
        for place, part in enumerate(chain([first], parts)):
            part.with_columns(pl.col("checks").list.join(" | ")).write_csv(file, include_header=not place)
    return first.schema


def _write_parquet(run: Run, parts: Iterator[pl.DataFrame], target: Path) -> pl.Schema:
    """Write the launches to files of their own first, which are put together without being read as a whole."""
    del run
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        schema = None
        for place, part in enumerate(parts):
            part.write_parquet(Path(folder) / f"{place:06}.parquet", compression="uncompressed", statistics=False)
            schema = part.schema
        pl.scan_parquet(Path(folder) / "*.parquet").sink_parquet(target)
    return schema or pl.Schema()


_WRITERS = {"json": _write_json, "csv": _write_csv, "parquet": _write_parquet}


def _phase(run: Run, launch: Launch, record: Point, phase: str, values: NDArray[np.int64]) -> pl.DataFrame:
    per_figure = record.divisor * (1 if phase == "warmup" else record.repetitions_per_sample)
    constants = {
        "run": run.path.name,
        "launch": launch.number,
        "launched_ranks": launch.ranks,
        "index": record.index,
        "operation": record.point["operation"],
        "bytes": size_of(record.point),
        "phase": phase,
    }
    types = {column.name: column.type for column in SAMPLE_COLUMNS}
    return pl.DataFrame({"number": np.arange(values.size), "sample_ns": values}).with_columns(
        (pl.col("sample_ns") / per_figure).alias("time_ns"),
        *(pl.lit(value, dtype=types[name]).alias(name) for name, value in constants.items()),
    )


def _described(schema: pl.Schema, catalog: Catalog) -> list[dict[str, str]]:
    """Return name, unit and meaning of every column: from COLUMNS, or from the catalogue for a point field."""
    ours = {column.name: column for column in (*COLUMNS, *FIGURE_COLUMNS)}
    fields = {field.name: field for field in catalog.fields if field.scope == "point"}
    described = []
    for name in schema:
        column, field = ours.get(name), fields.get(name)
        unit, meaning = (column.unit, column.meaning) if column else (field.unit, field.help) if field else ("", "")
        described.append({"name": name, "unit": unit, "meaning": meaning})
    return described
