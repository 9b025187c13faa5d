"""What the intervals of a run cover, and its spread by level: samples, launches, runs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.summary import where
from groma.counts import counted
from groma.report.figures import interval_text
from groma.report.numbers import DASH, percent

if TYPE_CHECKING:
    from groma.analysis import PointSummary
    from groma.analysis.history import History, Spread

HEADINGS = ("point", "samples", "launches", "runs", "next run µs", "largest")


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
        parts.largest,
    )


def coverage_sentences(summaries: list[PointSummary], history: History) -> list[str]:
    """Say what the intervals over launches hold for, and what another run may give."""
    if not any(summary.interval_kind == "launches" for summary in summaries):
        return []
    held = "95% intervals hold for this run: other launches made now would agree."
    spreads = [history.spread(summary) for summary in summaries]
    known = [one.components.runs for one in spreads if one.components.runs is not None]
    if not known:
        runs = counted(len(history.names) + 1, "run")
        said = (
            f"{held} Another run may differ by more; how much, {runs} of this plan cannot tell: repeat it at other "
            f"times ({MINIMUM_RUNS} runs in one folder, or --every), and compare settings in turns (--variant), not "
            "run with run."
        )
        return [said]
    level, times = Counter(one.components.largest for one in spreads).most_common(1)[0]
    said = (
        f"{held} From run to run, {len(history.names) + 1} runs of this plan differ "
        f"by {percent(float(np.median(known)))} more than their launches explain (standard deviation, median over "
        "points): another run's figure lies in 'next run' (--define). Most uncertainty comes from "
        f"{level} ({times} of {counted(len(spreads), 'point')})."
    )
    return [said]
