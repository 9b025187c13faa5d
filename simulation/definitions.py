"""Two things that a comparison of programs could not explain, on networks where everything is known.

Its figure 10: a report states a longer time for a broadcast than any node needs. Its section 5.2: a message around a
ring takes longer than one between pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulation.platforms import LINK, Link, Platform, cluster, one_way
from simulation.simulator import simulate

RANKS = 8
REPORT = "a report beside its nodes (figure 10)"
RING = "a ring beside pairs (5.2)"
SPREAD_US = 9500.0
_BROADCAST = {"operation": "bcast", "bytes": 4 << 20, "per_rank": True, "repetitions": 40}
_BUFFERED, _WAITING = ({"smpi/send-is-detached-thresh": size} for size in ("100000000", "0"))
_COARSE = {"smpi/wtime": "1e-5"}  # seconds of one look at the clock: ranks wait for milliseconds


@dataclass(frozen=True)
class Compared:
    """Two times of one simulated operation by two definitions, in us: a report and its longest node, a ring and pairs.

    `case` is what happens: how ranks enter, or what the network has.
    """

    question: str
    case: str
    first: str
    first_us: float
    second: str
    second_us: float

    @property
    def ratio(self) -> float:
        """The first over the second."""
        return self.first_us / self.second_us


def _report(case: str, reduce: str, settings: Mapping[str, str], **starts: object) -> Compared:
    """Return the mean over repetitions of one time of all ranks, beside the longest mean of one rank's own times."""
    point = _BROADCAST | {"reduce": reduce} | starts
    (record,) = simulate(cluster(RANKS, LINK), [point], settings=settings).launch.points
    own_us = max(float(np.mean(times)) for times in record.ranks_ns or ()) / 1e3
    named = {"max": "mean of the slowest rank", "span": "first entry to last exit"}[reduce]
    return Compared(REPORT, case, named, float(np.mean(record.samples_ns)) / 1e3, "slowest rank's mean", own_us)


def reports() -> list[Compared]:
    """Return what two definitions of a broadcast's time make of ranks that enter together, late in turn or at random.

    A node's time is always that from its own entry to its own exit.
    """
    late: dict[str, Any] = {"sync": "roundtime", "arrival_delay_us": SPREAD_US}
    spread, drawn = late | {"arrival": "linear"}, late | {"arrival": "random"}
    in_turn = "rank after rank"
    return [
        _report("together", "max", _BUFFERED, sync="barrier"),
        _report("together", "span", _BUFFERED, sync="barrier"),
        _report(in_turn, "max", _BUFFERED | _COARSE, **spread),
        _report(in_turn, "span", _BUFFERED | _COARSE, **spread),
        _report("in an order that changes", "max", _WAITING | _COARSE, **drawn),
    ]


def _links(slow: Mapping[tuple[int, int], Link]) -> Platform:
    """Return ranks with a link of their own for each direction between any two."""
    ways = {(a, b): f"link{a}-{b}" for a, b in itertools.permutations(range(RANKS), 2)}
    links = {name: slow.get(way, LINK) for way, name in ways.items()}
    return one_way(RANKS, {way: (name,) for way, name in ways.items()}, links)


def ring_and_pairs() -> list[Compared]:
    """Return the mean time over ranks around the ring and in pairs (r, r + n/2), by blocks of 1 MiB back to back.

    Once all links are alike. Once the ring and the pairs have one link each with half the bandwidth.
    """
    block = {"bytes": 1 << 20, "sync": "none", "timing": "block", "block": 100, "reduce": "mean", "repetitions": 2}
    points: list[dict[str, object]] = [
        block | {"operation": "sendrecv"},
        block | {"operation": "sendrecv_pairwise", "pattern": "halves"},
    ]
    half = Link(LINK.latency_s, LINK.bytes_per_s / 2)
    cases = {"equal links": {}, "one link at half speed": {(3, 4): half, (3, 7): half}}
    found = []
    for case, slow in cases.items():
        ring, pairs = (time / 1e3 for time in simulate(_links(slow), points).times_ns())
        found.append(Compared(RING, case, "ring", ring, "pairs", pairs))
    return found


def slowest_of_pairs() -> tuple[float, float]:
    """Return the time of a stream of all pairs at once, by its defaults: all links alike, and one at half speed."""
    stream = {"operation": "stream", "pattern": "halves", "bytes": 1 << 20, "window": 4}
    half = Link(LINK.latency_s, LINK.bytes_per_s / 2)
    effort = {"stop": "reps", "repetitions": 2}
    alike, slow = (simulate(_links(way), [stream | effort]).times_ns()[0] for way in ({}, {(3, 7): half}))
    return alike, slow


def compared() -> list[Compared]:
    """Return all of them."""
    return [*reports(), *ring_and_pairs()]
