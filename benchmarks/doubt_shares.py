"""How many series of `make steady` carry a doubt: without a plant, with one that passes, and with one that lasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchmarks.planted import PASSING
from groma.analysis.steadiness import ALARM_SHARE


@dataclass(frozen=True)
class Series:
    """One series of samples of one launch, whether it is in doubt, and what was planted into it."""

    library: str
    operation: str
    launch: int
    plant: str
    doubted: bool
    place: int = 0  # of several points with the same plant in a launch


@dataclass(frozen=True)
class Share:
    """How many series of a library and operation are in doubt, with the 95 % interval of their share.

    `planted` is `none`, `passing` (first calls, every tenth call) or `lasting` (phases, steps, drift). `alarms` of the
    `points` are in doubt in all launches, as the check counts before it looks at their intervals; None: not counted.
    """

    library: str
    operation: str
    planted: str
    doubted: int
    series: int
    low: float
    high: float
    alarms: int | None
    points: int

    @property
    def alarm_tells(self) -> bool:
        """True if the share that makes an alarm lies above what the library shows without a plant."""
        return self.planted != "none" or self.high < ALARM_SHARE


def share_of(launches: Sequence[Sequence[bool]]) -> tuple[int, int, float, float]:
    """Return how many series are in doubt, how many there are, and the interval of the share.

    Series of a launch are alike: together they are worth fewer. The interval is the exact one of a share, of as many
    independent series as have its variance over launches (Korn and Graubard 1998).
    """
    series, doubted = sum(map(len, launches)), sum(map(sum, launches))
    if not series:
        return 0, 0, 0.0, 1.0
    share = doubted / series
    worth = float(series)
    if len(launches) > 1 and 0 < share < 1:
        off = [sum(one) - share * len(one) for one in launches]
        variance = len(off) / (len(off) - 1) * float(np.square(off).sum()) / series**2
        worth = min(worth, share * (1 - share) / variance) if variance > 0 else worth
    low, high = stats.beta.ppf(
        [0.025, 0.975], [share * worth, share * worth + 1], [worth * (1 - share) + 1, worth * (1 - share)]
    )
    return doubted, series, 0.0 if doubted == 0 else float(low), 1.0 if doubted == series else float(high)


def shares(found: Iterable[Series]) -> list[Share]:
    """Return the shares of every library and operation, in the order in which they were found."""
    groups: dict[tuple[str, str], dict[str, list[Series]]] = {}
    for one in found:
        kinds = groups.setdefault((one.library, one.operation), {"none": [], "passing": [], "lasting": []})
        kinds[_kind(one.plant)].append(one)
    return [_share(*names, kind, series) for names, kinds in groups.items() for kind, series in kinds.items()]


def _share(library: str, operation: str, kind: str, series: Sequence[Series]) -> Share:
    launches: dict[int, list[bool]] = {}
    points: dict[tuple[str, int], list[bool]] = {}
    for one in series:
        launches.setdefault(one.launch, []).append(one.doubted)
        points.setdefault((one.plant, one.place), []).append(one.doubted)
    alarms = sum(sum(doubts) >= ALARM_SHARE * len(doubts) for doubts in points.values())
    doubted, count, low, high = share_of(list(launches.values()))
    return Share(library, operation, kind, doubted, count, low, high, alarms, len(points))


def _kind(plant: str) -> str:
    return "none" if plant == "none" else "passing" if plant in PASSING else "lasting"
