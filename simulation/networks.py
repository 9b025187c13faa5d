"""Networks of the kinds that clusters have, with slow nodes and slow links planted into them.

Every node sends over one link and receives over another; what lies between is the topology's. All links are shared by
the messages that use them at once. A slow link is the path between two nodes, which gets a part of its own: thin, or
late; thin ones in one direction or in both.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

from simulation.platforms import Link, Platform, one_way

NODE = Link(0.5e-6, 10e9)
WITHIN = Link(0.5e-6, 20e9)
BETWEEN = Link(1e-6, 20e9)
Route = tuple[str, ...]
HEALTHY = 3  # seeds below it plant nothing
_BOTH = (("send", "sending"), ("take", "receiving"))


@dataclass(frozen=True)
class Network:
    """Nodes, the links between them by name, and the inner links of the way from one node to another."""

    name: str
    nodes: int
    inner: dict[str, Link]
    route: Callable[[int, int], Route]


@dataclass(frozen=True)
class Planted:
    """What is slow: node `(a,)`, or the link `(a, b)` from a to b; `part` is sending, receiving or pair."""

    who: tuple[int, ...]
    part: str


def fat_tree(leaves: int, down: int) -> Network:
    """Return a tree of two levels: half of what a leaf's nodes send at once fits through its uplink."""
    inner = {f"leaf{leaf}-{way}": BETWEEN for leaf in range(leaves) for way in ("up", "down")}

    def route(source: int, target: int) -> Route:
        one, other = source // down, target // down
        return () if one == other else (f"leaf{one}-up", f"leaf{other}-down")

    return Network(f"fat tree {leaves}x{down}", leaves * down, inner, route)


def torus(width: int, height: int) -> Network:
    """Return a torus of two dimensions: messages go along x first, then along y, each the shorter way around."""
    inner: dict[str, Link] = {}
    for node, axis, step in itertools.product(range(width * height), "xy", (1, -1)):
        inner[f"hop{node}{axis}{step:+d}"] = WITHIN

    def route(source: int, target: int) -> Route:
        x, y = source % width, source // width
        links = []
        while x != target % width:
            step = 1 if (target % width - x) % width <= width // 2 else -1
            links.append(f"hop{y * width + x}x{step:+d}")
            x = (x + step) % width
        while y != target // width:
            step = 1 if (target // width - y) % height <= height // 2 else -1
            links.append(f"hop{y * width + x}y{step:+d}")
            y = (y + step) % height
        return tuple(links)

    return Network(f"torus {width}x{height}", width * height, inner, route)


def dragonfly(groups: int, routers: int) -> Network:
    """Return groups of routers, one node each: all routers of a group are joined, and all groups, by one link each."""
    inner: dict[str, Link] = {}
    for group, (one, other) in itertools.product(range(groups), itertools.permutations(range(routers), 2)):
        inner[f"local{group}-{one}-{other}"] = WITHIN
    for one, other in itertools.permutations(range(groups), 2):
        inner[f"global{one}-{other}"] = BETWEEN

    def route(source: int, target: int) -> Route:
        (one, first), (other, last) = divmod(source, routers), divmod(target, routers)
        if one == other:
            return (f"local{one}-{first}-{last}",)
        leave, enter = other % routers, one % routers
        before = (f"local{one}-{first}-{leave}",) if first != leave else ()
        after = (f"local{other}-{enter}-{last}",) if enter != last else ()
        return (*before, f"global{one}-{other}", *after)

    return Network(f"dragonfly {groups}x{routers}", groups * routers, inner, route)


def planted(network: Network, seed: int) -> tuple[Platform, frozenset[Planted]]:
    """Return the network with none to three slow nodes and links each, and which they are; none for the first seeds."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    order = draw.sample(range(network.nodes), network.nodes)
    slow_nodes, slow_links = (0, 0) if seed < HEALTHY else (draw.randint(0, 3), draw.randint(0, 3))
    nodes = order[:slow_nodes]
    rest = order[slow_nodes:]
    pairs = [(rest[2 * at], rest[2 * at + 1]) for at in range(slow_links)]
    links = network.inner | {f"{way}{node}": NODE for node in range(network.nodes) for way in ("send", "take")}
    true: set[Planted] = set()
    for node in nodes:
        for way, part in draw.choice((_BOTH[:1], _BOTH[1:], _BOTH)):
            links[f"{way}{node}"] = Link(NODE.latency_s, NODE.bytes_per_s / draw.uniform(3, 10))
            true.add(Planted((node,), part))
    extra: dict[tuple[int, int], str] = {}
    for a, b in pairs:
        late = draw.random() < 0.3  # both ways: no round trip tells in which direction the time is lost
        slow = Link(60e-6, 1e12) if late else Link(1e-9, NODE.bytes_per_s / draw.uniform(3, 10))
        for source, target in ((a, b), (b, a)) if late or draw.random() < 0.5 else ((a, b),):
            name = f"slow{source}-{target}"
            links[name], extra[source, target] = slow, name
            true.add(Planted((source, target), "pair"))
    routes = {
        (source, target): (
            f"send{source}",
            *network.route(source, target),
            *([extra[source, target]] if (source, target) in extra else []),
            f"take{target}",
        )
        for source, target in itertools.permutations(range(network.nodes), 2)
    }
    return one_way(network.nodes, routes, links), frozenset(true)
