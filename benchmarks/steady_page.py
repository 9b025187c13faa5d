"""The page of `make steady`: what Groma says of libraries that are slow for a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.chart import Dot, strips
from benchmarks.doubt_shares import Share
from benchmarks.page import Page, Study
from groma.analysis.steadiness import ALARM_SHARE
from groma.text.charts.axes import even
from groma.text.numbers import DASH

LIMIT, WIDEST = 0.02, 0.05
WRONG = "wrong"
VERDICTS = ("right", "flagged", "inconclusive", WRONG)
_AXIS_ENDS = (-100, 100)


@dataclass(frozen=True)
class Line:
    """One plant on one library: medians over launches, in nanoseconds a call, and what the check says.

    `off` is the median of figure / truth less 1, `allowed` what the control leaves open.
    """

    library: str
    operation: str
    planted: str
    true_ns: float
    figure_ns: float
    off: float
    allowed: float
    check: str
    verdict: str
    launches: int
    ranks: int
    machine: str


def page(lines: Sequence[Line], doubts: Sequence[Share]) -> Page:
    """Return docs/steady.md."""
    counts = Counter(line.verdict for line in lines)
    real = next((line for line in lines if line.library != "simulated"), lines[0])
    without, lasting = ([one for one in doubts if one.planted == kind] for kind in ("none", "lasting"))
    most = max(without, key=lambda one: one.high)
    below = [f"{one.library} {one.operation}" for one in without if not one.alarm_tells]
    return Page(
        chart=_chart(lines),
        headings=["planted", *VERDICTS, "largest deviation not flagged"],
        rows=[_row(plant, [one for one in lines if one.planted == plant]) for plant in _plants(lines)],
        words=vars(real)
        | {verdict: counts[verdict] for verdict in VERDICTS}
        | {
            "count": len(lines),
            "limit": LIMIT,
            "widest": WIDEST,
            "alarm": ALARM_SHARE,
            "lasting": _alarms(lasting),
            "without": _alarms(without),
            "most": most,
            "alarm_tells": f"says nothing on {', '.join(below)}" if below else "lies above that",
        },
    )


def _plants(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line.planted for line in lines))


def _row(plant: str, lines: Sequence[Line]) -> list[str]:
    counts = Counter(line.verdict for line in lines)
    most = max((line for line in lines if line.verdict != "flagged"), key=lambda line: abs(line.off), default=None)
    worst = f"{most.off:+.1%} ({most.library}, {most.operation})" if most else DASH
    return [plant, *(str(counts[verdict]) for verdict in VERDICTS), worst]


def _chart(lines: Sequence[Line]) -> str:
    dots = [
        Dot(line.planted, line.verdict, 100 * line.off, f"{line.library}, {line.operation}: {line.off:+.1%}")
        for verdict in VERDICTS
        for line in lines
        if line.verdict == verdict
    ]
    order = {plant: at for at, plant in enumerate(_plants(lines))}
    dots.sort(key=lambda dot: (order[dot.row], VERDICTS.index(dot.kind)))
    words = "Deviation of every figure from the truth, by what was planted"
    return strips(dots, even("figure off the truth by, %", *_AXIS_ENDS), words)


def _alarms(shares: Sequence[Share]) -> str:
    return f"{sum(one.alarms or 0 for one in shares)} of {sum(one.points for one in shares)}"


STUDY = Study("steady", {"steady": Line, "steady-doubts": Share}, page)
