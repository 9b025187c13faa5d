"""Columns of records that are more than a member of them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from groma.analysis.clockchecks import rests_on_clock
from groma.analysis.launchtable import Part
from groma.results.records import Point

_REQUEST = ("init", "start", "wait", "free")  # of operations that make a persistent request every time
_EPOCH = ("open", "calls", "late", "close")  # of operations that time the parts of a one-sided epoch
PHASES = frozenset(("pure", "compute", "post", "work", "test", "wait"))  # of operations with work inside an exchange
_SHORT_SHARE = 0.1  # levels that take up this share of the samples or less are interruptions


def of_records(part: Part) -> Mapping[str, Any]:
    """Return columns of records by themselves."""
    records = part.records
    revisits = [part.launch.revisits.get(record.index) for record in records]
    texts = (msgspec.json.encode(record.point) for record in records)
    keys = b"".join(hashlib.blake2b(text, digest_size=16).digest() for text in texts)  # the same for the same fields
    key_1, key_2 = np.frombuffer(keys, np.float64).reshape(-1, 2).T
    calls, sizes, messages = np.array([_seen(record) for record in records], dtype=np.float64).reshape(-1, 3).T
    pure, compute, together, in_calls = np.array([_overlap_ns(record) for record in records]).reshape(-1, 4).T
    request = np.array([_phases_ns(record, _REQUEST) for record in records]).reshape(-1, len(_REQUEST)).T
    epoch = np.array([_phases_ns(record, _EPOCH) for record in records]).reshape(-1, len(_EPOCH)).T
    least, most = np.array([_level_range_ns(record) for record in records], dtype=np.float64).reshape(-1, 2).T
    return {
        "settings_1": key_1,
        "settings_2": key_2,
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
        "pure_ns": pure,
        "compute_ns": compute,
        "together_ns": together,
        "in_calls_ns": in_calls,
        **{f"request_{name}_ns": times for name, times in zip(_REQUEST, request, strict=True)},
        **{f"epoch_{name}_ns": times for name, times in zip(_EPOCH, epoch, strict=True)},
        "calls_seen": calls,
        "bytes_seen": sizes,
        "messages_seen": messages,
        "level_least_ns": least,
        "level_most_ns": most,
    }


def _seen(record: Point) -> tuple[int, int, int]:
    """Return the calls that a launch made until the last sample, the bytes they moved, and the messages of one rank.

    Calls by which the length of a block was chosen are on no record and not counted.
    """
    settling = record.calls.made - record.calls.steady_from if record.calls else 0
    samples = record.samples_ns.size + record.discarded_ns.size + record.invalid
    calls = 1 + record.warmup_ns.size + settling + samples * record.repetitions_per_sample
    sends = max(1, record.messages // max(1, record.group_ranks))
    return calls, calls * record.bytes_moved, calls * sends


def _overlap_ns(record: Point) -> tuple[float, float, float, float]:
    """Return the medians of exchange alone, work alone, both together, and MPI calls in these; NaN without phases."""
    phases = record.phases_ns
    if not phases or not phases.keys() >= PHASES:
        return math.nan, math.nan, math.nan, math.nan
    in_calls = phases["post"] + phases["test"] + phases["wait"]
    times = (phases["pure"], phases["compute"], in_calls + phases["work"], in_calls)
    pure, compute, together, calls = (float(np.median(one)) for one in times)
    return pure, compute, together, calls


def _phases_ns(record: Point, names: tuple[str, ...]) -> tuple[float, ...]:
    """Return the medians of the phases of these names; NaN if the record has not all of them."""
    phases = record.phases_ns
    if not phases or not phases.keys() >= set(names):
        return (math.nan,) * len(names)
    return tuple(float(np.median(phases[name])) for name in names)


def _level_range_ns(record: Point) -> tuple[float, float]:
    """Return the fastest and the slowest level of segments, as times of one figure; NaN if the record has none.

    The fastest and the slowest tenth of the samples are left out, as a steady part may hold as many of other levels.
    """
    if not record.segments:
        return math.nan, math.nan
    end = record.discarded_ns.size + record.samples_ns.size
    lengths = np.diff([*(segment.from_ for segment in record.segments), end])
    medians = np.array([segment.median_ns for segment in record.segments])
    order = np.argsort(medians)
    upto = np.cumsum(lengths[order]) / lengths.sum()
    places = np.searchsorted(upto, [_SHORT_SHARE, 1 - _SHORT_SHARE], side="right").clip(max=len(medians) - 1)
    least, most = medians[order][places] / (record.repetitions_per_sample * record.divisor)
    return float(least), float(most)
