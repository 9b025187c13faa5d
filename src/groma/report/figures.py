"""One figure as text: value, unit and interval, the same in the terminal and on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from groma.analysis import PointSummary
from groma.analysis.clockchecks import CLOCK_SHARE_LIMIT
from groma.analysis.compare import RUN_DEVIATION, AnotherRun
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.headline import Headline, Quantity, headlines
from groma.analysis.minimum import COPY, KIND, MAXIMUM, limit_kind
from groma.analysis.order import Interval
from groma.analysis.otherruns import OtherRuns
from groma.analysis.samplechecks import has_tail
from groma.analysis.steadiness import is_unsteady, levels_in_words, unsteady_levels
from groma.analysis.summary import where
from groma.analysis.uncertainty import is_range, uncertainty_words
from groma.text.counts import counted
from groma.text.numbers import microseconds, multiple, percent, significant

INTERVAL_TERMS = {
    "launches": "95% interval",
    "range": "min-max",
    "samples": "within one launch",
    "none": "95% interval",
}
ANOTHER_RUN = "another run, 95%"
# The column of a quantity, and factor and name of its unit in tables.
_SHOWN: dict[Quantity, tuple[str, float, str]] = {
    "time": ("time_ns", 1e-3, "µs"),
    "bandwidth": ("bandwidth_mb_s", 1.0, "MB/s"),
    "message rate": ("messages_per_s", 1e-6, "million/s"),
}


@dataclass(frozen=True)
class ShownFigure:
    """A headline figure, ready to be printed; `of_time` is the interval of its time in ns."""

    title: str
    where: str
    ranks: str
    value: str
    unit: str
    interval: str
    interval_name: str
    uncertainty: str
    another: AnotherRun | None
    of_time: Interval | None
    limit: str
    limit_term: str
    remarks: list[str]

    def place(self, variant: str = "") -> str:
        """Return where it was measured, without the variant where that is said elsewhere, and on how many ranks."""
        return ", ".join(filter(None, [self.where.removesuffix(variant).rstrip(", "), self.ranks]))


def figures_of(summaries: Sequence[PointSummary], others: OtherRuns) -> list[ShownFigure]:
    """Return the headline figures as text, with intervals for another run where launches have one (docs/adr/0045).

    They say of how many ranks they are if not all points are of the same, or of fewer ranks than were launched.
    """
    shown = [figure(headline, others.another(headline.summary)) for headline in headlines(summaries)]
    numbers = {one.ranks for one in shown}
    if len({summary.ranks for summary in summaries}) > 1 or len(numbers) > 1 or any(" of " in one for one in numbers):
        return shown
    return [replace(one, ranks="") for one in shown]


def scope_of(figures: Sequence[ShownFigure]) -> str:
    """Say what the intervals of headline figures cover, and by how many runs that is known; empty for other kinds."""
    found = [figure.another for figure in figures if figure.another]
    known = [another for another in found if another.runs]
    parts = []
    if known:
        runs = sorted({another.runs for another in known})
        spread = [percent(deviation) for deviation in sorted(another.deviation for another in known)]
        ends = " to ".join(dict.fromkeys([spread[0], spread[-1]]))
        parts.append(
            f"by {' to '.join(dict.fromkeys(map(str, (runs[0], runs[-1]))))} runs here, which differ by {ends}"
        )
    if len(known) < len(found):
        some = f" for {len(found) - len(known)} of them" if known else ""
        few = f"fewer than {MINIMUM_RUNS} runs here"
        parts.append(f"by the default that runs differ by {percent(RUN_DEVIATION)}{some} ({few})")
    return f"Intervals are for another run in this state of the machine (95 %), {' and '.join(parts)}." if parts else ""


def figure(headline: Headline, another: AnotherRun | None = None) -> ShownFigure:
    """Return the headline's figure as text; with `another`, its interval is that of another run's figure."""
    summary, place = headline.summary, where(headline.summary)
    if headline.title.lower() == summary.operation:
        place = place.removeprefix(summary.operation).lstrip(", ")
    another = None if is_range(summary.interval) else another  # overhead may be most of it
    of_time = summary.interval if another is None else _of_another(summary, another)
    value, interval, (factor, unit) = shown_quantity(headline, of_time)
    term = INTERVAL_TERMS[summary.interval_kind] if another is None else ANOTHER_RUN
    shown = interval.text(factor=factor) if interval else ""
    return ShownFigure(
        title=headline.title,
        where=place,
        ranks=_ranks(summary),
        value=shown if is_range(interval) else significant(value * factor),
        unit=unit,
        interval=shown,
        interval_name=term if interval else "no interval: too few samples",
        uncertainty=_uncertainty(summary, of_time),
        another=another,
        of_time=of_time,
        limit="" if is_range(of_time) else limit_text(summary, headline.quantity),
        limit_term="x hardware minimum" if summary.limit else "x TCP",
        remarks=_remarks(summary, of_time if another else None),
    )


def _of_another(summary: PointSummary, another: AnotherRun) -> Interval:
    """Return the interval of another run's time in ns: also by one step of the clock to both sides."""
    step_ns, factor = summary.value("step_ns") or 0.0, math.exp(another.reach)
    return Interval(max(0.0, summary.time_ns / factor - step_ns), summary.time_ns * factor + step_ns)


def _uncertainty(summary: PointSummary, interval: Interval | None) -> str:
    """Return the uncertainty with the kind of its interval, unless that is over launches; or that there is none."""
    text = "" if is_range(interval) else uncertainty_words(interval, summary.time_ns)
    if summary.interval_kind == "none":
        return "no interval"
    return text if summary.interval_kind == "launches" else f"{text} {INTERVAL_TERMS[summary.interval_kind]}".strip()


def _ranks(summary: PointSummary) -> str:
    """Return how many ranks took part, and of how many if others of the launch were idle."""
    if summary.member_count < summary.ranks:
        return f"{summary.member_count} of {counted(summary.ranks, 'rank')}"
    return counted(summary.ranks, "rank")


def _remarks(summary: PointSummary, another: Interval | None) -> list[str]:
    """Return remarks on the figure: a doubtful clock, measuring overhead, no steady state, a mean off the median.

    The interval of `another` run has no overhead, which is the same in all runs; levels within it are no doubt.
    """
    share = summary.value("clock_share") or 0.0
    doubts = [f"global clock ±{percent(share)}"] if share > CLOCK_SHARE_LIMIT else []
    overhead = (summary.value("overhead_ns") or 0.0) / summary.time_ns if summary.time_ns > 0 else 0.0
    if another and overhead > another.reach(summary.time_ns):
        doubts.append(f"up to {percent(overhead)} of it is measuring overhead")
    if is_unsteady(summary):
        levels = unsteady_levels(summary)
        held = another and levels and levels.low in another and levels.high in another
        told = ["no steady state" * is_unsteady(summary, alarm=True), levels_in_words(levels) if levels else ""]
        doubts += filter(None, [": ".join(filter(None, told)) if not held else ""])
    mean_ns = summary.value("tail_mean_ns") if has_tail(summary) else None
    if mean_ns is not None:
        doubts.append(
            f"mean of calls {microseconds(mean_ns)} µs, {multiple(summary.value('mean_over_median'))} their median"
        )
    return doubts


def limit_text(summary: PointSummary, quantity: Quantity = "time") -> str:
    """Return the point as a multiple of the hardware minimum, or of TCP between hosts; empty if neither is known.

    A bandwidth or a rate is a share of the one that belongs to that time. A range is no multiple of anything.
    """
    if is_range(summary.interval):
        return ""
    if summary.has_other_state:
        return f"no {limit_kind(summary.point)} in this state of the machine"
    known = summary.limit or summary.yardstick
    if known is None:
        return ""
    if quantity == "time":
        article = "the " if known is summary.limit else ""
        return f"{multiple(known.multiple)} {article}{known.kind} ({significant(known.ns / 1e3, 2)} µs)"
    kind = {KIND: f"the {MAXIMUM}", COPY: f"the {COPY}"}.get(known.kind, known.kind)
    most = shown_quantity(Headline("", quantity, summary))
    value = significant(most[0] * most[2][0] * summary.time_ns / known.ns, 2)
    return f"{percent(1 / known.multiple)} of {kind} ({value} {most[2][1]})"


def shown_quantity(
    headline: Headline, of_time: Interval | None = None
) -> tuple[float, Interval | None, tuple[float, str]]:
    """Return value, interval, and factor and name of the unit of the tables.

    The interval is that of the launches, or of the same time in ns as `of_time`.
    """
    name, factor, unit = _SHOWN[headline.quantity]
    summary = headline.summary
    of_time = of_time or summary.interval
    interval = of_time if headline.quantity == "time" else summary.rate_interval(name, of_time)
    return summary.value(name) or 0.0, interval, (factor, unit)
