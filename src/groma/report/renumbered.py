"""What a library made of `reorder=true`: how many ranks it numbered anew, and what that gave."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from groma.analysis import PointSummary
from groma.analysis.grouping import relevant_fields
from groma.analysis.order import median_interval
from groma.report.persistent import launch_pairs
from groma.text.numbers import DASH, microseconds
from groma.text.sizes import format_size
from groma.text.tables import Table

_FIELD = "reorder"


def renumbered_table(summaries: Iterable[PointSummary]) -> Table | None:
    """Return the ranks that were numbered anew, and the time beside that of ranks which keep their numbers.

    None if no point lets its library number ranks. A record lists the first 64 ranks.
    """
    points = list(summaries)
    kept = {_key(point): point for point in points if not point.point.get(_FIELD)}
    rows = [list(_row(point, kept.get(_key(point)))) for point in points if point.point.get(_FIELD)]
    if not rows:
        return None
    headings = ["operation", "size", "renumbered", "µs", "numbers kept µs", "ratio"]
    note = "Ratio: to the time with reorder=false, with its 95% interval launch by launch; below 1 renumbering helps."
    return Table("What numbering ranks anew did", headings, rows, notes=[note])


def _row(point: PointSummary, kept: PointSummary | None) -> Iterator[str]:
    yield ", ".join(filter(None, [point.operation, point.variant, f"{point.ranks} ranks"]))
    yield "" if point.bytes is None else format_size(point.bytes)
    yield _moved([launch.record.new_ranks or [] for launch in point.launches])
    yield microseconds(point.time_ns)
    yield DASH if kept is None else microseconds(kept.time_ns)
    yield DASH if kept is None else _ratio(point, kept)


def _moved(launches: Iterable[list[int]]) -> str:
    """Return how many ranks have another number, as a range where launches differ."""
    moved = {sum(new != old for old, new in enumerate(ranks)): len(ranks) for ranks in launches}
    few, many = min(moved, default=0), max(moved, default=0)
    count = f"{few}" if few == many else f"{few} {DASH} {many}"
    return f"{count} of {moved.get(many, 0)}"


def _ratio(point: PointSummary, kept: PointSummary) -> str:
    interval = median_interval([ours / theirs for ours, theirs in launch_pairs(point, kept)])
    ratio = f"{point.time_ns / kept.time_ns:.2f}"
    return ratio if interval is None else f"{ratio} ({interval.low:.2f} {DASH} {interval.high:.2f})"


def _key(point: PointSummary) -> str:
    fields = {name: value for name, value in relevant_fields(point.point).items() if name != _FIELD}
    return json.dumps([point.variant, point.ranks, point.member_count, fields], sort_keys=True)
