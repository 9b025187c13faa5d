"""What the intervals of a run cover, its spread by level, and its calibration in words.

Levels are samples, launches, and runs or rounds apart in time. A calibration says how many false alarms there were, how
many known ratios were held, and which smallest difference would be seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from groma.analysis.calibration import POWER, Calibration, Pair, calibration_of
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.otherruns import OtherRuns, Spread
from groma.analysis.rows import median
from groma.analysis.summary import PointSummary, summarise, where
from groma.results import Run
from groma.text.counts import counted, plain_duration
from groma.text.numbers import DASH, percent
from groma.text.tables import Table

_HEADINGS = ("point", "samples", "launches", "runs", "next run µs", "largest")
_COPIES_HEADINGS = ("point", "seen from", "false alarms", "ratio in its 95% interval", "slowed copies found")
_COPIES_TITLE = "Calibration by point"
_HELD = "95% intervals hold for this run: they cover other launches at the same time."


@dataclass(frozen=True)
class Coverage:
    """Scope of a run's intervals, in sentences (empty without intervals), and the spreads."""

    sentences: list[str]
    summaries: list[PointSummary]
    spreads: list[Spread]

    def table(self, shown: Collection[PointSummary] | None = None) -> Table:
        """Return a row for every point, or for those that are shown."""
        pairs = zip(self.summaries, self.spreads, strict=True)
        rows = [_row(summary, spread) for summary, spread in pairs if shown is None or summary in shown]
        return Table("Spread by level", _HEADINGS, rows)


def coverage_of(run: Run, summaries: list[PointSummary], others: OtherRuns) -> Coverage:
    """Return the scope of a run's intervals, by its launches, its rounds, the runs beside it and its copies."""
    found = coverage(summaries, others, run.meta.every_s)
    return replace(found, sentences=found.sentences + calibration_sentences(run, summaries))


def coverage(summaries: list[PointSummary], others: OtherRuns, every_s: float | None = None) -> Coverage:
    """Return the same from the runs beside the run; `every_s` is the time between its rounds."""
    if not any(summary.interval_kind == "launches" for summary in summaries):
        return Coverage([], [], [])
    spreads = [others.spread(summary) for summary in summaries]
    return Coverage([_sentence(spreads, others, every_s)], summaries, spreads)


def _row(summary: PointSummary, spread: Spread) -> tuple[str, ...]:
    """Return the standard deviations, relative, of a point's figure by level, as the table has them."""
    parts = spread.components
    return (
        f"{where(summary)}, {counted(summary.member_count, 'rank')}",
        percent(parts.samples),
        percent(parts.launches),
        percent(parts.runs),
        spread.next_run.text(factor=1e-3).replace(" to ", f" {DASH} ") if spread.next_run else DASH,
        "rounds" if parts.rounds > 1 and parts.largest == "runs" else parts.largest,
    )


def launch_cost_sentence(run: Run) -> str:
    """Say how long a launch took and how much of that the engine did not measure; empty if no launch knows."""
    times = [(launch.wall_s, launch.outside_s) for launch in run.launches]
    complete = [(wall, outside) for wall, outside in times if wall is not None and outside is not None]
    if not complete:
        return ""
    wall_s, outside_s = map(median, zip(*complete, strict=True))
    over = f" (medians over {len(complete)} launches)" if len(complete) > 1 else ""
    return (
        f"A launch took {wall_s:.2f} s; launcher, MPI and engine took {outside_s:.2f} s of it to start and end{over}."
    )


def _sentence(spreads: list[Spread], others: OtherRuns, every_s: float | None) -> str:
    """State the scope of the intervals over launches, and what another run may give."""
    in_rounds = [one for one in spreads if one.components.rounds > 1]
    if in_rounds and every_s is not None:
        return _rounds_sentence(in_rounds, every_s)
    between_runs = [spread.components.runs for spread in spreads if spread.components.runs is not None]
    if not between_runs:
        runs = counted(len(others.names) + 1, "run")
        return (
            f"{_HELD} Another run may differ by more; {runs} of this plan cannot show by how much. Repeat it at other "
            f"times ({MINIMUM_RUNS} runs in one folder, or --every). Compare settings within a run (--variant)."
        )
    return (
        f"{_HELD} {len(others.names) + 1} runs of this plan differ "
        f"by {percent(median(between_runs))} more than their launches explain (standard deviation, median "
        f"over points). Expect another run's figure in 'next run' (--define). {_largest(spreads)}"
    )


def _rounds_sentence(spreads: list[Spread], every_s: float) -> str:
    """Say that rounds that lie apart in time stand for runs."""
    components = [spread.components for spread in spreads]
    within = "their launches" if all(parts.launches is not None for parts in components) else "their samples"
    rounds = counted(max(parts.rounds for parts in components), "round")
    between = percent(median([parts.runs or 0.0 for parts in components]))
    return (
        f"95% intervals hold for the time that this run covers: {rounds}, {plain_duration(every_s)} apart. Rounds "
        f"differ by {between} more than {within} explain (standard deviation, median over points). Expect the figure "
        f"of a run at another such time in 'next run' (--define). {_largest(spreads)}"
    )


def _largest(spreads: list[Spread]) -> str:
    """Name the level from which most points have most of their uncertainty."""
    levels = Counter(spread.components.largest for spread in spreads)
    level, times = levels.most_common(1)[0]
    noun = "rounds" if level == "runs" and spreads[0].components.rounds > 1 else level
    return f"Most uncertainty comes from {noun} ({times} of {counted(len(spreads), 'point')})."


def calibration_sentences(run: Run, summaries: list[PointSummary]) -> list[str]:
    """Say what the copies of a run's points show; nothing for a run without copies, or with too few launches."""
    calibration = calibration_of(summaries, summarise(run, copies=True))
    return [] if calibration is None else sentences(calibration)


def calibration_table(run: Run, summaries: list[PointSummary]) -> Table:
    """Return a row for every point with copies: what would be seen, and what was said of the copies."""
    calibration = calibration_of(summaries, summarise(run, copies=True))
    if calibration is None:
        return Table(_COPIES_TITLE, _COPIES_HEADINGS, [])
    seen = {id(point): least for point, least in calibration.detectable}
    points = {id(pair.point): pair.point for pair in calibration.pairs}
    rows = [
        _copies_row(point, [pair for pair in calibration.pairs if pair.point is point], seen.get(name))
        for name, point in points.items()
    ]
    return Table(_COPIES_TITLE, _COPIES_HEADINGS, rows)


def _copies_row(point: PointSummary, pairs: list[Pair], detectable: float | None) -> tuple[str, ...]:
    equal, slowed = [pair for pair in pairs if not pair.planted], [pair for pair in pairs if pair.planted]
    return (
        f"{where(point)}, {counted(point.member_count, 'rank')}",
        percent(detectable),
        _share(sum(pair.called_different for pair in equal), len(equal)),
        _share(sum(pair.held for pair in pairs), len(pairs)),
        "; ".join(f"{pair.planted:.1%} {'found' if _is_found(pair) else 'not found'}" for pair in slowed) or DASH,
    )


def _share(count: int, total: int) -> str:
    return f"{count} of {total}" if total else DASH


def sentences(calibration: Calibration) -> list[str]:
    """Return a sentence each on what would be seen, on false alarms and coverage, and on the planted slowdowns."""
    statements = []
    if calibration.equal:
        launches = min(pair.comparison.launches for pair in calibration.equal)
        listed = ", ".join(f"{least:.1%} at {where(point)}" for point, least in calibration.detectable)
        statements.append(
            f"Between two points of the same {counted(launches, 'launch')}, a difference of "
            f"about {listed} would be detected {POWER:.0%} of the time."
        )
    false = sum(pair.called_different for pair in calibration.equal)
    covered = sum(pair.held for pair in calibration.pairs)
    statements.append(
        f"Equal points were called different in {false} of {len(calibration.equal)}; the known ratio lay in its 95% "
        f"interval in {covered} of {len(calibration.pairs)}."
    )
    if calibration.slowed:
        statements.append(f"Known slowdowns: {'; '.join(map(_planted, calibration.slowed))}.")
    if calibration.doubtful:
        statements.append(
            "That is more than chance explains: the intervals of this run are too narrow; do not rely on its "
            "comparisons."
        )
    return statements


def _is_found(pair: Pair) -> bool:
    """Return whether a slowed copy was called slower."""
    return pair.called_different and pair.comparison.ratio > 1


def _planted(pair: Pair) -> str:
    verdict = "found" if _is_found(pair) else "not found"
    return f"{pair.planted:.1%} at {where(pair.point)} {verdict} (measured {pair.comparison.ratio - 1:.1%})"
