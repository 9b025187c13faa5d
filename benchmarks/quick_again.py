"""Runs `groma quick` repeatedly, and counts how often a headline figure lies outside the interval of another run.

Every interval is the one that the run printed, by the runs before it. All ordered pairs of runs in one state of the
machine count. Exit code 0 if at most 5 % of the figures lie outside, or the bootstrap interval of that share over runs
contains 5 %, and the median half width of the intervals is at most twice the spread of the runs: the range of their
figures, relative to the median.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, checks, headlines, summarise
from groma.analysis.machinestate import line_times, machine_states
from groma.analysis.otherruns import key, other_runs_of
from groma.report.figures import figures_of
from groma.report.lastruns import answer_of
from groma.results import load_run

ALLOWED, WIDEST = 0.05, 2.0
RESAMPLES = 2000


class Printed(msgspec.Struct, frozen=True):
    """A headline figure as a run printed it: its time and the ends of its interval in ns, and the runs known then."""

    title: str
    point: str
    ns: float
    low_ns: float
    high_ns: float
    runs: int


class Again(msgspec.Struct, frozen=True):
    """One run: its answer, headline figures, times of a cache line (ns), and the times of all its points (ns)."""

    answer: str
    printed: list[Printed]
    lines_ns: list[float]
    times_ns: dict[str, float]


@dataclass(frozen=True)
class Found:
    """Which intervals (run by other run) left out the other run's figure, NaN if not compared; half widths, spread."""

    title: str
    outside: NDArray[np.float64]
    half_width: float
    spread: float


def made(folder: Path, number: int) -> Again:
    """Return what a run printed; it is made if the folder lacks it."""
    path, kept = folder / f"quick-{number:03d}", folder / f"quick-{number:03d}.json"
    if not kept.exists():
        command = [str(Path(sys.executable).parent / "groma"), "quick", "-o", str(path)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise click.ClickException(f"run {number} ended with {finished.returncode}:\n{finished.stderr}")
        kept.write_bytes(msgspec.json.encode(seen(path)))
    return msgspec.json.decode(kept.read_bytes(), type=Again)


def seen(path: Path) -> Again:
    """Return what a run prints beside the runs that are there now."""
    run = load_run(path)
    summaries = summarise(run)
    chosen, others = headlines(summaries), other_runs_of(run)
    lines = np.concatenate([line_times(one.summary.rows).ravel() for one in chosen])
    printed = [
        Printed(one.title, _name(one.summary), one.summary.time_ns, *ends, shown.another.runs)
        for one, shown in zip(chosen, figures_of(summaries, others), strict=True)
        if shown.another and shown.of_time and (ends := (shown.of_time.low, shown.of_time.high))
    ]
    return Again(
        answer_of(run, summaries, checks(run, summaries), others).text,
        printed,
        lines[~np.isnan(lines)].tolist(),
        {_name(one): one.time_ns for one in summaries},
    )


def _name(summary: PointSummary) -> str:
    return key(summary.ranks, summary.variant, summary.point)


def states_of(runs: list[Again]) -> list[int]:
    """Return the number of the state of the machine in which most of each run's times of a cache line lie."""
    states = machine_states([ns for run in runs for ns in run.lines_ns])
    if not states:
        return [0] * len(runs)
    return [int(np.argmax([state.holds(run.lines_ns).sum() for state in states])) for run in runs]


def compare(runs: list[Again]) -> list[Found]:
    """Return for every headline figure which intervals hold in which other runs."""
    states, found = states_of(runs), []
    for title in dict.fromkeys(one.title for run in runs for one in run.printed):
        own = [next((one for one in run.printed if one.title == title), None) for run in runs]
        outside = np.full((len(runs), len(runs)), np.nan)
        for at, shown in enumerate(own):
            for other, run in enumerate(runs):
                if shown and other != at and states[at] == states[other] and shown.point in run.times_ns:
                    outside[at, other] = not shown.low_ns <= run.times_ns[shown.point] <= shown.high_ns
        known = [one for one in own if one]
        widths = [max(one.high_ns - one.ns, one.ns - one.low_ns) / one.ns for one in known]
        times = [run.times_ns[known[0].point] for run in runs if known[0].point in run.times_ns]
        found.append(
            Found(title, outside, float(np.median(widths)), (max(times) - min(times)) / float(np.median(times)))
        )
    return found


def bootstrap(found: list[Found]) -> tuple[float, float]:
    """Return the 95 % interval of the share of figures outside, by resampling runs."""
    random = np.random.default_rng(40)
    every = np.array([one.outside for one in found])
    shares = []
    for _ in range(RESAMPLES):
        chosen = random.integers(0, every.shape[1], every.shape[1])
        outside = every[:, chosen][:, :, chosen]
        outside = outside[~np.isnan(outside)]  # a run beside itself is NaN
        shares += [outside.mean()] if outside.size else []
    low, high = np.quantile(shares, (0.025, 0.975))
    return float(low), float(high)


@click.command(help=__doc__)
@click.option("--runs", default=10, show_default=True, type=click.IntRange(min=3))
@click.option(
    "--keep", type=click.Path(path_type=Path), default=Path("runs/again"), show_default=True, help="Continue."
)
def main(runs: int, keep: Path) -> None:
    """Make the runs, print what was found, judge."""
    keep.mkdir(parents=True, exist_ok=True)
    every = []
    for number in range(1, runs + 1):
        every.append(made(keep, number))
        click.echo(f"{number}: {every[-1].answer}")
    found = compare(every)
    click.echo(f"{'figure':16}{'outside':>10}{'pairs':>7}{'half width':>12}{'range of runs':>15}")
    for one in found:
        pairs = int((~np.isnan(one.outside)).sum())
        share = np.nanmean(one.outside) if pairs else np.nan
        click.echo(f"{one.title:16}{share:>10.1%}{pairs:>7}{one.half_width:>12.1%}{one.spread:>15.1%}")
    share, (low, high) = float(np.nanmean([one.outside for one in found])), bootstrap(found)
    width, spread = (float(np.median([getattr(one, name) for one in found])) for name in ("half_width", "spread"))
    held = share <= ALLOWED or low <= ALLOWED <= high
    click.echo(
        f"Outside: {share:.1%} ({low:.1%} to {high:.1%}, bootstrap over runs). Half width {width:.1%}, range of runs "
        f"{spread:.1%} (medians over figures): {width / spread:.1f} times. States of the machine: {states_of(every)}."
    )
    sys.exit(0 if held and width <= WIDEST * spread else 1)


if __name__ == "__main__":
    main()
