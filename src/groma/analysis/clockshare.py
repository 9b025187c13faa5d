"""The possible error of a figure by the global clock, which repetitions and intervals do not show (docs/adr/0014)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groma.analysis.summary import PointSummary
from groma.results import Launch
from groma.results.instruments import Cycle

# Above this share a figure is marked, and the method that needs no global clock is suggested.
CLOCK_SHARE_LIMIT = 0.1
WITHOUT_CLOCK = "--set sync=barrier --set reduce=max"

_ACROSS_RANKS = frozenset({"span", "post_arrival"})
_BY_THE_CLOCK = frozenset({"window", "roundtime"})


def rests_on_clock(point: Mapping[str, Any]) -> bool:
    """Return whether the figure compares times of different ranks, or is of ranks that start by a common clock."""
    return point.get("reduce") in _ACROSS_RANKS or point.get("sync") in _BY_THE_CLOCK


def clock_doubt_ns(summary: PointSummary) -> float | None:
    """Return how far two ranks' clocks may differ, in ns: the median over launches; None without a global clock."""
    bound_ns = summary.value("clock_bound_ns")
    return None if bound_ns is None else bound_ns * (2 if summary.member_count > 2 else 1)


@dataclass(frozen=True)
class UnevenPaths:
    """Three ranks, between two of which a message takes at least `longer_ns` longer one way than back."""

    hosts: tuple[str, ...]
    longer_ns: float

    @property
    def hidden_ns(self) -> float:
        """The least error of the offset between two clocks that pings over such a path measure."""
        return self.longer_ns / 2

    def words(self) -> str:
        """Return what is known of the paths, as a clause."""
        names = f"{', '.join(self.hosts[:-1])} and {self.hosts[-1]}"
        return f"a path between {names} takes at least {self.longer_ns:.0f} ns longer one way than back"


def uneven_paths(started: Sequence[Launch]) -> UnevenPaths | None:
    """Return what pings around three ranks showed, by the variant with the most uneven paths; None if nothing.

    Of a variant's launches, the one with the median of the certain part is used. The sum around three ranks consists of
    three errors, so at least one of them is a third of it or more. An error is half of the difference between the two
    directions of a path.
    """
    cycles: dict[str | None, list[tuple[float, Launch, Cycle]]] = {}
    for launch in started:
        for clock in launch.start.global_clock if launch.start else []:
            if clock.cycle is not None:
                cycles.setdefault(launch.variant, []).append((clock.cycle.least_ns, launch, clock.cycle))
    middles = [sorted(entries, key=lambda entry: entry[0])[(len(entries) - 1) // 2] for entries in cycles.values()]
    if not middles:
        return None
    least_ns, launch, cycle = max(middles, key=lambda entry: entry[0])
    return UnevenPaths(_hosts(launch, cycle), least_ns * 2 / 3) if least_ns > 0 else None


def _hosts(launch: Launch, cycle: Cycle) -> tuple[str, ...]:
    """Return the hosts of a cycle's ranks; the ranks themselves where hosts are not known, or are not three."""
    if launch.nodes is not None:
        node_of = {place.rank: launch.nodes.nodes[place.node].name for place in launch.nodes.ranks}
        names = tuple(node_of.get(rank, "") for rank in cycle.ranks)
        if len(set(names)) == len(names):
            return names
    return tuple(f"rank {rank}" for rank in cycle.ranks)
