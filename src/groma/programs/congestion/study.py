"""Which load slows which victim, by how much and how sure that is; what loads achieved; percentiles of the calls."""

from __future__ import annotations

import math
from collections.abc import Sequence

from groma.analysis import PointSummary
from groma.analysis.compare import MARGIN, Comparison, fewest_launches
from groma.programs.congestion.impact import PERCENTILES, Impact, impacts_of, percentiles_us
from groma.programs.study import Study
from groma.results import Run
from groma.text.counts import counted
from groma.text.numbers import DASH, percent, significant
from groma.text.tables import Table

TITLE = "Congestion: victims beside loads"
_LEAST = "least slowdown found with 80 %"


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study | None:
    """Return the impact of every load; None if no point has one beside silence."""
    del run, against
    impacts = impacts_of(summaries)
    if not impacts:
        return None
    conditions = [("ranks", _split(impacts[0]))]
    if impacts[0].loaded.hosts == 1:
        conditions.append(("host", "victims are on one: impacts may be of its memory and CPUs"))
    return Study(TITLE, _sentences(impacts), conditions, [_impacts(impacts), _percentiles(impacts)], [])


def _sentences(impacts: Sequence[Impact]) -> list[str]:
    slower = [one for one in impacts if one.judged.verdict == "slower"]
    slower.sort(key=lambda one: -one.judged.comparison.ratio)
    sentences = [
        f"{one.load} slows {one.victim} {_ratio(one.judged.comparison)}, its 99 % quantile {_ratio(one.tail)}"
        f"{_achieved(one)}."
        for one in slower
    ]
    same = [f"{one.load} on {one.victim}" for one in impacts if one.judged.verdict == "same"]
    if not slower:
        sentences.append("No load is found to slow a victim.")
    if same:
        sentences.append(f"No impact beyond {percent(MARGIN)} of {', '.join(same)}.")
    open_ones = [one for one in impacts if one.judged.verdict == "not decided"]
    if open_ones:
        found = max(one.detectable for one in open_ones)
        needs = fewest_launches(len(impacts))
        what = (
            f"{counted(len(impacts), 'comparison')} need {needs} launches at least (--launches {needs})"
            if math.isinf(found)
            else f"of each, this run finds a slowdown of {percent(found)} with a probability of 80 %"
        )
        sentences.append(f"{counted(len(open_ones), 'impact')} of {len(impacts)} not decided; {what}.")
    return sentences


def _ratio(comparison: Comparison) -> str:
    ends = comparison.interval
    return f"{significant(comparison.ratio, 3)} times" + (f" ({ends.text(3)})" if ends else "")


def _achieved(impact: Impact) -> str:
    rate = impact.bytes_per_s
    return f", while the others send {significant(rate.value / 1e9, 3)} GB/s together" if rate else ""


def _split(impact: Impact) -> str:
    point, first = impact.loaded.point, impact.loaded
    drawn = "drawn anew in each launch" if point["load_ranks"] == "random" else "the last ones"
    return f"{first.ranks - first.member_count} of {first.ranks} load ({drawn}), {first.member_count} are measured"


def _impacts(impacts: Sequence[Impact]) -> Table:
    rows = []
    for one in impacts:
        ends = one.judged.comparison.interval
        rate = one.bytes_per_s
        rows.append(
            [
                one.victim,
                one.load,
                significant(one.silent.time_ns / 1e3, 3),
                significant(one.loaded.time_ns / 1e3, 3),
                significant(one.judged.comparison.ratio, 3),
                ends.text(3) if ends else DASH,
                one.judged.verdict,
                percent(one.detectable) if math.isfinite(one.detectable) else DASH,
                significant(rate.value / 1e9, 3) if rate else DASH,
            ]
        )
    headings = [
        "victim",
        "load",
        "silent us",
        "loaded us",
        "impact",
        "95% interval",
        "verdict",
        "finds from",
        "load GB/s",
    ]
    note = (
        f"Impact: time under load over time beside sleeping ranks, in pairs of launches; finds from: {_LEAST}; "
        "load GB/s: what all ranks that load sent while the victim was measured."
    )
    return Table("Impact", headings, rows, [note])


def _percentiles(impacts: Sequence[Impact]) -> Table:
    rows = []
    for at, one in enumerate(impacts):
        if at == 0 or impacts[at - 1].silent is not one.silent:
            rows.append([one.victim, "silent", *(significant(us, 3) for us in percentiles_us(one.silent)), DASH])
        cells = [significant(us, 3) for us in percentiles_us(one.loaded)]
        rows.append([one.victim, one.load, *cells, significant(one.tail.ratio, 3)])
    headings = ["victim", "load", *(f"{share} % us" for share in PERCENTILES), "worst us", "impact at 99 %"]
    return Table("Percentiles of the calls of all launches", headings, rows)
