"""Checks records against plan.json and for consistency; a wrong one is refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.results.documents import LaunchPlan
from groma.results.records import End, Imported, Point, Printed, Record, Start

_STEP_NS = 1e-3  # to which older engines rounded a median
_RELATIVE = 1e-9


class Consistency:
    """Takes the records of one launch in their order; `plan` is None if the launch has no plan.json."""

    def __init__(self, plan: LaunchPlan | None) -> None:
        """Start without any point."""
        self._plan = plan
        self._measured: set[int] = set()

    def take(self, record: Record, *, sealed: bool) -> None:
        """Raise `msgspec.ValidationError` if a record contradicts the plan, an earlier record or itself.

        `sealed` says that the line had a checksum, which was right.
        """
        if isinstance(record, Start):
            self._start(record)
        elif not isinstance(record, End):
            self._refuse_unknown(record.index)
        if isinstance(record, Point):
            if self._plan is not None and record.index in self._measured:
                raise msgspec.ValidationError(f"point {record.index} was measured before - at `$.index`")
            self._measured.add(record.index)
            self._point(record, sealed=sealed)

    def _start(self, record: Start) -> None:
        if self._plan is not None and not isinstance(record, Imported) and record.points != len(self._points):
            raise msgspec.ValidationError(f"plan.json has {len(self._points)} points - at `$.points`")

    @cached_property
    def _points(self) -> Sequence[dict[str, Any]]:
        return self._plan.points if self._plan is not None else ()

    def _refuse_unknown(self, index: int) -> None:
        if self._plan is not None and index >= len(self._points):
            raise msgspec.ValidationError(f"plan.json has {len(self._points)} points - at `$.index`")

    def _point(self, record: Point, *, sealed: bool) -> None:
        if self._plan is not None:
            _refuse_other_settings(record, self._points[record.index])
        if isinstance(record, Printed):
            return
        _refuse_other_lengths(record)
        if not sealed:  # the checksum says as much, and is ten times as fast
            _refuse_other_median(record)


def _refuse_other_settings(record: Point, asked: dict[str, Any]) -> None:
    if asked.items() <= record.point.items():
        return
    for name, value in asked.items():
        ran = record.point.get(name)
        if ran != value and name not in record.replaced and not _is_settled(name, value, ran):
            raise msgspec.ValidationError(f"plan.json asks for {value!r} - at `$.point.{name}`")


def _is_settled(name: str, asked: object, ran: object) -> bool:
    """Return whether a launch decides this setting itself, by the placement of its ranks (docs/adr/0006)."""
    return (name == "sync" and asked == "auto") or (name == "settle_s" and ran == 0)


def _refuse_other_lengths(record: Point) -> None:
    """Refuse lists whose length is not that of the record's ranks and samples."""
    if not (record.members and record.member_count):
        raise msgspec.ValidationError(f"{len(record.members)} of {record.member_count} ranks - at `$.members`")
    samples, rows = record.samples_ns.size, record.ranks_ns
    if rows is not None and (len(rows) != record.member_count or any(row.size != samples for row in rows)):
        raise msgspec.ValidationError(f"expected {samples} times of {record.member_count} ranks - at `$.ranks_ns`")
    at = record.ranks_at
    if at is not None and (at.ranks, at.samples) != (record.member_count, samples):
        raise msgspec.ValidationError(f"expected {samples} times of {record.member_count} ranks - at `$.ranks_at`")
    for name, times in (record.phases_ns or {}).items():
        if times.size != samples:
            raise msgspec.ValidationError(f"expected {samples} times - at `$.phases_ns.{name}`")


def _refuse_other_median(record: Point) -> None:
    if record.median_ns is None or not record.samples_ns.size:
        return
    median_ns = _median(record.samples_ns) / record.repetitions_per_sample / record.divisor
    if abs(record.median_ns - median_ns) > _STEP_NS + _RELATIVE * abs(median_ns):
        raise msgspec.ValidationError(f"its samples have the median {median_ns:.6g} ns - at `$.median_ns`")


def _median(samples: NDArray[np.int64]) -> float:
    upper = samples.size // 2
    lower = (samples.size - 1) // 2
    parted = np.partition(samples, (lower, upper))
    return (int(parted[lower]) + int(parted[upper])) / 2
