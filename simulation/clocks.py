"""Global clocks beside the true time: known offsets and drifts, over paths that take longer one way than back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from simulation.platforms import Link, lopsided
from simulation.simulator import PlantedClock, simulate

RANKS = (2, 3, 5, 8, 13, 16)
FARTHEST_NS, FASTEST_PPM = 100_000_000_000, 50.0
UP, DOWN = Link(2e-6, 10e9), Link(1.5e-6, 10e9)
_ROUNDING_NS = 2.0  # a nanosecond for each clock that is compared
_HALF_ROUND_TRIP_NS = 0.5e9 * (UP.latency_s + DOWN.latency_s)
_BOUND_ALLOWANCE = 1.01  # for the bytes of a ping, and for the time until the bound is asked for


@dataclass(frozen=True)
class Clock:
    """What was said of one global clock, and how wrong it was."""

    method: str
    ranks: int
    messages: int
    true_error_ns: float
    bound_ns: float
    found_off_ns: float
    excess_ns: float
    closure_ns: float | None

    @property
    def holds(self) -> bool:
        """True if every rank's error was within the bound of that rank, and the bound no wider than pings leave it."""
        levels = math.floor(math.log2(self.ranks)) if self.method == "hca3" else 1
        provable_ns = _BOUND_ALLOWANCE * _HALF_ROUND_TRIP_NS * levels
        return self.excess_ns <= _ROUNDING_NS and self.bound_ns <= provable_ns


# What the way around three ranks of that network takes longer than the way back, halved.
CLOSURE_NS = 0.5e9 * (UP.latency_s - DOWN.latency_s)


def planted(ranks: int) -> list[PlantedClock]:
    """Return clocks up to 100 s apart that gain or lose up to 50 millionths; that of rank 0 is off too."""
    return [
        PlantedClock(round(FARTHEST_NS * math.sin(7 * rank + 1)), FASTEST_PPM * math.cos(3 * rank))
        for rank in range(ranks)
    ]


def clock(method: str, ranks: int, up: Link = UP, down: Link = DOWN) -> Clock:
    """Synchronise planted clocks."""
    plan = {"clock_sync": method}
    run = simulate(
        lopsided(ranks, up, down), [{"operation": "barrier", "reduce": "span"}], plan=plan, clocks=planted(ranks)
    )
    found = run.start["global_clock"][0]
    return Clock(
        method,
        ranks,
        int(found["messages_per_rank"]),
        float(found["true_error_ns"]),
        float(found["bound_ns"]),
        float(found["residual_ns"]),
        float(found["true_excess_ns"]),
        found["cycle"] and float(found["cycle"]["closure_ns"]),
    )


def clocks(rank_counts: Iterable[int] = RANKS) -> list[Clock]:
    """Return the clock of every number of ranks, and for comparison what one fit after the other gives."""
    return [*(clock("hca3", ranks) for ranks in rank_counts), clock("jk", 5)]
