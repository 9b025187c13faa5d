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

# Fields that say how long to warm up and measure, and whether at all, never what: profiles change them with the message
# size, and budgets from launch to launch.
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

    Copies of points, made for calibration, are left out, or with `copies` are all that is returned.

    Records belong together where the number of ranks, the variant and the relevant fields agree. Points of one plan
    that differ in effort alone were asked for apart and stay apart, and so do those of other pairs
    of ranks. A launch without a first record is skipped: how many ranks it had is not known.
    """
    known = [launch for launch in run.launches if launch.start is not None]
    apart = {
        key
        for launch in known
        for key, efforts in _efforts(record.point for record in launch.points).items()
        if len(efforts) > 1
    }
    places = {variant.name: place for place, variant in enumerate(run.meta.variants)}
    found: dict[tuple[int, int, str], list[Record]] = {}
    order: dict[tuple[int, int, str], int] = {}
    for launch in known:
        ranks = launch.start.ranks if launch.start else 0
        variant = places.get(launch.variant or "", -1)
        for record in sorted(launch.points, key=lambda record: record.index):
            if bool(record.point.get("twin")) == copies:
                key = _text(relevant_fields(record.point))
                group = (ranks, variant, (key + _effort(record.point) if key in apart else key) + _pair(record))
                found.setdefault(group, []).append((launch, record))
                order.setdefault(group, record.index)
    return [found[group] for group in sorted(found, key=lambda group: (order[group], *group[:2]))]


def _pair(record: Point) -> str:
    """Return the ranks that a searching pattern found: times of other pairs are not of the same point."""
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
