"""What the intervals of a run cover, and its spread by level: samples, launches, and runs or rounds apart in time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.history import history_of
from groma.analysis.summary import where
from groma.counts import counted, plain_duration
from groma.numbers import DASH, percent
from groma.report.figures import interval_text

if TYPE_CHECKING:
    from groma.analysis import PointSummary
    from groma.analysis.history import History, Spread
    from groma.results import Run

HEADINGS = ("point", "samples", "launches", "runs", "next run µs", "largest")
_HELD = "95% intervals hold for this run: they cover other launches made at the same time."


@dataclass(frozen=True)
class Coverage:
    """What the intervals of a run hold for: sentences, and rows under HEADINGS; both empty where none is stated."""

    sentences: list[str]
    rows: list[tuple[str, ...]]


def coverage_of(run: Run, summaries: list[PointSummary]) -> Coverage:
    """Return what the intervals of a run hold for, by its launches, its rounds and the runs beside it."""
    history = history_of(run)
    sentences = coverage_sentences(summaries, history, run.meta.every_s)
    return Coverage(sentences, spread_rows(summaries, history) if sentences else [])


def spread_rows(summaries: list[PointSummary], history: History) -> list[tuple[str, ...]]:
    """Return one row for every point, as HEADINGS: standard deviations, relative, of its figure by level."""
    return [_row(summary, history.spread(summary)) for summary in summaries]


def _row(summary: PointSummary, spread: Spread) -> tuple[str, ...]:
    parts = spread.components
    return (
        f"{where(summary)}, {counted(summary.member_count, 'rank')}",
        percent(parts.samples),
        percent(parts.launches),
        percent(parts.runs),
        interval_text(spread.next_run, 1e-3).replace(" to ", f" {DASH} ") or DASH,
        "rounds" if parts.rounds > 1 and parts.largest == "runs" else parts.largest,
    )


def launch_cost_sentence(run: Run) -> str:
    """Say how long a launch took and how much of that the engine did not measure; empty where no launch knows."""
    known = [(launch.wall_s, launch.outside_s) for launch in run.launches]
    whole = [(wall, outside) for wall, outside in known if wall is not None and outside is not None]
    if not whole:
        return ""
    wall_s, outside_s = np.median(np.array(whole), axis=0)
    over = f" (medians over {len(whole)} launches)" if len(whole) > 1 else ""
    return (
        f"A launch took {wall_s:.2f} s, of which {outside_s:.2f} s were the launcher, and the start and end of MPI and "
        f"of the engine{over}."
    )


def coverage_sentences(summaries: list[PointSummary], history: History, every_s: float | None = None) -> list[str]:
    """Say what the intervals over launches hold for, and what another run may give; `every_s` is between rounds."""
    if not any(summary.interval_kind == "launches" for summary in summaries):
        return []
    spreads = [history.spread(summary) for summary in summaries]
    in_rounds = [one for one in spreads if one.components.rounds > 1]
    if in_rounds and every_s is not None:
        return [_rounds_sentence(in_rounds, every_s)]
    known = [one.components.runs for one in spreads if one.components.runs is not None]
    if not known:
        runs = counted(len(history.names) + 1, "run")
        said = (
            f"{_HELD} Another run may differ by more; {runs} of this plan cannot show by how much: repeat it at other "
            f"times ({MINIMUM_RUNS} runs in one folder, or --every), and compare settings in turns (--variant), not "
            "run with run."
        )
        return [said]
    said = (
        f"{_HELD} From run to run, {len(history.names) + 1} runs of this plan differ "
        f"by {percent(float(np.median(known)))} more than their launches explain (standard deviation, median over "
        f"points): another run's figure lies in 'next run' (--define). {_largest(spreads)}"
    )
    return [said]


def _rounds_sentence(spreads: list[Spread], every_s: float) -> str:
    """Say what rounds that lie apart in time tell: they stand for runs."""
    parts = [one.components for one in spreads]
    explained = "their launches" if all(one.launches is not None for one in parts) else "their samples"
    return (
        f"95% intervals hold for the time over which the rounds of this run lie: "
        f"{counted(max(one.rounds for one in parts), 'round')}, {plain_duration(every_s)} apart. From round to round, "
        f"figures differ by {percent(float(np.median([one.runs or 0.0 for one in parts])))} more than {explained} "
        "explain (standard deviation, median over points): the figure of a run made at another such time lies in "
        f"'next run' (--define). {_largest(spreads)}"
    )


def _largest(spreads: list[Spread]) -> str:
    """Name the level from which most points have most of their uncertainty."""
    levels = Counter(one.components.largest for one in spreads)
    level, times = levels.most_common(1)[0]
    named = "rounds" if level == "runs" and spreads[0].components.rounds > 1 else level
    return f"Most uncertainty comes from {named} ({times} of {counted(len(spreads), 'point')})."
