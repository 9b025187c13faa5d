"""Questions with one right answer: which link is slow, which ranks are farthest apart, where the protocol changes."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from simulation.platforms import Link, Platform, cluster, fully_connected
from simulation.simulator import simulate

Pair = tuple[int, int]
LINK = Link(1e-6, 10e9)
RANDOM_PLATFORMS = 20
_DELAY_NS = 100_000  # by which the receiver of `delayed_receiver` is late
_PAIR_BYTES = 4096  # long enough that a link of less bandwidth shows
_SAME_NS = 1.0  # times that differ by less are the same: the clock's unit


@dataclass(frozen=True)
class Finding:
    """What the engine's figures say of one platform, and what is true of it."""

    subject: str
    true: str
    claimed: str
    holds: bool


def slowest_pairs(platform: Platform) -> list[Pair]:
    """Return the pairs of ranks with the longest one-way time, out of all pairs."""
    pairs = list(itertools.combinations(range(len(platform.hosts)), 2))
    points = [{"operation": "pingpong", "pattern": f"list={a},{b}", "bytes": _PAIR_BYTES} for a, b in pairs]
    times = simulate(platform, points).times_ns()
    longest = max(times)
    return [pair for pair, time in zip(pairs, times, strict=True) if longest - time < _SAME_NS]


def slow_link(ranks: int, pair: Pair, slow: Link, link: Link = LINK) -> Finding:
    """One link of a full network is slower than the others: the pair that uses it is named."""
    return _pairs(f"slow link among {ranks} ranks", [pair], fully_connected(ranks, link, {pair: slow}))


def torus(sides: tuple[int, ...]) -> Finding:
    """The farthest pairs of a torus are those with most steps between them, around the shorter way."""

    def steps(pair: Pair) -> int:
        a, b = pair
        total = 0
        for side in sides:
            distance = abs(a % side - b % side)
            total += min(distance, side - distance)
            a, b = a // side, b // side
        return total

    shape = ",".join(map(str, sides))
    platform = cluster(math.prod(sides), LINK, f'topology="TORUS" topo_parameters="{shape}"')
    return _farthest(f"farthest pairs of torus {shape}", platform, steps)


def fat_tree(down: int, leaves: int) -> Finding:
    """The farthest pairs of a fat tree of two levels are those under different leaves."""
    parameters = f"2;{down},{leaves};1,2;1,1"
    platform = cluster(down * leaves, LINK, f'topology="FAT_TREE" topo_parameters="{parameters}"')
    subject = f"farthest pairs of fat tree {parameters}"
    return _farthest(subject, platform, lambda pair: int(pair[0] // down != pair[1] // down))


def protocol_threshold(threshold_bytes: int) -> Finding:
    """From this size on a send waits for its receiver: narrowed to the byte by sends to a late one."""
    eager, waiting = 1, 1 << 20
    while waiting - eager > 1:
        step = max(1, (waiting - eager) // 16)
        sizes = list(range(eager + step, waiting, step))
        points = [{"operation": "delayed_receiver", "bytes": size} for size in sizes]
        settings = {"smpi/send-is-detached-thresh": str(threshold_bytes), "smpi/wtime": "1e-7"}
        times = simulate(cluster(2, LINK), points, settings=settings).times_ns()
        for size, time in zip(sizes, times, strict=True):
            if time < _DELAY_NS / 2:
                eager = max(eager, size)
            else:
                waiting = min(waiting, size)
    return Finding(
        f"protocol threshold {threshold_bytes} B",
        f"{threshold_bytes - 1} B is eager, {threshold_bytes} B waits",
        f"{eager} B is eager, {waiting} B waits",
        (eager, waiting) == (threshold_bytes - 1, threshold_bytes),
    )


def random_platform(seed: int) -> Finding:
    """A platform drawn from a seed: a full network with a slow link, a torus, or a fat tree."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    kind = draw.choice(("slow link", "slow link", "torus", "fat tree"))
    if kind == "torus":
        return torus((draw.randint(2, 4), draw.randint(2, 4)))
    if kind == "fat tree":
        return fat_tree(draw.randint(2, 4), draw.randint(2, 4))
    ranks = draw.randint(4, 9)
    link = Link(draw.uniform(0.5e-6, 5e-6), draw.uniform(1e9, 25e9))
    factor = draw.uniform(1.05, 3)
    slow = draw.choice(
        (Link(link.latency_s * factor, link.bytes_per_s), Link(link.latency_s, link.bytes_per_s / factor))
    )
    low, high = sorted(draw.sample(range(ranks), 2))
    return slow_link(ranks, (low, high), slow, link)


def findings() -> list[Finding]:
    """Return every answer beside the right one, the random platforms last."""
    named = [
        slow_link(8, (2, 5), Link(1.2e-6, 10e9)),
        torus((4, 4)),
        torus((4, 3, 2)),
        fat_tree(4, 4),
        *map(protocol_threshold, (4096, 12345, 65536)),
    ]
    return [*named, *map(random_platform, range(RANDOM_PLATFORMS))]


def _farthest(subject: str, platform: Platform, distance: Callable[[Pair], int]) -> Finding:
    pairs = list(itertools.combinations(range(len(platform.hosts)), 2))
    most = max(map(distance, pairs))
    return _pairs(subject, [pair for pair in pairs if distance(pair) == most], platform)


def _pairs(subject: str, true: list[Pair], platform: Platform) -> Finding:
    claimed = slowest_pairs(platform)
    return Finding(subject, _text(true), _text(claimed), true == claimed)


def _text(pairs: list[Pair]) -> str:
    listed = ", ".join(f"{a}-{b}" for a, b in pairs[:3])
    return listed if len(pairs) <= 3 else f"{listed}, ... ({len(pairs)} pairs)"
