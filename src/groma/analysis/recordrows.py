"""Columns of records that are more than a member of them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from groma.analysis.callrows import seen_in
from groma.analysis.clockshare import rests_on_clock
from groma.analysis.launchtable import Part
from groma.analysis.levels import level_range_ns


def of_records(part: Part) -> Mapping[str, Any]:
    """Return columns of records by themselves."""
    records = part.records
    revisits = [part.launch.revisits.get(record.index) for record in records]
    keys = np.frombuffer(b"".join(settings_key(record.point) for record in records), np.float64).reshape(-1, 2)
    calls, sizes, messages = np.array([seen_in(record) for record in records], dtype=np.float64).reshape(-1, 3).T
    least, most = np.array([level_range_ns(record) for record in records], dtype=np.float64).reshape(-1, 2).T
    return {
        "settings_1": keys[:, 0],
        "settings_2": keys[:, 1],
        "first_call_ns": [
            math.nan if record.first_call_ns is None else record.first_call_ns / record.divisor for record in records
        ],
        "replaced": [msgspec.json.encode(record.replaced).decode() if record.replaced else None for record in records],
        "revisited": [revisit is not None for revisit in revisits],
        "revisit_ratio": [revisit.ratio if revisit else None for revisit in revisits],
        "revisit_agrees": [revisit.agrees if revisit else None for revisit in revisits],
        "rests_on_clock": [rests_on_clock(record.point) for record in records],
        "rounding": [getattr(record, "rounding", 0.0) for record in records],  # of what another program printed
        "has_phases": [bool(record.phases_ns) for record in records],
        "calls_seen": calls,
        "bytes_seen": sizes,
        "messages_seen": messages,
        "level_least_ns": least,
        "level_most_ns": most,
    }


def settings_key(point: dict[str, Any]) -> bytes:
    """Return 16 bytes that are the same for the same fields of a point, in the same order."""
    return hashlib.blake2b(msgspec.json.encode(point), digest_size=16).digest()
