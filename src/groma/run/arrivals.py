"""Which ranks did not arrive at a point that exceeded its limit, of all nodes.

The engine's failure record has those of the node of rank 0. The first rank of every node says on standard error where
each rank of its node was; the ranks of all nodes are compared here, as the engine compares those of one.
"""

from __future__ import annotations

import re
from pathlib import Path

_SILENT = "does not answer"
_RANK = re.compile(
    r"\brank (?P<rank>\d{1,9}): (?P<stage>[^,\n]+)(?:, batch (?P<batch>\d{1,18}))?"
    r"(?:, (?P<ended>\d{1,18}) of \d+ repetitions done)?(?P<inside>, inside the operation)?(?P<asleep>, asleep)?$",
    re.MULTILINE,
)


def ranks_not_arrived(output: Path) -> list[int]:
    """Return the ranks that the first ranks of the nodes say are behind others, or none if nobody said anything.

    If all are equally far, those that sleep while others poll.
    """
    try:
        text = output.read_text(errors="replace")
    except OSError:
        return []
    _, _, said = text.partition(" exceeded its limit of ")
    places = {int(match["rank"]): match for match in _RANK.finditer(said)}
    silent = {rank for rank, match in places.items() if match["stage"].startswith(_SILENT)}
    progress = {rank: _progress(match) for rank, match in places.items() if rank not in silent}
    furthest = max(progress.values(), default=(0, 0, 0))
    missing = silent | {rank for rank, reached in progress.items() if reached < furthest}
    asleep = {rank for rank in progress if places[rank]["asleep"]}
    if not missing and len(asleep) < len(progress):
        missing = asleep
    return sorted(missing)


def _progress(match: re.Match[str]) -> tuple[int, int, int]:
    """Return the batch, and how many of its repetitions were over and had begun."""
    ended = int(match["ended"] or 0)
    return int(match["batch"] or 0), ended, ended + (match["inside"] is not None)
