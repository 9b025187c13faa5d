"""Calls of a point, from its record: how many were seen, and the effect of slow ones on the mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groma.results.records import Point

Values = NDArray[np.float64]

SEEN = ("calls_seen", "bytes_seen", "messages_seen")
TAIL = ("tail_mean_ns", "tail_median_ns", "slow_share", "tail_values")


def seen_in(record: Point) -> tuple[int, int, int]:
    """Return the calls that a launch made until the last sample, the bytes they moved, and the messages of one rank.

    Calls by which the length of a block was chosen are on no record and not counted.
    """
    settling = record.calls.made - record.calls.steady_from if record.calls else 0
    samples = record.samples_ns.size + record.discarded_ns.size + record.invalid
    calls = 1 + record.warmup_ns.size + settling + samples * record.repetitions_per_sample
    sends = max(1, record.messages // max(1, record.group_ranks))
    return calls, calls * record.bytes_moved, calls * sends


def tails_in(records: Sequence[Point], times: Values, means: Values, medians: Values) -> dict[str, Values]:
    """Return mean, median and slow share of calls, and of how many values they are; NaN if they are not known.

    Where blocks were timed, single calls before them are known, and the mean over blocks, which is one over many more
    calls. Of these two the one whose mean is further from its own median counts: the calls show what blocks average
    over, and the blocks what is too rare for the calls.
    """
    slow = (times > 2 * medians[:, np.newaxis]).mean(axis=1)
    tails = np.where(medians > 0, [means, medians, slow, np.full(len(records), times.shape[1])], np.nan)
    for place, record in enumerate(records):
        calls = record.calls
        if record.repetitions_per_sample == 1:
            continue
        mean, median = tails[:2, place]
        if calls is None:
            tails[:, place] = np.nan
        elif calls.median_ns > 0 and not calls.mean_ns / calls.median_ns < mean / median:
            count = calls.made - calls.steady_from
            tails[:, place] = calls.mean_ns / record.divisor, calls.median_ns / record.divisor, calls.slow_share, count
    return dict(zip(TAIL, tails, strict=True))
