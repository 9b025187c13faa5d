"""How many calls of a point a launch has seen: a longer slow start would be unseen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groma.analysis.callrows import SEEN
from groma.analysis.summary import PointSummary
from groma.text.sizes import format_size

# Messages from one rank that a slow start can last: what the engine looks for (engine/groma/stopping/settle.hpp).
LONGEST_SLOW_START = 5000


def is_longer_unseen(point: PointSummary) -> bool:
    """Return whether a slow start can last longer than what half of the launches of the point saw, or more of them."""
    short = point.rows.derived("short", lambda rows: rows["messages_seen"] < LONGEST_SLOW_START)
    return bool(2 * int(short.sum()) >= short.size)


def unseen(points: Sequence[PointSummary]) -> str:
    """Say how many calls and bytes were seen of points whose slow start can last longer."""
    calls, sizes = (sorted(int(np.median(point.rows[name])) for point in points) for name in SEEN[:2])
    size = f" ({_range([format_size(size) for size in sizes])})" if sizes[-1] else ""
    return f"{_range(calls)} calls{size} were seen in a launch: a slow start that lasts longer is unseen"


def _range(ordered: Sequence[object]) -> str:
    return " to ".join(dict.fromkeys(str(ordered[place]) for place in (0, -1)))
