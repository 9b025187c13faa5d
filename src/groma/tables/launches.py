"""The table of a run launch by launch: a run of a million rows is never in memory as a whole unless it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis.grouping import size_of
from groma.analysis.launchtable import launch_table
from groma.analysis.pointrows import settings_of
from groma.analysis.runtable import RunTable
from groma.catalog.reporting import DEFAULT
from groma.columns import OF_LAUNCHES, SAMPLES, WHERE, Column, OfLaunch
from groma.results import Launch, Run
from groma.results.records import Failure, Point
from groma.tables.cells import NOTHING, Block, Cells, Table, joined


def launches(run: Run) -> Iterator[list[Block]]:
    """Yield the rows of `tables.load` for each launch: its points in the order of the records, then its failures."""
    tables = [launch_table(launch, run.meta.of_program(launch.variant).report) for launch in run.launches]
    book = settings_of(run, run.launches, tables)
    asked = [_asked(launch, failure) for launch in run.launches for failure in launch.failures]
    points = [dict(settings.point) for settings in book.settings] + asked
    names = dict.fromkeys(name for point in points for name in point)
    settings = {name: Cells.guessed([point.get(name) for point in points]) for name in names}
    failed = len(book.settings)
    for launch, table, numbers in zip(run.launches, tables, book.numbers, strict=True):
        own = np.arange(table.rows)
        rows = RunTable([launch], [table], [launch.points], np.zeros_like(own), own)
        measured = {column.name: _cells(launch, rows, column) for column in OF_LAUNCHES}
        both = joined([measured, _failures(launch)]) if launch.failures else measured
        at = np.concatenate([numbers, np.arange(failed, failed + len(launch.failures))])
        failed += len(launch.failures)
        leading = {column.name: both.pop(column.name) for column in WHERE}
        yield [Block(leading), Block(settings, at), Block(both)]


def no_launches() -> Table:
    """Return the table of a run without launches."""
    return {column.name: Cells.of(column.kind, []) for column in OF_LAUNCHES}


def _cells(launch: Launch, rows: RunTable, column: Column) -> Cells:
    count = rows.row_of.size
    if isinstance(column.launch, OfLaunch):
        return Cells.same(column.kind, rows.of_launches(column.launch)[0], count)
    if column.launch is None:
        return Cells.same(column.kind, None, count)
    if column.kind != "text":
        return Cells(column.kind, rows.column(column.name))
    if column.alone:
        table = launch_table(launch, DEFAULT, alone=True)
        rows = RunTable([launch], [table], [launch.points], rows.launch_of, rows.row_of)
    codes = rows.codes(column.name)
    places = np.where(np.isnan(codes), NOTHING, np.nan_to_num(codes)).astype(np.int64)
    return Cells(column.kind, places, rows.known_words)


def _asked(launch: Launch, failure: Failure) -> dict[str, Any]:
    asked = launch.plan.points if launch.plan else []
    return asked[failure.index] if 0 <= failure.index < len(asked) else {}


def _failures(launch: Launch) -> Table:
    """Return the rows of points that failed: where they belong, and why they have no figure."""
    failures = launch.failures
    count = len(failures)
    rows = RunTable([launch], [], [], np.zeros(0, np.int64), np.zeros(0, np.int64))
    known = {
        column.name: Cells.same(column.kind, rows.of_launches(column.launch)[0], count)
        for column in WHERE
        if isinstance(column.launch, OfLaunch)
    }
    known["index"] = Cells.of("whole", [failure.index for failure in failures])
    known["samples"] = Cells.same("whole", 0, count)
    known["missing"] = Cells.of("text", [failure.message for failure in failures])
    return {
        column.name: known[column.name] if column.name in known else Cells.same(column.kind, None, count)
        for column in OF_LAUNCHES
    }


def samples(run: Run) -> Iterator[Table]:
    """Yield the rows of `tables.samples`: the samples of each point in each launch, and of each phase."""
    yield {column.name: Cells.of(column.kind, []) for column in SAMPLES}
    for launch in run.launches:
        for record in launch.points:
            yield _phase(launch, record, "warmup", record.warmup_ns)
            yield _phase(launch, record, "discarded", record.discarded_ns)
            yield _phase(launch, record, "sample", record.samples_ns)


def _phase(launch: Launch, record: Point, phase: str, values: NDArray[np.int64]) -> Table:
    per_figure = record.divisor * (1 if phase == "warmup" else record.repetitions_per_sample)
    same = {
        "run": launch.path.parent.parent.name,
        "launch": launch.number,
        "launched_ranks": launch.ranks,
        "index": record.index,
        "operation": record.point["operation"],
        "bytes": size_of(record.point),
        "phase": phase,
    }
    own = {"number": np.arange(values.size), "sample_ns": values, "time_ns": values / per_figure}
    return {
        column.name: Cells(column.kind, own[column.name].astype(np.float64))
        if column.name in own
        else Cells.same(column.kind, same[column.name], values.size)
        for column in SAMPLES
    }
