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
    """How many of so many series are in doubt, with the 95 % interval of their share."""

    doubted: int
    series: int
    low: float
    high: float

    def __str__(self) -> str:
        if not self.series:
            return "not measured"
        return f"{self.doubted} of {self.series} ({100 * self.low:.0f} to {100 * self.high:.0f} %)"


def share_of(launches: Sequence[Sequence[bool]]) -> Share:
    """Return the share of series in doubt. Those of a launch are alike: together they are worth fewer.

    The exact interval of a share, of as many independent series as have its variance over launches (Korn and Graubard
    1998).
    """
    series, doubted = sum(map(len, launches)), sum(map(sum, launches))
    if not series:
        return Share(0, 0, 0.0, 1.0)
    share = doubted / series
    worth = float(series)
    if len(launches) > 1 and 0 < share < 1:
        off = [sum(one) - share * len(one) for one in launches]
        variance = len(off) / (len(off) - 1) * float(np.square(off).sum()) / series**2
        worth = min(worth, share * (1 - share) / variance) if variance > 0 else worth
    low, high = stats.beta.ppf(
        [0.025, 0.975], [share * worth, share * worth + 1], [worth * (1 - share) + 1, worth * (1 - share)]
    )
    return Share(doubted, series, 0.0 if doubted == 0 else float(low), 1.0 if doubted == series else float(high))


@dataclass(frozen=True)
class Shares:
    """The shares of one library and operation."""

    library: str
    operation: str
    unplanted: Share
    passing: Share
    lasting: Share
    unplanted_alarms: str
    lasting_alarms: str

    @property
    def alarm_tells(self) -> bool:
        """Whether the share that makes an alarm lies above what the library shows without a plant."""
        return self.unplanted.high < ALARM_SHARE


def shares(found: Iterable[Series]) -> list[Shares]:
    """Return the shares of every library and operation, in the order in which they were found."""
    groups: dict[tuple[str, str], list[Series]] = {}
    for one in found:
        groups.setdefault((one.library, one.operation), []).append(one)
    return [
        Shares(*names, *_three(group), _alarms(group, "none"), _alarms(group, "lasting"))
        for names, group in groups.items()
    ]


def _alarms(group: Sequence[Series], kind: str) -> str:
    """Return how many points are in doubt in all launches, as the check counts before it looks at their intervals."""
    points: dict[tuple[str, int], list[bool]] = {}
    for one in group:
        if _kind(one.plant) == kind:
            points.setdefault((one.plant, one.place), []).append(one.doubted)
    alarms = sum(sum(launches) >= ALARM_SHARE * len(launches) for launches in points.values())
    return f"{alarms} of {len(points)}"


def _three(group: Sequence[Series]) -> Iterable[Share]:
    for kind in ("none", "passing", "lasting"):
        by_launch: dict[int, list[bool]] = {}
        for one in group:
            if _kind(one.plant) == kind:
                by_launch.setdefault(one.launch, []).append(one.doubted)
        yield share_of(list(by_launch.values()))


def _kind(plant: str) -> str:
    return "none" if plant == "none" else "passing" if plant in PASSING else "lasting"


def section(rows: Sequence[Shares]) -> list[str]:
    """Return the lines of the page: a sentence and a Markdown table."""
    cells = [
        (
            "library",
            "operation",
            "no plant",
            "first calls, every tenth call",
            "phases, steps, drift",
            "points in alarm, no plant",
            "phases, steps, drift",
        ),
        ("---", "---", *["--:"] * 5),
        *(
            (
                row.library,
                row.operation,
                str(row.unplanted),
                str(row.passing),
                str(row.lasting),
                row.unplanted_alarms,
                row.lasting_alarms,
            )
            for row in rows
        ),
    ]
    return [
        "## Series in doubt",
        "",
        "How many series of samples are in doubt by the record of their launch, with the 95 % interval of their share:",
        "the exact one, of as many independent series as have the variance of the share over launches (Korn and",
        "Graubard 1998). Phases of a disturbed machine are doubts without a plant.",
        "",
        _sentence(rows),
        "",
        *("| " + " | ".join(line) + " |" for line in cells),
    ]


def _sentence(rows: Sequence[Shares]) -> str:
    """Say whether the alarm lies above what was found without a plant."""
    most = max(rows, key=lambda row: row.unplanted.high)
    text = (
        f"The check is an alarm if {ALARM_SHARE:.0%} of a point's launches are in doubt. Without a plant the upper "
        f"end is at most {100 * most.unplanted.high:.0f} % ({most.library}, {most.operation})"
    )
    below = [f"{row.library}, {row.operation}" for row in rows if not row.alarm_tells]
    return f"{text}: **the alarm says nothing on {'; '.join(below)}.**" if below else f"{text}: the alarm lies above."
