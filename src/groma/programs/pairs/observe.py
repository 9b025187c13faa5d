"""What the stages of a run measured: the times of all pairs, by stage and quantity, in logarithms of seconds.

A pair is known by two units, numbered from 0 in the order of their first ranks: nodes if the ranks are on several,
otherwise ranks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.programs.pairs.fit import Fit, fit
from groma.results import Launch, Run
from groma.results.records import Point

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

PATTERN = "list="
SYMMETRIC = "pingpong"  # operations whose name begins so take the way there and back; others are timed by the sender
STAGES = ("screen", "suspects", "alone", "later")


@dataclass(frozen=True)
class Units:
    """The units of the pairs: nodes or ranks, their names, and the rank that measures for each."""

    kind: str
    names: tuple[str, ...]
    ranks: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.names)

    @property
    def one(self) -> str:
        """What one of them is."""
        return self.kind.removesuffix("s")


@dataclass(frozen=True, eq=False)
class Edges:
    """Pairs and their times: a row for every launch, a column for every pair, NaN if it has no figure.

    If `symmetric`, a pair stands for both directions, and its first unit has the smaller number.
    """

    quantity: str
    symmetric: bool
    senders: Places
    receivers: Places
    log_s: Floats

    def pairs(self) -> list[tuple[int, int]]:
        """Return sender and receiver of every pair."""
        return list(zip(self.senders.tolist(), self.receivers.tolist(), strict=True))

    def medians(self) -> Floats:
        """Return the median over launches of each pair."""
        return np.asarray(np.nanmedian(self.log_s, axis=0))

    def fit(self, units: int, log_s: Floats | None = None) -> Fit:
        """Return the parts of these times, else of the medians; `units` is the number of units."""
        times = self.medians() if log_s is None else log_s
        return fit(units, self.senders, self.receivers, times, symmetric=self.symmetric)

    def launches(self) -> list[Floats]:
        """Return the times of each launch that has all pairs."""
        return [row for row in self.log_s if np.isfinite(row).all()]


@dataclass(frozen=True, eq=False)
class Phase:
    """One stage as measured: its pairs by quantity (such as `pingpong 8 B`), and when it began and ended, ISO 8601."""

    name: str
    edges: dict[str, Edges]
    began: str
    ended: str

    @property
    def tests(self) -> int:
        """How many effects a unit has: one of a round trip, and two of what its sender times."""
        return sum(1 if edges.symmetric else 2 for edges in self.edges.values())


def units_of(run: Run) -> Units:
    """Return the units of a run; none if no launch recorded who took part."""
    launch = next((launch for launch in run.launches if launch.nodes is not None and launch.start), None)
    if launch is None or launch.nodes is None:
        return Units("ranks", (), ())
    first = _first_ranks(launch)
    if len(first) > 1:
        return Units(
            "nodes", tuple(_distinct([launch.nodes.nodes[node].name for node in first])), tuple(first.values())
        )
    ranks = sorted(place.rank for place in launch.nodes.ranks)
    return Units("ranks", tuple(f"rank {rank}" for rank in ranks), tuple(ranks))


def _first_ranks(launch: Launch) -> dict[int, int]:
    """Return the first rank of each node of a launch, in the order of these ranks."""
    first: dict[int, int] = {}
    for place in sorted(launch.nodes.ranks if launch.nodes else [], key=lambda one: one.rank):
        first.setdefault(place.node, place.rank)
    return first


def _distinct(names: list[str]) -> list[str]:
    """Return the names, numbered if several nodes have the same."""
    often, seen = Counter(names), Counter[str]()
    result = []
    for name in names:
        seen[name] += 1
        result.append(f"{name}#{seen[name]}" if often[name] > 1 else name)
    return result


def phase_of(name: str, run: Run, units: Units) -> Phase:
    """Return the pairs of one stage, which is a run; points of other patterns are left out."""
    found: dict[str, list[dict[tuple[int, int], float]]] = defaultdict(list)
    symmetric: dict[str, bool] = {}
    for launch in run.launches:
        places = _places(launch, units)
        of_launch: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
        for record in launch.points:
            if str(record.point["pattern"]).startswith(PATTERN) and places is not None:
                quantity = f"{record.point['operation']} {record.message_bytes} B"
                symmetric[quantity] = str(record.point["operation"]).startswith(SYMMETRIC)
                of_launch[quantity] |= _times(record, places, symmetric=symmetric[quantity])
        for quantity, times in of_launch.items():
            found[quantity].append(times)
    edges = {quantity: _edges(quantity, rows, symmetric=symmetric[quantity]) for quantity, rows in found.items()}
    return Phase(name, dict(sorted(edges.items())), run.meta.created, run.meta.finished or run.meta.created)


def _places(launch: Launch, units: Units) -> Mapping[int, int] | None:
    """Return the unit of each rank that a list of this launch names; None if it ran on other nodes."""
    by_rank = {rank: unit for unit, rank in enumerate(units.ranks)}
    if units.kind == "ranks":
        return by_rank if launch.ranks == units.count else None
    first = _first_ranks(launch)
    names = _distinct([launch.nodes.nodes[node].name for node in first]) if launch.nodes else []
    return by_rank if tuple(names) == units.names and tuple(first.values()) == units.ranks else None


def _times(record: Point, places: Mapping[int, int], *, symmetric: bool) -> dict[tuple[int, int], float]:
    """Return the log time of every pair of a point, by the median of its sender's samples."""
    members = [places[int(word)] for word in str(record.point["pattern"]).removeprefix(PATTERN).split(",")]
    per_figure_s = 1e-9 / (record.repetitions_per_sample * record.divisor)
    rows = (record.ranks_ns or [])[::2]
    times = {}
    for pair, samples in zip(zip(members[::2], members[1::2], strict=True), rows, strict=True):
        median_s = float(np.median(samples)) * per_figure_s
        if median_s > 0:
            times[(min(pair), max(pair)) if symmetric else pair] = float(np.log(median_s))
    return times


def _edges(quantity: str, rows: list[dict[tuple[int, int], float]], *, symmetric: bool) -> Edges:
    pairs = sorted({pair for row in rows for pair in row})
    log_s = np.array([[row.get(pair, np.nan) for pair in pairs] for row in rows])
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Edges(quantity, symmetric, ends[:, 0], ends[:, 1], log_s)
