"""The ten figures that HPC Challenge makes of latency and bandwidth, a value for each launch.

A ping-pong is half of a round trip. In a ring every rank sends a message to both neighbours and receives one from each:
half of the time of that is the latency, a message over it the bandwidth of one rank. Of the pairs there are smallest,
mean and largest; of the random rings the geometric mean of the times (Rabenseifner, Tiyyagura and Müller, Network
bandwidth measurements and ratio analysis with the HPC Challenge benchmark suite, 2005).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, geometric_mean

from groma.analysis import PointSummary, summarise
from groma.analysis.compare import by_round
from groma.analysis.order import Median
from groma.results import Run, load_run

PINGPONG = "pingpong"
PAIRS, RINGS = "pairs", "rings"  # the stages of a run
SHORT, LONG = 8, 2_000_000
NATURAL = "all"

Times = dict[int, float]  # in nanoseconds, by launch


@dataclass(frozen=True)
class Rings:
    """A message to each neighbour, in nanoseconds, by launch: natural order, and the mean of the random orders."""

    natural: Times
    random: Times


@dataclass(frozen=True)
class HpccTimes:
    """A run's times of the test, by length: of each ordered pair of ranks, and of the rings."""

    pairs: dict[int, dict[tuple[int, int], Times]]
    rings: dict[int, Rings]


def measured(run: Run) -> HpccTimes:
    """Return the test's times from the stages of a run."""
    pairs: dict[int, dict[tuple[int, int], Times]] = defaultdict(dict)
    for point in _stage(run, PAIRS):
        first, second = point.members[:2]
        pairs[point.bytes or 0][first, second] = by_round(point)
    ways: dict[int, dict[str, list[Times]]] = defaultdict(lambda: defaultdict(list))
    for point in _stage(run, RINGS):
        halves = {at: time / 2 for at, time in by_round(point).items()}
        ways[point.bytes or 0][str(point.point["pattern"])].append(halves)
    rings = {size: found for size, orders in ways.items() if (found := _rings(orders))}
    return HpccTimes(dict(pairs), rings)


def _stage(run: Run, name: str) -> list[PointSummary]:
    folder = run.path / name
    return summarise(load_run(folder)) if (folder / "run.json").is_file() else []


def _rings(ways: Mapping[str, Sequence[Times]]) -> Rings | None:
    """Return the faster way in each order of the ranks; None if an order is lacking."""
    orders = {pattern: _by_launch(min, found) for pattern, found in ways.items()}
    natural = orders.pop(NATURAL, {})
    random = _by_launch(geometric_mean, list(orders.values()))
    return Rings(natural, random) if natural and random else None


def figures(found: HpccTimes) -> dict[str, Median]:
    """Return the figures by their names in HPC Challenge, in microseconds and GB/s; without those that are lacking."""
    launches: dict[str, list[float]] = {}
    for size, name, figure in ((SHORT, "Latency_usec", _microseconds), (LONG, "Bandwidth_GBytes", _gigabytes)):
        pairs = [{at: figure(time) for at, time in times.items()} for times in found.pairs.get(size, {}).values()]
        for word, statistic in (("Max", max), ("Min", min), ("Avg", fmean)):
            launches[f"{word}PingPong{name}"] = list(_by_launch(statistic, pairs).values())
        if size in found.rings:
            rings = found.rings[size]
            launches[f"NaturallyOrderedRing{name}"] = [figure(time) for time in rings.natural.values()]
            launches[f"RandomlyOrderedRing{name}"] = [figure(time) for time in rings.random.values()]
    return {name: Median.of(values) for name, values in launches.items() if values}


def _by_launch(statistic: Callable[[list[float]], float], parts: Sequence[Mapping[int, float]]) -> Times:
    """Return the statistic of the values of all parts, in every launch that has all of them."""
    common = set.intersection(*map(set, parts)) if parts else set()
    return {at: statistic([part[at] for part in parts]) for at in sorted(common)}


def _microseconds(time_ns: float) -> float:
    return time_ns / 1e3


def _gigabytes(time_ns: float) -> float:
    return LONG / time_ns
