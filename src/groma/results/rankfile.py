"""The file beside points.jsonl with times of ranks that are too many for a record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from groma.results.bounds import Count

SUFFIX = ".ranks"
BYTES = 8  # of one time


class RanksAt(msgspec.Struct, frozen=True):
    """The place of one point's times: bytes before the first one, the ranks, and the times of each."""

    offset: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    ranks: Count
    samples: Count


def rank_file(records: Path) -> Path:
    """Return the file that belongs to a file of records."""
    return records.with_name(records.name + SUFFIX)


def is_held(records: Path, at: RanksAt) -> bool:
    """Return whether the file beside the records has these times."""
    path, length = rank_file(records), BYTES * at.ranks * at.samples
    return length > 0 and path.is_file() and at.offset + length <= path.stat().st_size
