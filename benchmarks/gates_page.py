"""The page of gates: rows of single gates, and how often each kind alarms, passes and finds what was planted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.chart import curves
from benchmarks.page import Page, Study
from benchmarks.same_runs import Share
from groma.analysis.grouping import grouped
from groma.decide.gating import Code
from groma.text.charts.axes import even
from groma.text.counts import counted

PLANTED = (0.05, 0.10)
IN_TURNS, APART, AT_ONCE = "in turns", "apart", "at once"


@dataclass(frozen=True)
class Ended:
    """How one gate ended: its way, the runs of its baseline, what was planted, its exit code, and its effort.

    `drawn`: its runs are drawn from a series. `by_rule`: a point takes 10 % longer than in another run, and `advisory`
    is what is slower on a disturbed machine. `minutes` are those of measuring, without waits.
    """

    way: str
    baseline: int
    drawn: bool
    planted: float
    code: int
    advisory: bool
    by_rule: bool
    launches: int
    minutes: float
    launches_a_run: int
    machine: str


def is_alarm(one: Ended) -> bool:
    """Tell whether a gate ended with a regression."""
    return one.code == Code.REGRESSION


def page(ended: Sequence[Ended]) -> Page:
    """Return docs/gates.md."""
    kinds = {
        name: own
        for name, way, baseline in _kinds(ended)
        if (own := [one for one in ended if (one.way, one.baseline) == (way, baseline) and (one.drawn or way != APART)])
    }
    best = next(iter(kinds.values()))
    real = [one for one in ended if one.way == APART and not one.drawn]
    found = _share(best, is_alarm, max(one.planted for one in best))
    by_rule = next((own for name, own in kinds.items() if name == _name(APART, 1)), best)
    rows = [[name, *_cells(own, is_alarm, decides=True)] for name, own in kinds.items()]
    rows.append(["two runs, a rule of 10%", *_cells(by_rule, lambda one: one.by_rule, decides=False)])
    return Page(
        chart=_chart(kinds, by_rule),
        headings=["gate", "gates", "false alarms", "not decided", "finds 5%", "finds 10%", "minutes"],
        rows=rows,
        words=vars(best[0])
        | {
            "first": f"Gates {next(iter(kinds))}",
            "alarms": _share(best, is_alarm),
            "passes": _share(best, lambda one: one.code == Code.NO_REGRESSION),
            "planted": max(one.planted for one in best),
            "found": found,
            "rule": _share(by_rule, lambda one: one.by_rule),
            "machine": _machines(ended),
            "real": ", ".join(f"{one.code} (of {counted(one.baseline, 'run')})" for one in real) or "not made yet",
        },
    )


def _machines(ended: Sequence[Ended]) -> str:
    """Return the machines, each with the ways of the gates that were made there, if there are several."""
    ways = grouped(dict.fromkeys((one.machine, one.way) for one in ended), lambda pair: pair[0])
    if len(ways) == 1:
        return next(iter(ways))
    return " and ".join(f"{machine} ({', '.join(way for _, way in own)})" for machine, own in ways.items())


def _kinds(ended: Sequence[Ended]) -> list[tuple[str, str, int]]:
    """Return name, way and baseline of every kind of gate, in the order of the page."""
    order = [IN_TURNS, APART, AT_ONCE]
    kinds = sorted({(order.index(one.way), one.baseline) for one in ended})
    return [(_name(order[way], baseline), order[way], baseline) for way, baseline in kinds]


def _name(way: str, baseline: int) -> str:
    return f"{way}, baseline of {baseline}" if baseline else way


def _share(own: Sequence[Ended], has: Callable[[Ended], bool], planted: float = 0.0) -> str:
    """Return how often something is so in gates with a plant, with its exact 95 % interval; a dash for none."""
    cases = [has(one) for one in own if one.planted == planted]
    if not cases:
        return "-"
    share = Share(sum(cases), len(cases))
    return f"{share.value:.0%} ({' to '.join(f'{end:.0%}' for end in share.ends)})"


def _cells(own: Sequence[Ended], alarms: Callable[[Ended], bool], *, decides: bool) -> list[str]:
    return [
        str(len(own)),
        _share(own, alarms),
        _share(own, lambda one: decides and one.code == Code.NOT_DECIDED),
        *(_share(own, alarms, planted) for planted in PLANTED),
        f"{sum(one.minutes for one in own) / len(own):.1f}" if decides else "-",
    ]


def _chart(kinds: Mapping[str, Sequence[Ended]], by_rule: Sequence[Ended]) -> str:
    def line(own: Sequence[Ended], alarms: Callable[[Ended], bool]) -> list[tuple[float, float]]:
        shares = sorted({one.planted for one in own})
        cases = [[alarms(one) for one in own if one.planted == share] for share in shares]
        return [(100 * share, 100 * sum(of) / len(of)) for share, of in zip(shares, cases, strict=True)]

    lines = {name: line(own, is_alarm) for name, own in kinds.items()}
    lines["two runs, a rule of 10%"] = line(by_rule, lambda one: one.by_rule)
    most = max(*PLANTED, *(one.planted for own in kinds.values() for one in own))
    x = even("planted slowdown, %", 0, 100 * most)
    return curves(lines, x, even("gates that alarm, %", 0, 100), "Gates that alarm over the planted slowdown")


STUDY = Study("gates", {"gates": Ended}, page)


def judge(ended: Sequence[Ended]) -> bool:
    """Return whether the exact 95 % interval of the false alarms of every kind reaches 5 %."""
    kinds: dict[tuple[str, int, bool], list[bool]] = {}
    for one in ended:
        if not one.planted:
            kinds.setdefault((one.way, one.baseline, one.drawn), []).append(is_alarm(one))
    return all(Share(sum(alarms), len(alarms)).reaches(0.0, 0.05) for alarms in kinds.values())
