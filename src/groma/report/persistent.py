"""What a persistent form costs beside the blocking one, and after how many calls it pays."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator

from groma.analysis import PointSummary
from groma.analysis.grouping import BLOCK_FIELDS, meaning, relevant_fields
from groma.analysis.order import median_interval
from groma.text.counts import counted
from groma.text.numbers import DASH, microseconds
from groma.text.sizes import format_size
from groma.text.tables import Table

_FRESH = "fresh/"  # makes and frees its request every time
_OWN = {"operation", "timing", *BLOCK_FIELDS}  # in which the forms of one call may differ
_SAVES_NOTHING, _OPEN = "saves nothing", "not decided"


def persistent_table(summaries: Iterable[PointSummary]) -> Table | None:
    """Return the cost of persistent requests, where making one, the persistent and the blocking form were measured.

    None if no point has all three.
    """
    points = list(summaries)
    by_key = {_key(point, point.operation): point for point in points}
    rows = list(_rows(points, by_key))
    if not rows:
        return None
    headings = ["operation", "size", "init + free µs", "blocking µs", "persistent µs", "pays after"]
    note = (
        "Pays after: calls after which what the persistent form saves exceeds init and free, with the 95% interval of "
        "what it saves, launch by launch."
    )
    return Table("What persistent requests cost", headings, rows, notes=[note])


def _rows(points: Iterable[PointSummary], by_key: dict[str, PointSummary]) -> Iterator[list[str]]:
    for fresh in points:
        operation = meaning(fresh.point)
        if not operation.name.startswith(_FRESH):
            continue
        persistent = by_key.get(_key(fresh, operation.name.removeprefix(_FRESH)))
        blocking = by_key.get(_key(fresh, operation.form_of))
        if persistent is None or blocking is None:
            continue
        phases = [fresh.value(f"request_{phase}_ns") for phase in ("init", "free")]
        made_ns = sum(math.nan if time_ns is None else time_ns for time_ns in phases)
        name = ", ".join(filter(None, [operation.form_of, fresh.variant, f"{fresh.ranks} ranks"]))
        size = "" if fresh.bytes is None else format_size(fresh.bytes)
        saved_ns = [before - after for before, after in launch_pairs(blocking, persistent)]
        times = [microseconds(time) for time in (made_ns, blocking.time_ns, persistent.time_ns)]
        yield [name, size, *times, pays_after(made_ns, saved_ns)]


def _key(point: PointSummary, operation: str) -> str:
    fields = {name: value for name, value in relevant_fields(point.point).items() if name not in _OWN}
    return json.dumps([operation, point.variant, point.ranks, point.member_count, fields], sort_keys=True)


def launch_pairs(one: PointSummary, other: PointSummary) -> list[tuple[float, float]]:
    """Return the times of two points in nanoseconds, in each launch that has both."""
    ours, theirs = (
        dict(zip(point.rows.launch_numbers.tolist(), point.rows["figure_ns"].tolist(), strict=True))
        for point in (one, other)
    )
    return [(ours[number], theirs[number]) for number in ours.keys() & theirs.keys()]


def pays_after(made_ns: float, saved_ns: list[float]) -> str:
    """Return the number of calls after which a request has paid, as a range where it is known.

    `made_ns` is what making and freeing it takes, `saved_ns` what a call saves, by launches, both in nanoseconds.
    """
    interval = median_interval(saved_ns)
    if math.isnan(made_ns):
        return _OPEN
    if interval is None or not interval.low > 0:
        return _SAVES_NOTHING if interval is not None and interval.high <= 0 else _OPEN
    few, many = (max(1, math.ceil(made_ns / saved)) for saved in (interval.high, interval.low))
    return counted(few, "call") if few == many else f"{few} {DASH} {many} calls"
