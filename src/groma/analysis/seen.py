"""How many calls of a point a launch has seen: of a slow start that lasts longer nothing is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.analysis.summary import PointSummary
    from groma.results.records import Point

# Messages from one rank that a slow start can last: what the engine looks for (engine/groma/stopping/settle.hpp).
LONGEST_SLOW_START = 5000
SEEN = ("calls_seen", "bytes_seen", "messages_seen")


def seen_in(record: Point) -> tuple[int, int, int]:
    """Return the calls that a launch made until the last sample, the bytes they moved, and the messages of one rank.

    Calls by which the length of a block was chosen are on no record and not counted.
    """
    settling = record.calls.made - record.calls.steady_from if record.calls else 0
    samples = record.samples_ns.size + record.discarded_ns.size + record.invalid
    calls = 1 + record.warmup_ns.size + settling + samples * record.repetitions_per_sample
    sends = max(1, record.messages // max(1, record.group_ranks))
    return calls, calls * record.bytes_moved, calls * sends


def is_longer_unseen(point: PointSummary) -> bool:
    """Tell whether a slow start can last longer than what half of the launches of the point saw, or more of them."""
    short = point.rows.derived("short", lambda rows: rows["messages_seen"] < LONGEST_SLOW_START)
    return bool(2 * int(short.sum()) >= short.size)


def unseen(points: Sequence[PointSummary]) -> str:
    """Say how many calls and bytes were seen of points where a slow start can last longer."""
    calls, sizes = (sorted(int(np.median(point.rows[name])) for point in points) for name in SEEN[:2])
    size = f" ({_range([format_size(size) for size in sizes])})" if sizes[-1] else ""
    return f"{_range(calls)} calls{size} were seen in a launch: a slow start that lasts longer is unseen"


def _range(ordered: Sequence[object]) -> str:
    return " to ".join(dict.fromkeys(str(ordered[place]) for place in (0, -1)))
