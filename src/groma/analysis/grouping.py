"""Which records of different launches are of one point, and which points are of one curve."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from groma.analysis.meaning import meaning, payload_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from groma.results import Launch, Run
    from groma.results.records import Point

# Fields that say how long to warm up and measure, and whether at all, but not what to measure. Profiles change them
# with the message size, and budgets from launch to launch.
EFFORT_FIELDS = frozenset(
    {
        *("stop", "repetitions", "min_repetitions", "max_repetitions", "precision", "slot_s", "warmups", "limit_s"),
        *("optional", "settle_s", "span_s"),
    }
)

# Patterns whose pair the engine finds: which ranks they are is not in the fields.
SEARCHING = ("slowest", "farthest")

Record = tuple["Launch", "Point"]


def size_of(point: Mapping[str, Any]) -> int | None:
    """Return the message size in bytes; None for an operation that has none, whatever the field says.

    A swap's bytes are those of all its messages in one direction; its message size is one of these.
    """
    operation = meaning(point)
    if "bytes" not in point or "bytes" not in operation.uses:
        return None
    return int(point["bytes"]) // (int(point.get("swap_messages", 1)) if operation.swap else 1)


def relevant_fields(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that matter to the point's operation, without those of `EFFORT_FIELDS`."""
    idle = payload_fields(point) - set(meaning(point).uses)
    return {name: value for name, value in point.items() if name not in idle | EFFORT_FIELDS}


def groups(run: Run, *, copies: bool = False) -> list[list[Record]]:
    """Return the records of every point over its launches, in the order of the plan.

    Copies of points, made for calibration, are skipped; with `copies`, only they are returned.

    Records belong together if the number of ranks, the variant and the relevant fields agree. Points of one plan that
    differ only in effort, and points of different pairs of ranks, stay separate. A launch without a first record is
    skipped, because its number of ranks is unknown.
    """
    started = [launch for launch in run.launches if launch.start is not None]
    apart = {
        key
        for launch in started
        for key, efforts in _efforts(record.point for record in launch.points).items()
        if len(efforts) > 1
    }
    places = {variant.name: place for place, variant in enumerate(run.meta.variants)}
    grouped: dict[tuple[int, int, str], list[Record]] = {}
    order: dict[tuple[int, int, str], int] = {}
    for launch in started:
        ranks = launch.start.ranks if launch.start else 0
        variant = places.get(launch.variant or "", -1)
        for record in sorted(launch.points, key=lambda record: record.index):
            if bool(record.point.get("twin")) == copies:
                key = _text(relevant_fields(record.point))
                group = (ranks, variant, (key + _effort(record.point) if key in apart else key) + _pair(record))
                grouped.setdefault(group, []).append((launch, record))
                order.setdefault(group, record.index)
    return [grouped[group] for group in sorted(grouped, key=lambda group: (order[group], *group[:2]))]


def _pair(record: Point) -> str:
    """Return the ranks that a searching pattern found: another pair of ranks is another point."""
    return str(record.members) if record.point.get("pattern") in SEARCHING else ""


def _efforts(points: Iterable[dict[str, Any]]) -> dict[str, set[str]]:
    efforts = defaultdict(set)
    for point in points:
        efforts[_text(relevant_fields(point))].add(_effort(point))
    return efforts


def _effort(point: dict[str, Any]) -> str:
    return _text({name: value for name, value in point.items() if name in EFFORT_FIELDS})


def _text(fields: dict[str, Any]) -> str:
    return json.dumps(fields, sort_keys=True)
