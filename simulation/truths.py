"""What is true on a simulated network, by closed form, and what the engine claims of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from simulation.claims import Claim
from simulation.loggp import loggp
from simulation.platforms import LINK, SWITCHED, Link, Platform, cluster, fully_connected, one_way_ns, routed
from simulation.simulator import READING_COST, simulate

SIZES_BYTES = tuple(2**exponent for exponent in range(3, 23))
COLLECTIVE_BYTES = (8, 1024, 65536, 1 << 20)
BACKBONE, ACCESS = Link(1e-6, 10e9), Link(100e-9, 40e9)
# Messages that two ranks have in flight at once: incast and bisection send 4 at a time, the second both ways.
FLOWS = {"silent": 0, "bcast": 1, "alltoall": 2, "incast": 4, "bisection": 8}


def _claims(
    subject: str,
    platform: Platform,
    point: dict[str, object],
    truth_ns: Callable[[int], float],
    *,
    sizes: tuple[int, ...] = COLLECTIVE_BYTES,
    settings: Mapping[str, str] | None = None,
) -> list[Claim]:
    run = simulate(platform, [point | {"bytes": size} for size in sizes], settings=settings)
    return [Claim(subject, size, truth_ns(size), claimed) for size, claimed in zip(sizes, run.times_ns(), strict=True)]


def pingpong() -> list[Claim]:
    """Two links in a row: the sum of their latencies, and the bandwidth of the narrower."""
    route = (Link(1e-6, 10e9), Link(500e-9, 4e9))
    links = {"wide": route[0], "narrow": route[1]}
    platform = routed(2, {(0, 1): ("wide", "narrow")}, links)
    point: dict[str, object] = {"operation": "pingpong"}
    return _claims("ping-pong over two links", platform, point, lambda n: one_way_ns(route, n), sizes=SIZES_BYTES)


def linear_broadcast(ranks: int = 8) -> list[Claim]:
    """The root sends to everyone at once: all messages share its one link to the switch."""
    return _claims(
        f"linear broadcast, {ranks} ranks",
        cluster(ranks, LINK),
        {"operation": "bcast"},
        lambda n: one_way_ns(SWITCHED, n, sharing=ranks - 1),
        settings={"smpi/bcast": "flattree"},
    )


def binomial_broadcast(ranks: int = 16) -> list[Claim]:
    """One round after the other, because a send is over when its message has arrived."""
    rounds = math.ceil(math.log2(ranks))
    return _claims(
        f"binomial broadcast, {ranks} ranks",
        cluster(ranks, LINK),
        {"operation": "bcast"},
        lambda n: rounds * one_way_ns(SWITCHED, n),
        settings={"smpi/bcast": "binomial_tree", "smpi/send-is-detached-thresh": "0"},
    )


def ring_allgather(ranks: int = 8) -> list[Claim]:
    """In each of p - 1 rounds every rank passes one block on; links to and from the switch are distinct."""
    return _claims(
        f"ring allgather, {ranks} ranks",
        cluster(ranks, LINK),
        {"operation": "allgather"},
        lambda n: (ranks - 1) * one_way_ns(SWITCHED, n),
        settings={"smpi/allgather": "ring"},
    )


def barrier(ranks: int = 16) -> list[Claim]:
    """A message without payload in each of ceil(log2 p) rounds."""
    point: dict[str, object] = {"operation": "barrier"}
    rounds = math.ceil(math.log2(ranks))
    return _claims(
        f"barrier, {ranks} ranks", cluster(ranks, LINK), point, lambda n: rounds * one_way_ns(SWITCHED, n), sizes=(0,)
    )


def congestion() -> Iterator[Claim]:
    """Pairs that all cross one link at once: each gets its share of the bandwidth."""
    for pairs in (1, 2, 4, 8):
        yield from _claims(
            f"{pairs} concurrent pairs over one link",
            over_one_link(2 * pairs),
            {"operation": "pingpong", "pattern": "halves"},
            lambda n, pairs=pairs: one_way_ns((ACCESS, BACKBONE, ACCESS), n, sharing=pairs),  # type: ignore[misc]
        )


def over_one_link(ranks: int) -> Platform:
    """Return hosts whose messages all cross one link."""
    links = {"backbone": BACKBONE} | {f"access{rank}": ACCESS for rank in range(ranks)}
    routes = {(a, b): (f"access{a}", "backbone", f"access{b}") for a in range(ranks) for b in range(a + 1, ranks)}
    return routed(ranks, routes, links)


def loaded() -> Iterator[Claim]:
    """A ping-pong beside two ranks that load the network, with long messages: as many at a time as `FLOWS` says.

    Over one link each message has its share of it; on a network with a link for each pair, loads change nothing.
    """
    shared, apart = over_one_link(4), fully_connected(4, LINK)
    for load, flows in FLOWS.items():
        point = {"operation": "pingpong", "load": load, "load_bytes": 16 << 20}
        yield from _claims(
            f"ping-pong beside load={load}, all over one link",
            shared,
            point,
            lambda n, flows=flows: one_way_ns((ACCESS, BACKBONE, ACCESS), n, sharing=1 + flows),  # type: ignore[misc]
            sizes=(8, 65536),
        )
        yield from _claims(
            f"ping-pong beside load={load}, no link shared",
            apart,
            point,
            lambda n: one_way_ns((LINK,), n),
            sizes=(8, 65536),
        )


def slow_link() -> list[Claim]:
    """The one link of a full network that is slower than the others."""
    slow = Link(3e-6, 2.5e9)
    point: dict[str, object] = {"operation": "pingpong", "pattern": "list=2,5"}
    platform = fully_connected(8, LINK, {(2, 5): slow})
    return _claims("the one slow link of 28", platform, point, lambda n: one_way_ns((slow,), n))


def overheads() -> list[Claim]:
    """LogGP's o_s and o_r, each a constant and a part for every byte, below the size where the protocol changes."""
    o_s, o_r = (1e-6, 0.1e-9), (2e-6, 0.2e-9)
    settings = {"smpi/os": _overhead(o_s), "smpi/or": _overhead(o_r), "smpi/async-small-thresh": "65536"}
    sizes = (8, 1024, 32768)

    def one_way(n: int) -> float:
        return one_way_ns(SWITCHED, n) + 1e9 * (o_s[0] + o_r[0] + n * (o_s[1] + o_r[1]))

    platform = cluster(2, LINK)
    trips = _claims(
        "ping-pong with send and receive overhead",
        platform,
        {"operation": "pingpong"},
        one_way,
        sizes=sizes,
        settings=settings,
    )
    send = _claims(
        "send overhead, from sends to a late receiver",
        platform,
        {"operation": "delayed_receiver"},
        lambda n: 1e9 * (o_s[0] + n * o_s[1]),
        sizes=sizes,
        settings=settings | {"smpi/wtime": READING_COST},
    )
    return [*trips, *send]


def clocked(ranks: int = 4) -> Iterator[Claim]:
    """Starts at agreed times on a global clock that was made by messages, and spans between ranks on it."""
    rounds = math.ceil(math.log2(ranks))
    for sync in ("roundtime", "window"):
        yield from _claims(
            f"binomial broadcast, {ranks} ranks, sync={sync}, reduce=span",
            cluster(ranks, LINK),
            {"operation": "bcast", "sync": sync, "reduce": "span"},
            lambda n: rounds * one_way_ns(SWITCHED, n),
            sizes=(8, 65536),
            settings={"smpi/send-is-detached-thresh": "0", "smpi/wtime": READING_COST},
        )


def overlapped(ranks: int = 4) -> Iterator[Claim]:
    """Work inside a nonblocking collective: the simulator starts all its messages at once, and they need no rank.

    So the longer of the two remains.
    """
    sizes = (1024, 65536, 1 << 20)
    for operation, share in itertools.product(("ibcast", "iallreduce", "ialltoall"), (0.25, 1.0, 4.0)):
        point = {"operation": f"overlap/{operation}", "compute": share}
        run = simulate(cluster(ranks, LINK), [point | {"bytes": size} for size in sizes])
        for size, record in zip(sizes, run.launch.points, strict=True):
            phases = record.phases_ns or {}
            together = np.sum([phases[name] for name in ("post", "work", "test", "wait")], axis=0)
            truth_ns = max(1.0, share) * one_way_ns(SWITCHED, size, sharing=ranks - 1)
            subject = f"{operation}, {ranks} ranks, with work of {share:g} times its own time"
            yield Claim(subject, size, truth_ns, float(np.median(together)))


def _overhead(seconds: tuple[float, float]) -> str:
    return f"0:{seconds[0]!r}:{seconds[1]!r}"


Subject = Callable[[], Iterable[Claim]]
SUBJECTS: tuple[Subject, ...] = (
    pingpong,
    barrier,
    linear_broadcast,
    binomial_broadcast,
    ring_allgather,
    congestion,
    loaded,
    slow_link,
    overheads,
    loggp,
    clocked,
    overlapped,
)


def times() -> list[Claim]:
    """Return every claimed time beside the true one."""
    return [claim for subject in SUBJECTS for claim in subject()]
