"""The checks of a run's clocks, and of the starts of repetitions that depend on them.

Repetitions and intervals do not show the possible error of a figure by the global clock (docs/adr/0014).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis.grouping import meaning
from groma.analysis.runtable import Rows, derived
from groma.analysis.summary import PointSummary, where
from groma.results import Launch
from groma.results.instruments import Clock, Cycle
from groma.text.checks import Check
from groma.text.counts import counted

# Above this share a figure is marked, and the method that needs no global clock is suggested.
CLOCK_SHARE_LIMIT = 0.1
WITHOUT_CLOCK = "--set sync=barrier --set reduce=max"

STEP_LIMIT = 0.02
OVERHEAD_LIMIT = 0.1
BLOCKS = "--set timing=block"
INVALID_SHARE_LIMIT = 0.05
BARRIER_SKEW_LIMIT = 0.1

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


def clock(started: list[Launch], summaries: list[PointSummary]) -> Check:
    """Say how coarse the clock is, how much of a figure is measuring overhead, and what to do if that is much."""
    start = started[0].start
    used = {str(summary.point.get("clock", "monotonic")) for summary in summaries}
    clocks = [clock for clock in start.clocks if clock.name in used and clock.read_ns] if start else []
    if not clocks or start is None or start.harness is None or not summaries:
        return Check("clock", "unknown", "The records do not describe the clock.")
    coarsest = max(clocks, key=lambda clock: clock.resolution_ns or 0.0)
    step_ns = coarsest.resolution_ns or 0.0
    shortest = min(summaries, key=lambda summary: summary.sample_ns)
    step = step_ns / shortest.sample_ns if shortest.sample_ns > 0 else 1.0
    shares = {one: one.number("overhead_ns") / one.time_ns if one.time_ns > 0 else 0.0 for one in summaries}
    worst = max(summaries, key=lambda summary: shares[summary])
    text = (
        f"{coarsest.name}: steps of {step_ns:.4g} ns, {step:.1%} of the shortest sample ({where(shortest)}); "
        f"measuring overhead at most {shares[worst]:.1%} ({where(worst)})."
    )
    coarse, costly = step > STEP_LIMIT, shares[worst] > OVERHEAD_LIMIT
    remedies = [_finer(coarsest, start.clocks, shortest)] if coarse else []
    remedies += [_cheaper(worst)] if costly else []
    if not remedies:
        return Check("clock", "good", text)
    said = [text, "Both are part of the printed uncertainty.", *dict.fromkeys(remedies)]
    return Check("clock", "warn", " ".join(said))


def _finer(coarsest: Clock, clocks: list[Clock], shortest: PointSummary) -> str:
    """Say how the steps of the clock become a smaller part of the shortest sample."""
    finest = min((clock for clock in clocks if clock.resolution_ns), key=lambda clock: clock.resolution_ns or 0.0)
    if (finest.resolution_ns or 0.0) < (coarsest.resolution_ns or 0.0) / 2:
        return f"--set clock={finest.name} has steps of {finest.resolution_ns:.4g} ns."
    return _cheaper(shortest)


def _cheaper(point: PointSummary) -> str:
    """Say how stamps become a smaller part of a figure."""
    if point.point.get("timing") in ("call", "cycle") and not meaning(point.point).phases:
        return f"{BLOCKS} takes two stamps for many calls."
    return f"A call as short as the loop around it cannot be measured better ({where(point)})."


def global_clock(started: list[Launch], summaries: list[PointSummary]) -> list[Check]:
    """Check the global clock, if a point needed one."""
    clocked = [summary for summary in summaries if _is_clocked(summary.rows).any()]
    if not clocked:
        return []
    before, after, bounds, limits = (
        np.concatenate([summary.rows[f"clock_{name}_ns"] for summary in clocked])
        for name in ("before", "after", "bound", "limit")
    )
    worst, bound = float(np.nanmax([before, after])), float(np.nanmax(bounds))
    if worst == bound == 0:
        return [Check("global clock", "good", "One shared clock: no skew.")]
    shares = {summary: share for summary in clocked if (share := summary.value("clock_share")) is not None}
    text = f"measured error at most {worst:.0f} ns, error bound {bound:.0f} ns{_of_figures(shares)}"
    text += _clocks_learned(started)
    uneven = uneven_paths(started)
    text += f"; {uneven.words()}" if uneven else ""
    methods = sorted({made.method for launch in started if launch.start for made in launch.start.global_clock})
    text = f"{', '.join(methods)}: {text}" if methods else text.capitalize()
    broken = [summary for summary in clocked if (summary.rows["clock_valid"] == 0).any()]
    if broken:
        limit = f"more than max_clock_error_us allows, in {counted(len(broken), 'point')} ({where(broken[0])}, ...)"
        return [Check("global clock", "bad", f"{text}: {limit}.")]
    limit_ns = float(np.min(limits[~np.isnan(limits)], initial=math.inf))
    doubt = _clock_doubt(shares, uneven, limit_ns)
    if not doubt:
        return [Check("global clock", "good", f"{text}.")]
    remedy = f"Pings cannot detect a path that is slower one way than back; {WITHOUT_CLOCK} needs no global clock"
    return [Check("global clock", "warn", f"{text}: {doubt}. {remedy}.")]


@derived
def _is_clocked(rows: Rows) -> NDArray[np.bool_]:
    return ~np.isnan(rows["clock_bound_ns"])


def _clock_doubt(shares: dict[PointSummary, float], uneven: UnevenPaths | None, limit_ns: float) -> str:
    """Say why figures that depend on the clock are doubtful although it kept its limit; empty if none is."""
    doubtful = sum(share > CLOCK_SHARE_LIMIT for share in shares.values())
    if doubtful:
        return f"more than {CLOCK_SHARE_LIMIT:.0%} of the figure in {counted(doubtful, 'point')}"
    if shares and uneven is not None and uneven.hidden_ns > limit_ns:
        return "a clock synchronised over that path has an error above max_clock_error_us"
    return ""


def _of_figures(shares: dict[PointSummary, float]) -> str:
    """Return the largest share of a figure that the error bound makes up, among figures that depend on the clock."""
    if not shares:
        return ""
    worst = max(shares, key=lambda summary: shares[summary])
    share = f"{shares[worst]:.1%} of a figure" if shares[worst] < 1 else f"{shares[worst]:.3g} times a figure"
    return f", up to {share} ({where(worst)})"


def _clocks_learned(started: list[Launch]) -> str:
    """Say how fast the clocks drifted apart, and how often one was resynchronised."""
    outcomes = [outcome for launch in started if launch.end for outcome in launch.end.global_clock]
    if not outcomes:
        return ""
    drift_ppm = max(abs(outcome.drift_ppm) for outcome in outcomes)
    resyncs = sum(outcome.synchronised - 1 for outcome in outcomes)
    return f"; drift of up to {drift_ppm:.3g} ppm" + (f", resynchronised {counted(resyncs, 'time')}" if resyncs else "")


def start_deadlines(summaries: list[PointSummary]) -> list[Check]:
    """Say how many start deadlines were missed, if ranks start by the clock."""
    paced = [summary for summary in summaries if summary.point.get("sync") in {"window", "roundtime"}]
    if not paced:
        return []
    worst = max(paced, key=lambda summary: summary.value("invalid_share") or 0.0)
    share = worst.value("invalid_share") or 0.0
    text = f"At most {share:.1%} of a point's repetitions began late or overran ({where(worst)}); discarded."
    return [Check("start deadlines", "warn" if share > INVALID_SHARE_LIMIT else "good", text)]


def barrier(summaries: list[PointSummary]) -> list[Check]:
    """Say how far apart the ranks left MPI_Barrier, relative to the time measured after it (sync=barrier)."""
    shares = {
        summary: skew_ns / summary.sample_ns
        for summary in summaries
        if summary.point.get("sync") == "barrier" and summary.sample_ns > 0
        if (skew_ns := summary.value("arrival_skew_ns")) is not None
    }
    if not shares:
        return []
    worst = max(shares, key=lambda summary: shares[summary])
    doubt_ns = clock_doubt_ns(worst)
    skew_ns = worst.value("arrival_skew_ns") or 0.0
    uncertainty = f" ±{_microseconds(doubt_ns)} by the global clock" if doubt_ns else ""
    text = (
        f"Ranks left MPI_Barrier up to {_microseconds(skew_ns)} µs apart (median){uncertainty}, "
        f"{shares[worst]:.1%} of the time measured after it ({where(worst)})."
    )
    return [Check("barrier", "warn" if shares[worst] > BARRIER_SKEW_LIMIT else "good", text)]


def _microseconds(time_ns: float) -> str:
    return f"{time_ns / 1000:{'.3g' if time_ns < 1e6 else '.0f'}}"
