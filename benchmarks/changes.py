"""Counts how often `groma history` reports a change although nothing changed, and how often it finds a planted one.

Histories are simulated. Figures of runs are lognormal around a level, by half alike in all series, and runs next to
each other may be correlated. One run of twenty may be disturbed and take about 10 % longer. In the planted histories
one series takes 3, 5, 10 or 25 % longer from two thirds of the runs on. Exit code 0 if at most 5 % of the histories
of each kind without a change report one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.chart import curves
from benchmarks.page import Page, Study, written
from groma.analysis.changes.changes import LevelChange, find_changes
from groma.analysis.changes.dependence import RunSeries
from groma.text.charts.axes import even
from groma.text.numbers import DASH

PLANTED = (0.0, 0.03, 0.05, 0.10, 0.25)
RULE, RULE_RUNS = 1.10, 5
NEAR = 5  # runs: a change that is reported farther off than this is another one
DISTURBED = 0.1
ALLOWED = 0.05


@dataclass(frozen=True)
class Machine:
    """How much runs differ (one sigma, relative), how alike neighbours are, and what share of runs is disturbed."""

    runs: float
    likeness: float = 0.0
    disturbed: float = 0.0
    series: int = 20
    length: int = 60
    changed: int = 40
    common: float = 0.5

    def __str__(self) -> str:
        notes = [f"correlation {self.likeness:g}"] if self.likeness else []
        notes += [f"{self.disturbed:.0%} of runs disturbed"] if self.disturbed else []
        series = "1 series" if self.series == 1 else f"{self.series} series"
        return ", ".join([f"runs differ by {self.runs:.0%}", *notes, f"{series} of {self.length} runs"])


@dataclass(frozen=True)
class Counted:
    """Of the histories with one planted change: the shares in which it was found, and in which another was reported.

    `machine` is what was simulated, `off` the mean distance of the reported date from the true one in runs, `covered`
    and `dated` how often ratio and date lay in their intervals (None if nothing was found), `by_rule` how often the
    rule of 10 % alarmed.
    """

    machine: str
    planted: float
    histories: int
    found: float
    other: float
    off: float | None
    covered: float | None
    dated: float | None
    by_rule: float


MACHINES = (
    Machine(0.01),
    Machine(0.02),
    Machine(0.02, likeness=0.3),
    Machine(0.02, likeness=0.6),
    Machine(0.02, disturbed=0.05),
    Machine(0.05),
    Machine(0.02, length=20, changed=14),
    Machine(0.02, likeness=0.6, length=20, changed=14),
    Machine(0.02, series=1),
)


def noise(machine: Machine, random: np.random.Generator) -> NDArray[np.float64]:
    """Return neighbours with the machine's correlation, with a standard deviation of 1."""
    values = random.normal(0, 1, machine.length)
    fresh = np.sqrt(1 - machine.likeness**2)
    for at in range(1, machine.length):
        values[at] = machine.likeness * values[at - 1] + fresh * values[at]
    return values


def history(machine: Machine, random: np.random.Generator, planted: float = 0.0) -> list[NDArray[np.float64]]:
    """Return the logarithms of every series; the first is slower by `planted` from the run `changed` on."""
    common = noise(machine, random)
    found = []
    for _ in range(machine.series):
        own = machine.runs * (machine.common**0.5 * common + (1 - machine.common) ** 0.5 * noise(machine, random))
        disturbed = random.random(machine.length) < machine.disturbed
        found.append(own + disturbed * random.exponential(DISTURBED, machine.length))
    found[0][machine.changed :] += np.log1p(planted)
    return found


def counted(machine: Machine, planted: float, histories: int, seed: int = 28) -> Counted:
    """Simulate histories and count what is reported."""
    random = np.random.default_rng([seed, round(1000 * planted)])
    hits: list[LevelChange] = []
    other = by_rule = 0
    for _ in range(histories):
        logs = history(machine, random, planted)
        levels = find_changes([[RunSeries(series) for series in logs]])[0]
        own = [one for one in levels[0].changes if planted and abs(one.at - machine.changed) <= NEAR]
        hits += own[:1]
        other += sum(len(level.changes) for level in levels) > len(own[:1])
        by_rule += any(map(alarms_by_rule, logs[:1] if planted else logs))
    true = np.log1p(planted)
    return Counted(
        machine=str(machine),
        planted=planted,
        histories=histories,
        found=len(hits) / histories,
        other=other / histories,
        off=_mean(abs(one.at - machine.changed) for one in hits),
        covered=_mean(true in one.interval for one in hits),
        dated=_mean(one.earliest <= machine.changed <= one.latest for one in hits),
        by_rule=by_rule / histories,
    )


def alarms_by_rule(logs: NDArray[np.float64]) -> bool:
    """Return whether a run takes 10 % longer than the mean of the runs before it."""
    times = np.exp(logs)
    before = np.convolve(times, np.full(RULE_RUNS, 1 / RULE_RUNS), "valid")[:-1]
    return bool((times[RULE_RUNS:] > RULE * before).any())


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return float(np.mean(known)) if known else None


def page(found: Sequence[Counted]) -> Page:
    """Return docs/changes.md."""
    kinds: dict[str, dict[float, Counted]] = {}
    for one in found:
        kinds.setdefault(one.machine, {})[one.planted] = one
    equal = [one for one in found if not one.planted]
    shifts = sorted({one.planted for one in found if one.planted})
    return Page(
        chart=_chart({name: kind for name, kind in kinds.items() if "20 series of 60" in name}, shifts),
        headings=["simulated", "false alarms", *(f"{shift:.0%} found" for shift in shifts), "rule's false alarms"],
        rows=[
            [
                name,
                *(f"{share:.0%}" for share in (kind[0.0].other, *(kind[at].found for at in shifts), kind[0.0].by_rule)),
            ]
            for name, kind in kinds.items()
        ],
        words={
            "wrong": max(one.other for one in equal),
            "rule": max(one.by_rule for one in equal),
            "allowed": ALLOWED,
            "found": _range(kind[0.10].found for kind in kinds.values()),
            "covered": _range(kind[0.10].covered for kind in kinds.values()),
            "histories": found[0].histories,
            "near": NEAR,
        },
    )


def _chart(kinds: Mapping[str, Mapping[float, Counted]], shifts: Sequence[float]) -> str:
    lines = {
        name.removesuffix(", 20 series of 60 runs"): [(100 * shift, 100 * kind[shift].found) for shift in shifts]
        for name, kind in kinds.items()
    }
    x = even("planted change, %", 0, 100 * max(shifts))
    return curves(lines, x, even("histories in which it is found, %", 0, 100), "Planted changes that are found")


def _range(shares: Iterable[float | None]) -> str:
    """Return `20 to 100 %`."""
    known = [share for share in shares if share is not None]
    return f"{100 * min(known):.0f} to {max(known):.0%}" if known else DASH


STUDY = Study("changes", {"changes": Counted}, page)


@click.command(help=__doc__)
@click.option("--histories", default=100, show_default=True, type=click.IntRange(min=1), help="Histories of each kind.")
@written
def main(*, histories: int, docs: Path | None) -> None:
    """Simulate, print the page, judge."""
    found = [counted(machine, planted, histories) for machine in MACHINES for planted in PLANTED]
    STUDY.publish([found], docs)
    sys.exit(1 if any(one.other > ALLOWED for one in found if not one.planted) else 0)


if __name__ == "__main__":
    main()
