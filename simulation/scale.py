"""What many ranks cost the engine: memory a rank, messages of the clock's synchronisation, length of the records."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from simulation.platforms import Link, cluster
from simulation.simulator import simulate

# The operations that `groma quick` measures, at its smallest size, one of them on the global clock.
POINTS = tuple(
    {"operation": operation, "bytes": 0 if operation == "barrier" else 8}
    | ({"reduce": "span"} if operation == "bcast" else {})
    for operation in ("pingpong", "stream", "message_rate", "allreduce", "bcast", "alltoall", "barrier")
)
# The simulator's own choices for these send p * p messages at once, also in the set-up.
_BY_ROUNDS = {"smpi/allgather": "rdb", "smpi/alltoall": "bruck"}


@dataclass(frozen=True)
class Cost:
    """What one launch took."""

    ranks: int
    resident_bytes: int
    clock_messages: int
    longest_record_bytes: int
    barrier_ns: float
    allreduce_ns: float

    @property
    def resident_bytes_per_rank(self) -> float:
        """Memory of the whole simulation over its ranks, the simulator's own part included."""
        return self.resident_bytes / self.ranks


def cost(ranks: int) -> Cost:
    """Simulate a launch whose ranks all have clocks of their own."""
    run = simulate(
        cluster(ranks, Link(1e-6, 10e9)),
        POINTS,
        settings=_BY_ROUNDS,
        plan={"clock_sharing": "none"},
        timeout_s=1800,
    )
    times = {point["point"]["operation"]: float(point["median_ns"]) for point in run.points}
    return Cost(
        ranks=ranks,
        resident_bytes=run.resident_bytes,
        clock_messages=int(run.start["global_clock"][0]["messages_per_rank"]),
        longest_record_bytes=max(len(json.dumps(record)) for record in run.points),
        barrier_ns=times["barrier"],
        allreduce_ns=times["allreduce"],
    )


def costs(rank_counts: Sequence[int]) -> list[Cost]:
    """Return the cost at each number of ranks."""
    return [cost(ranks) for ranks in rank_counts]


def grows_as_it_should(costs: Sequence[Cost]) -> bool:
    """Whether memory a rank and records are flat (within 10 %, and 300 bytes of listed ranks), messages O(log p)."""
    first, last = costs[0], costs[-1]
    rounds = [math.ceil(math.log2(cost.ranks)) for cost in (first, last)]
    return (
        last.resident_bytes_per_rank <= 1.1 * first.resident_bytes_per_rank
        and last.longest_record_bytes <= first.longest_record_bytes + 300
        and last.clock_messages / rounds[1] <= 1.01 * first.clock_messages / rounds[0]
    )
