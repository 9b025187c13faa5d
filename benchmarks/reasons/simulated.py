"""What two programs report on 8 simulated ranks with the links of the comparison's SGI Altix: their definitions alone.

Caches, arrays and arithmetic take no time there, and windows are not met: such factors are made equal.
"""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.reasons.found import Case, Explained, Factor
from groma.catalog import packaged
from groma.explain import attribute
from groma.explain.asked import judge_of, pair_of_profiles
from groma.explain.figures import figure_of, points_of
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from simulation.platforms import Link, Platform, one_way
from simulation.simulator import simulate

RANKS = 8
_BUS, _CHANNEL = Link(0.3e-6, 6.4e9), Link(0.3e-6, 1.6e9)
_EQUAL = {"clock": "mpi", "cache": "warm", "buffers": "separate"}
SEND = {"smpi/os": "0:5e-07:0", "smpi/or": "0:5e-07:0"}  # seconds of each message for its sender and receiver
_EFFORT = {"stop": "reps", "repetitions": "5", "block": "20", "warmups": "1"}


def altix() -> Platform:
    """Return 8 CPUs, two to a bus and four to a brick: bricks are joined by a channel for each bus and direction."""
    kinds = {"bus": _BUS, "up": _CHANNEL, "down": _CHANNEL}
    links = {f"{kind}{bus}": link for kind, link in kinds.items() for bus in range(RANKS // 2)}
    links |= {f"brick{brick}": _BUS for brick in range(RANKS // 4)}
    return one_way(RANKS, {(a, b): _route(a, b) for a, b in itertools.permutations(range(RANKS), 2)}, links)


def _route(source: int, target: int) -> tuple[str, ...]:
    first, last = source // 2, target // 2
    if first == last:
        return (f"bus{first}",)
    between = (f"brick{first // 2}",) if first // 2 == last // 2 else (f"up{first}", f"down{last}")
    return (f"bus{first}", *between, f"bus{last}")


def explained(case: Case) -> Explained:
    """Return the factors between the two programs of a case; the intervals have no width, since nothing varies."""
    settings = [*_EQUAL.items(), *_EFFORT.items()]
    pair = pair_of_profiles(case.between, case.operation, str(case.bytes), settings, packaged(), crowded=True)
    pair = pair.judged(judge_of(find_setup(find_engine(), None), RANKS))
    points = points_of(pair)
    records = {record.index: record for record in simulate(altix(), points, settings=SEND).launch.points}
    measured = {mask: records[points.index(pair.point(mask))] for mask in pair.possible()}
    times = {mask: np.array([figure_of(record, pair, mask)]) for mask, record in measured.items()}
    shares = attribute(times, len(pair.changes))
    factors = [
        Factor({field: (before, change.after[field]) for field, before in change.before.items()}, *_exact(share.ratio))
        for change, share in zip(pair.changes, shares.shares, strict=True)
    ]
    return Explained(case, factors, Factor({}, *_exact(shares.total.ratio)))


def _exact(ratio: float) -> tuple[float, tuple[float, float]]:
    return ratio, (ratio, ratio)
