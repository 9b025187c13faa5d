"""Questions with one right answer: which link is slow, which ranks are farthest apart, where the protocol changes."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from groma.analysis.protocol import PROBE, Bracket, eager_bracket
from simulation.platforms import LINK, Link, Platform, cluster, fully_connected, routed
from simulation.simulator import simulate

Pair = tuple[int, int]
RANDOM_PLATFORMS = 20
CONGESTED_LAYOUTS = 4
_PROBED = 15  # sizes a round between those that are known to be eager and to wait
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


@dataclass(frozen=True)
class Topology:
    """A network with the number of steps between any two of its ranks."""

    name: str
    platform: Platform
    steps: Callable[[Pair], int]

    @property
    def pairs(self) -> list[Pair]:
        """The pairs of ranks with most steps between them."""
        pairs = list(itertools.combinations(range(len(self.platform.hosts)), 2))
        most = max(map(self.steps, pairs))
        return [pair for pair in pairs if self.steps(pair) == most]


def farthest_pair(platform: Platform) -> Pair:
    """Return the pair that the engine's own pattern `farthest` finds and measures."""
    (point,) = simulate(platform, [{"operation": "pingpong", "pattern": "farthest"}]).points
    first, second = point["members"]
    return int(first), int(second)


def slow_link(ranks: int, pair: Pair, slow: Link, link: Link = LINK) -> Finding:
    """One link of a full network is slower than the others: the pair that uses it is named."""
    return _pairs(f"slow link among {ranks} ranks", [pair], fully_connected(ranks, link, {pair: slow}))


def torus(sides: tuple[int, ...]) -> Topology:
    """Return a torus, whose steps go around the shorter way."""

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
    return Topology(f"torus {shape}", platform, steps)


def fat_tree(down: int, leaves: int) -> Topology:
    """Return a fat tree of two levels: a step more between hosts under different leaves."""
    parameters = f"2;{down},{leaves};1,2;1,1"
    platform = cluster(down * leaves, LINK, f'topology="FAT_TREE" topo_parameters="{parameters}"')
    return Topology(f"fat tree {parameters}", platform, lambda pair: int(pair[0] // down != pair[1] // down))


def farthest(topology: Topology) -> Finding:
    """The engine's own search finds one of the farthest pairs."""
    found = farthest_pair(topology.platform)
    true = topology.pairs
    return Finding(f"pattern=farthest on {topology.name}", f"one of {_text(true)}", _text([found]), found in true)


def all_farthest(topology: Topology) -> Finding:
    """With all pairs measured, every farthest one is found, and no other."""
    return _pairs(f"all pairs of {topology.name}, the farthest", topology.pairs, topology.platform)


def congested(seed: int, ranks: int = 40) -> Finding:
    """One pair is farther than all others, and its round hides it: pairs at once share a thin backbone.

    Half of the ranks are on each side of it. The far pair, drawn from the seed, is on one side for even seeds, and on
    different sides for odd ones.
    """
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    half, one_side = ranks // 2, seed % 2 == 0
    first, second = sorted(draw.sample(range(half), 2))
    far = (first, second) if one_side else (first, second + half)
    backbone, access, extra = Link(1e-6, 1e6), Link(1e-7, 10e9), Link(60e-6 if one_side else 10e-6, 10e9)
    links = {"backbone": backbone, "extra": extra} | {f"access{rank}": access for rank in range(ranks)}
    routes = {
        (a, b): (
            f"access{a}",
            *(["backbone"] if a < half <= b else []),
            *(["extra"] if (a, b) == far else []),
            f"access{b}",
        )
        for a, b in itertools.combinations(range(ranks), 2)
    }
    found = farthest_pair(routed(ranks, routes, links))
    subject = f"pattern=farthest over a thin backbone, {ranks} ranks, layout {seed}"
    return Finding(subject, _text([far]), _text([found]), found == far)


def farthest_by_size(ranks: int = 6) -> list[Finding]:
    """One pair has the longest latency and another the thinnest link: which is the farthest depends on the size."""
    late, thin = (1, 4), (2, 5)
    platform = fully_connected(ranks, LINK, {late: Link(2e-6, 10e9), thin: Link(1e-6, 1e9)})
    true = {8: late, 1024: late, 65536: thin, 1 << 20: thin}
    run = simulate(platform, [{"operation": "pingpong", "pattern": "farthest", "bytes": size} for size in true])
    members = {int(point["point"]["bytes"]): tuple(point["members"]) for point in run.points}
    subject = "pattern=farthest, one pair with more latency and one with less bandwidth"
    return [
        Finding(f"{subject}, {size} B", _text([pair]), _text([members[size]]), members[size] == pair)
        for size, pair in true.items()
    ]


def protocol_threshold(threshold_bytes: int) -> Finding:
    """From this size on a send waits for its receiver: narrowed to the byte by sends to a late one."""
    settings = {"smpi/send-is-detached-thresh": str(threshold_bytes), "smpi/wtime": "1e-7"}
    sends_ns: dict[int, float] = {}
    sizes = [1, 1 << 20]
    while sizes:
        points = [{"operation": PROBE, "bytes": size} for size in sizes]
        times = simulate(cluster(2, LINK), points, settings=settings).times_ns()
        sends_ns |= dict(zip(sizes, times, strict=True))
        found = eager_bracket(sends_ns)
        sizes = [] if found is None else found.between(_PROBED)
    true = Bracket(threshold_bytes - 1, threshold_bytes)
    return Finding(f"protocol threshold {threshold_bytes} B", _change(true), _change(found), found == true)


def random_topology(seed: int) -> Topology:
    """Return a torus or a fat tree drawn from a seed."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    if draw.random() < 0.5:
        return torus(tuple(draw.randint(2, 4) for _ in range(draw.randint(2, 3))))
    return fat_tree(draw.randint(2, 5), draw.randint(2, 5))


def random_slow_link(seed: int) -> Finding:
    """A full network drawn from a seed, one link of which has more latency or less bandwidth."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
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
    named = [torus((4, 4)), torus((4, 3, 2)), fat_tree(4, 4)]
    return [
        slow_link(8, (2, 5), Link(1.2e-6, 10e9)),
        *map(all_farthest, named),
        *map(farthest, named),
        *map(congested, range(CONGESTED_LAYOUTS)),
        *farthest_by_size(),
        *map(protocol_threshold, (4096, 12345, 65536)),
        *map(random_slow_link, range(RANDOM_PLATFORMS)),
        *(farthest(random_topology(seed)) for seed in range(RANDOM_PLATFORMS)),
    ]


def _pairs(subject: str, true: list[Pair], platform: Platform) -> Finding:
    claimed = slowest_pairs(platform)
    return Finding(subject, _text(true), _text(claimed), true == claimed)


def _change(found: Bracket | None) -> str:
    return "no change" if found is None else f"{found.below} B is eager, {found.above} B waits"


def _text(pairs: list[Pair]) -> str:
    listed = ", ".join(f"{a}-{b}" for a, b in pairs[:3])
    return listed if len(pairs) <= 3 else f"{listed}, ... ({len(pairs)} pairs)"
