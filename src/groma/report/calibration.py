"""A run's calibration in words: false alarms, known ratios held, and the smallest difference that would be seen."""

from __future__ import annotations

from groma.analysis.calibration import POWER, Calibration, Pair, calibration_of
from groma.analysis.summary import PointSummary, summarise, where
from groma.results import Run
from groma.text.counts import counted
from groma.text.numbers import DASH, percent
from groma.text.tables import Table

_HEADINGS = ("point", "seen from", "false alarms", "ratio in its 95% interval", "slowed copies found")
_TITLE = "Calibration by point"


def calibration_sentences(run: Run, summaries: list[PointSummary]) -> list[str]:
    """Say what the copies of a run's points show; nothing for a run without copies, or with too few launches."""
    calibration = calibration_of(summaries, summarise(run, copies=True))
    return [] if calibration is None else sentences(calibration)


def calibration_table(run: Run, summaries: list[PointSummary]) -> Table:
    """Return a row for every point with copies: what would be seen, and what was said of the copies."""
    calibration = calibration_of(summaries, summarise(run, copies=True))
    if calibration is None:
        return Table(_TITLE, _HEADINGS, [])
    seen = {id(point): least for point, least in calibration.detectable}
    points = {id(pair.point): pair.point for pair in calibration.pairs}
    rows = [
        _row(point, [pair for pair in calibration.pairs if pair.point is point], seen.get(name))
        for name, point in points.items()
    ]
    return Table(_TITLE, _HEADINGS, rows)


def _row(point: PointSummary, pairs: list[Pair], detectable: float | None) -> tuple[str, ...]:
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
