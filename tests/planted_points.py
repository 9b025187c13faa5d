"""Points and launches of a made run with other values in place of some of their own."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import msgspec
import numpy as np

from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.launchtable import NAMES
from groma.analysis.runtable import Rows, RunTable
from groma.analysis.summary import PointSummary
from groma.results.columns import Columns

T = TypeVar("T", LaunchPoint, PointSummary)
_WORDS = ("stopped_by", "state", "calls_state", "replaced")
# What a summary keeps where only its launches are replaced.
_OVER_LAUNCHES = (
    *("point", "ranks", "variant", "member_count", "hosts", "members", "grid", "disturbed", "time_ns", "interval"),
    *("interval_kind", "within_spread", "between_spread", "quantiles_ns", "first_call_ns", "arrival_skew_ns"),
    *("completion_ns", "limit", "yardstick"),
)


def planted(told: T, **values: Any) -> T:  # noqa: ANN401 - the values of any member
    """Return a copy in which members have these values."""
    if isinstance(told, LaunchPoint):
        return _launch(told, values)
    launches = values.pop("launches", None)
    copy = PointSummary(_rows(told.launches if launches is None else launches), told.reporting)
    members = {name: getattr(told, name) for name in _OVER_LAUNCHES} | values
    members["_interval"] = members.pop("interval"), members.pop("interval_kind")
    copy.__dict__.update(members)
    return copy


def _launch(told: LaunchPoint, values: dict[str, Any]) -> LaunchPoint:
    launch, record = told.table.launch(told.place), told.record
    if "launch" in values:
        launch = dataclasses.replace(launch, number=values.pop("launch"))
    columns = {name: np.array([values.pop(name)], np.float64) for name in list(values) if name in NAMES}
    if "phases_ns" in values:
        columns["has_phases"] = np.ones(1)
    record = msgspec.structs.replace(record, **values)
    return LaunchPoint(_table([(launch, _columns(told, columns), record)]), 0)


def _columns(told: LaunchPoint, changes: dict[str, Any]) -> Columns:
    own = {name: told.rows.codes(name) if name in _WORDS else told.rows[name] for name in NAMES}
    return Columns.of(own | changes, {"words": told.table.known_words})


def _rows(launches: list[LaunchPoint]) -> Rows:
    table = _table([(told.table.launch(told.place), _columns(told, {}), told.record) for told in launches])
    return Rows(table, slice(0, len(launches)))


def _table(parts: list[tuple[Any, Columns, Any]]) -> RunTable:
    places = np.arange(len(parts))
    launches, tables, records = zip(*parts, strict=True)
    return RunTable(launches, tables, [[record] for record in records], places, np.zeros_like(places))
