"""What many ranks cost the engine: time until its first point, memory, messages of the clock, bytes it writes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from groma.catalog import packaged
from groma.catalog.values import Value
from groma.plan.expand import expand
from groma.plan.profiles import read_profile
from simulation.platforms import LINK, Platform, cluster
from simulation.simulator import simulate

# The shortest message of each operation, since one machine holds all ranks.
_MOST_BYTES = 8
RANKS_PER_HOST = 16
# Operations in which each rank sends to half of the others or more, or many messages at once: minutes to simulate.
_LEFT_OUT = {"alltoall", "message_rate"}
# The simulator's own choices for these send p * p messages at once, also in the set-up.
_BY_ROUNDS = {"smpi/allgather": "rdb", "smpi/alltoall": "bruck", "smpi/gather": "ompi_binomial"}


@dataclass(frozen=True)
class Cost:
    """What one launch took: `setup_s` and `clock_s` in simulated time, `cpu_s` and memory really.

    `setup_s` is from the start of the ranks to that of the first point; `clock_s`, a part of it, is what the global
    clock took.
    """

    ranks: int
    points: int
    setup_s: float
    clock_s: float
    clock_messages: int
    resident_bytes: int
    cpu_s: float
    start_bytes: int
    nodes_bytes: int
    longest_record_bytes: int

    @property
    def resident_bytes_per_rank(self) -> float:
        """Memory of the whole simulation over its ranks, the simulator's own part included."""
        return self.resident_bytes / self.ranks

    @property
    def rounds(self) -> int:
        """Rounds of a tree over the hosts."""
        return rounds(self.ranks)


def rounds(ranks: int) -> int:
    """Return the rounds of a tree over the hosts of a number of ranks."""
    return math.ceil(math.log2(max(1, ranks / RANKS_PER_HOST)))


def points() -> list[dict[str, Value]]:
    """Return what the plan of `groma quick` measures, without its method: each operation, shortest message."""
    catalog = packaged()
    kept: list[dict[str, Value]] = []
    for asked in expand(read_profile("quick", catalog), catalog).points:
        point = {name: value for name, value in asked.items() if name in ("operation", "bytes", "twin")}
        point["timing"] = "call"
        if int(point.get("bytes", 0)) <= _MOST_BYTES and asked["operation"] not in _LEFT_OUT:
            # One operation needs the global clock, as all do with the method of `groma quick`.
            kept.append(point | ({"reduce": "span"} if point["operation"] == "bcast" else {}))
    return kept


def cost(ranks: int) -> Cost:
    """Simulate a launch of RANKS_PER_HOST ranks on each host, which share its clock."""
    asked = points()
    hosts = cluster(-(-ranks // RANKS_PER_HOST), LINK)
    placed = Platform(hosts.xml, tuple(host for host in hosts.hosts for _ in range(RANKS_PER_HOST))[:ranks])
    run = simulate(placed, asked, settings=_BY_ROUNDS, timeout_s=3600)
    clock = run.start["global_clock"][0]
    return Cost(
        ranks=ranks,
        points=len(asked),
        setup_s=1e-9 * min(point["finished_unix_ns"] - point["elapsed_ns"] for point in run.points),
        clock_s=1e-9 * clock["took_ns"],
        clock_messages=int(clock["messages_per_rank"]),
        resident_bytes=run.taken.resident_bytes,
        cpu_s=run.taken.cpu_s,
        start_bytes=run.taken.start_bytes,
        nodes_bytes=run.taken.nodes_bytes,
        longest_record_bytes=run.taken.longest_point_bytes,
    )


def costs(rank_counts: Sequence[int]) -> list[Cost]:
    """Return the cost at each number of ranks."""
    return [cost(ranks) for ranks in rank_counts]


def grows_as_it_should(costs: Sequence[Cost]) -> bool:
    """True if point records are flat but for 300 bytes of listed ranks, and messages and set-up grow by rounds.

    Costs of one or two hosts do not count: a clock of two closes no triangles. It is fitted over the same span
    everywhere: the rest of the set-up is compared.
    """
    several = [cost for cost in costs if cost.rounds > 1]
    first, last = several[0], several[-1]
    return (
        last.longest_record_bytes <= first.longest_record_bytes + 300
        and last.clock_messages / last.rounds <= 1.01 * first.clock_messages / first.rounds
        and (last.setup_s - last.clock_s) / last.rounds <= 1.25 * (first.setup_s - first.clock_s) / first.rounds
    )
