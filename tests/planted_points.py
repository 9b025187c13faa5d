"""Points and launches of a made run with other values in place of some of their own."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import msgspec
import numpy as np

from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.launchtable import recorded
from groma.analysis.pointtable import PointTable
from groma.analysis.runtable import Rows, RunTable
from groma.analysis.summary import PointSummary
from groma.results.kept import Columns

T = TypeVar("T", LaunchPoint, PointSummary)
# What a summary keeps where only its launches are replaced: members, and columns.
_MEMBERS = ("point", "ranks", "variant", "members", "grid", "disturbed", "interval", "interval_kind")
_COLUMNS = ("figure_ns", "time_ns", "member_count", "hosts", "spread_within", "spread_across", "limit_ns", "tcp_ns")


def planted(told: T, **values: Any) -> T:  # noqa: ANN401 - the values of any member
    """Return a copy in which members have these values."""
    if isinstance(told, LaunchPoint):
        return _launch(told, values)
    launches = values.pop("launches", None)
    table = PointTable([_rows(told.launches if launches is None else launches)], told.reporting)
    copy = PointSummary(table, 0)
    columns = {name: float(told.table[name][told.place]) for name in _COLUMNS}
    columns |= {name: values.pop(name) for name in list(values) if name in _COLUMNS}
    columns["figure_ns"] = columns["time_ns"]
    table._columns |= {name: np.array([value], np.float64) for name, value in columns.items()}
    copy.__dict__.update({name: getattr(told, name) for name in _MEMBERS} | values)
    return copy


def _launch(told: LaunchPoint, values: dict[str, Any]) -> LaunchPoint:
    launch, record = told.table.launch(told.place), told.record
    if "launch" in values:
        launch = dataclasses.replace(launch, number=values.pop("launch"))
    names = {column.name for column in recorded(alone=False)}
    columns = {name: np.array([values.pop(name)], np.float64) for name in list(values) if name in names}
    if "phases_ns" in values:
        columns["has_phases"] = np.ones(1)
    record = msgspec.structs.replace(record, **values)
    return LaunchPoint(_table([(launch, _columns(told, columns), record)]), 0)


def _columns(told: LaunchPoint, changes: dict[str, Any]) -> Columns:
    own = {
        column.name: told.rows.codes(column.name) if column.kind == "text" else told.rows[column.name]
        for column in recorded(alone=False)
    }
    return Columns.of(own | changes, {"words": told.table.known_words})


def _rows(launches: list[LaunchPoint]) -> Rows:
    table = _table([(told.table.launch(told.place), _columns(told, {}), told.record) for told in launches])
    return Rows(table, slice(0, len(launches)))


def _table(parts: list[tuple[Any, Columns, Any]]) -> RunTable:
    places = np.arange(len(parts))
    launches, tables, records = zip(*parts, strict=True)
    return RunTable(launches, tables, [[record] for record in records], places, np.zeros_like(places))
