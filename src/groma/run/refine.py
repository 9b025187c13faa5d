"""Which sizes a run adds after its first launch, decided from the records alone.

Every function here gives the same answer for the same records, so a resumed run goes on at the same place.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from groma.catalog import Catalog
from groma.catalog.refinement import Addition
from groma.results.documents import RunDocument
from groma.text.sizes import format_size

Point = dict[str, Any]
_PROBED = 15  # sizes that each round puts into a bracket
_PROBE_NAME = "delayed_receiver"
# Fields of a ping-pong that its probe takes over: what decides the protocol, not how the time is taken.
_PROBE_FIELDS = ("pattern", "communicator", "ranks", "datatype", "alignment", "receive_offset", "limit_s")


@dataclass(frozen=True)
class Measured:
    """A point's median over the launches so far, and the relative half-width of its 95 % interval (0: unknown)."""

    time_ns: float
    half_width: float = 0.0


@dataclass(frozen=True)
class Wanted:
    """A point to add, and why."""

    point: Point
    purpose: Literal["refine", "switch"]
    reason: str


def additions(
    document: RunDocument, catalog: Catalog, ranks: int, measured: Mapping[int, Measured]
) -> list[tuple[Point, Addition]]:
    """Return the points that the next launch on `ranks` ranks adds, with their places in the plan; none when done.

    Places from the plan's length on are new, in order; a place before it is a point that another rank count has.
    """
    points = document.plan.points
    index_of_point = {_text(point): index for index, point in enumerate(points)}
    on_these_ranks = {_text(points[index]) for index in measured_on(document, ranks)}
    added: list[tuple[Point, Addition]] = []
    for wanted in _wanted(document, catalog, ranks, measured):
        if _text(wanted.point) in on_these_ranks:
            continue
        on_these_ranks.add(_text(wanted.point))
        # A size that another rank count has already added is one point of the plan, measured on both.
        index = index_of_point.setdefault(_text(wanted.point), len(index_of_point))
        added.append((wanted.point, Addition(index, ranks, wanted.purpose, wanted.reason)))
    return added


def _wanted(document: RunDocument, catalog: Catalog, ranks: int, measured: Mapping[int, Measured]) -> Iterator[Wanted]:
    purposes = {addition.index: addition.purpose for addition in document.refinement.added}
    for curve in _curves(document, catalog, ranks, measured):
        if document.refinement.method != "off":
            yield from _refining(document, curve, {i for i in curve.times if purposes.get(i) == "switch"}, purposes)
        if document.refinement.find_switches:
            yield from _probing(curve, purposes)
            yield from _narrowing(curve, purposes)


@dataclass(frozen=True)
class _Curve:
    """The measured points of one plan that differ in size (and effort) alone, by index; sizes are multiples of step."""

    points: dict[int, Point]
    times: dict[int, Measured]
    operation: str
    step: int

    def sizes(self) -> dict[int, int]:
        """Return the index of every size."""
        return {int(point["bytes"]): index for index, point in self.points.items()}

    def at(self, size: int) -> Point:
        """Return the point of a new size: as its neighbour below, which knows how long to measure."""
        below = max((own for own in self.sizes() if own < size), default=min(self.sizes()))
        return {**self.points[self.sizes()[below]], "bytes": size}


def _curves(document: RunDocument, catalog: Catalog, ranks: int, measured: Mapping[int, Measured]) -> list[_Curve]:
    from groma.analysis.grouping import EFFORT_FIELDS  # noqa: PLC0415 - takes a second to import

    grouped: dict[str, dict[int, Point]] = defaultdict(dict)
    for index in measured_on(document, ranks):
        point = document.plan.points[index]
        if "bytes" in point and index in measured and measured[index].time_ns > 0:
            key = {name: value for name, value in point.items() if name != "bytes" and name not in EFFORT_FIELDS}
            grouped[_text(key)][index] = point
    curves = []
    for points in grouped.values():
        ordered = dict(sorted(points.items(), key=lambda item: int(item[1]["bytes"])))
        first = catalog.resolve(next(iter(ordered.values())))
        if catalog.operation(first["operation"]).phases:  # their total has no curve: work is in it
            continue
        uses = catalog.operation(first["operation"]).uses
        step = catalog.element_bytes(first.get("datatype"))
        if "segments" in uses:
            step *= int(first.get("segments", 1))
        times = {index: measured[index] for index in ordered}
        curves.append(_Curve(ordered, times, str(first["operation"]), step))
    return curves


def _refining(
    document: RunDocument, curve: _Curve, left_out: set[int], purposes: Mapping[int, str]
) -> Iterator[Wanted]:
    """Add sizes beside every size whose time its two neighbours do not predict well (Mpptest, SKaMPI).

    A deviation counts if it is beyond the tolerance and beyond what the intervals of the three medians explain; the
    worst come first, as long as the curve may still grow.
    """
    settings = document.refinement
    indices = [
        index
        for index in curve.points
        if index not in left_out and (settings.method == "mpptest" or _size(curve, index))
    ]
    room = settings.max_added - sum(purposes.get(index) == "refine" for index in indices)
    deviating = []
    for low, index, high in zip(indices, indices[1:], indices[2:], strict=False):
        predicted, doubt = _predicted(settings.method, *((_size(curve, i), curve.times[i]) for i in (low, index, high)))
        time_ns = curve.times[index].time_ns
        off = abs(time_ns - predicted) / time_ns
        if off > settings.tolerance and off > doubt:
            reason = (
                f"{curve.operation} at {format_size(_size(curve, index))} takes {time_ns / 1000:.4g} us where "
                f"{format_size(_size(curve, low))} and {format_size(_size(curve, high))} predict "
                f"{predicted / 1000:.4g} us ({100 * off:.0f} % off)"
            )
            deviating.append((off, reason, ((low, index), (index, high))))
    chosen: dict[int, str] = {}
    for _, reason, gaps in sorted(deviating, key=lambda deviation: -deviation[0]):
        for low, high in gaps:
            size = _middle(settings.method, _size(curve, low), _size(curve, high), curve.step)
            wide = min(size - _size(curve, low), _size(curve, high) - size) >= max(settings.min_spacing, curve.step)
            if wide and len(chosen) < room:
                chosen.setdefault(size, reason)
    for size, reason in sorted(chosen.items()):
        yield Wanted(curve.at(size), "refine", reason)


def _predicted(
    method: str, low: tuple[int, Measured], own: tuple[int, Measured], high: tuple[int, Measured]
) -> tuple[float, float]:
    """Return the time that the neighbours predict, and the relative deviation that the three intervals explain."""
    (low_size, low_time), (size, own_time), (high_size, high_time) = low, own, high
    if method == "mpptest":
        share = (size - low_size) / (high_size - low_size)
        predicted = low_time.time_ns * (1 - share) + high_time.time_ns * share
    else:
        share = math.log(size / low_size) / math.log(high_size / low_size)
        predicted = low_time.time_ns ** (1 - share) * high_time.time_ns**share
    doubt = math.hypot(own_time.half_width, (1 - share) * low_time.half_width, share * high_time.half_width)
    return predicted, doubt


def _middle(method: str, low: int, high: int, step: int) -> int:
    middle = (low + high) / 2 if method == "mpptest" else math.sqrt(low * high)
    return round(middle / step) * step


def _probing(curve: _Curve, purposes: Mapping[int, str]) -> Iterator[Wanted]:
    """Send to a late receiver at every size of a ping-pong that was not added to narrow a switch."""
    if curve.operation.startswith("pingpong") and curve.operation != "pingpong_synchronous":
        shared = {name: value for name, value in next(iter(curve.points.values())).items() if name in _PROBE_FIELDS}
        for size in (size for size, index in curve.sizes().items() if purposes.get(index) != "switch"):
            reason = f"does {curve.operation} send {format_size(size)} before its receiver comes?"
            yield Wanted({"operation": _PROBE_NAME, **shared, "bytes": size}, "switch", reason)


def _narrowing(curve: _Curve, purposes: Mapping[int, str]) -> Iterator[Wanted]:
    """Put sizes into each bracket of a change of protocol, until it is one element wide.

    Every round leaves a sixteenth of the bracket, so that four of them are enough from 64 KiB.
    """
    from groma.analysis.protocol import PROBE, eager_bracket, jumps  # noqa: PLC0415 - takes a second to import

    times_ns = {_size(curve, index): measured.time_ns for index, measured in curve.times.items()}
    added = {_size(curve, index) for index in curve.points if purposes.get(index) == "switch"}
    if curve.operation == PROBE:
        bracket = eager_bracket(times_ns)
        for size in bracket.between(_PROBED, curve.step) if bracket else []:
            reason = f"sends of {bracket.below} B are eager and of {bracket.above} B wait" if bracket else ""
            yield Wanted(curve.at(size), "switch", reason)
        return
    for jump in jumps(times_ns, added):
        between = f"between {jump.bracket.below} B and {jump.bracket.above} B"
        for size in jump.bracket.between(_PROBED, curve.step):
            yield Wanted(curve.at(size), "switch", f"{curve.operation} jumps by {100 * jump.ratio:+.0f} % {between}")


def measured_on(document: RunDocument, ranks: int) -> list[int]:
    """Return the points that are measured on `ranks` ranks: all that were asked, and what was added for them."""
    added = document.refinement.added
    of_other_ranks = {addition.index for addition in added} - {
        addition.index for addition in added if addition.ranks == ranks
    }
    return [index for index in range(len(document.plan.points)) if index not in of_other_ranks]


def _size(curve: _Curve, index: int) -> int:
    return int(curve.points[index]["bytes"])


def _text(fields: Mapping[str, object]) -> str:
    return repr(sorted(fields.items()))
