"""One figure as text: value, unit and interval, the same in the terminal and on the page."""

from __future__ import annotations

from dataclasses import dataclass

from groma.analysis import PointSummary
from groma.analysis.clockchecks import CLOCK_SHARE_LIMIT
from groma.analysis.headline import Headline, Quantity
from groma.analysis.minimum import KIND, MAXIMUM
from groma.analysis.order import Interval
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
# The column of a quantity, and factor and name of its unit in tables.
_SHOWN: dict[Quantity, tuple[str, float, str]] = {
    "time": ("time_ns", 1e-3, "µs"),
    "bandwidth": ("bandwidth_mb_s", 1.0, "MB/s"),
    "message rate": ("messages_per_s", 1e-6, "million/s"),
}


@dataclass(frozen=True)
class ShownFigure:
    """A headline figure, ready to be printed."""

    title: str
    where: str
    ranks: str
    value: str
    unit: str
    interval: str
    interval_name: str
    uncertainty: str
    limit: str
    limit_term: str
    remarks: list[str]


def figure(headline: Headline) -> ShownFigure:
    """Return the headline's figure as text."""
    summary, place = headline.summary, where(headline.summary)
    if headline.title.lower() == summary.operation:
        place = place.removeprefix(summary.operation).lstrip(", ")
    value, interval, (factor, unit) = shown_quantity(headline)
    term = INTERVAL_TERMS[summary.interval_kind]
    shown = interval.text(factor=factor) if interval else ""
    return ShownFigure(
        title=headline.title,
        where=place,
        ranks=_ranks(summary),
        value=shown if is_range(interval) else significant(value * factor),
        unit=unit,
        interval=shown,
        interval_name=term if interval else "no interval: too few samples",
        uncertainty=_uncertainty(summary),
        limit=limit_text(summary, headline.quantity),
        limit_term="x hardware minimum" if summary.limit else "x TCP",
        remarks=_remarks(summary),
    )


def _uncertainty(summary: PointSummary) -> str:
    """Return the uncertainty with the kind of its interval, unless that is over launches; or that there is none."""
    text = "" if is_range(summary.interval) else uncertainty_words(summary.interval, summary.time_ns)
    if summary.interval_kind == "none":
        return "no interval"
    return text if summary.interval_kind == "launches" else f"{text} {INTERVAL_TERMS[summary.interval_kind]}".strip()


def ranks_matter(figures: list[ShownFigure]) -> bool:
    """Return whether figures have to say of how many ranks they are: not all of the same, or not of all launched."""
    return len({figure.ranks for figure in figures}) > 1 or any(" of " in figure.ranks for figure in figures)


def _ranks(summary: PointSummary) -> str:
    """Return how many ranks took part, and of how many if others of the launch were idle."""
    if summary.member_count < summary.ranks:
        return f"{summary.member_count} of {counted(summary.ranks, 'rank')}"
    return counted(summary.ranks, "rank")


def _remarks(summary: PointSummary) -> list[str]:
    """Return remarks on the figure: a doubtful clock, no steady state, a mean far from the median."""
    share = summary.value("clock_share") or 0.0
    doubts = [f"global clock ±{percent(share)}"] if share > CLOCK_SHARE_LIMIT else []
    if is_unsteady(summary):
        levels = unsteady_levels(summary)
        doubts.append("no steady state" + (f": {levels_in_words(levels)}" if levels else ""))
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
        return f"no {KIND} in this state of the machine"
    known = summary.limit or summary.yardstick
    if known is None:
        return ""
    if quantity == "time":
        article = "the " if known is summary.limit else ""
        return f"{multiple(known.multiple)} {article}{known.kind} ({significant(known.ns / 1e3, 2)} µs)"
    kind = f"the {MAXIMUM}" if known is summary.limit else known.kind
    most = shown_quantity(Headline("", quantity, summary))
    value = significant(most[0] * most[2][0] * summary.time_ns / known.ns, 2)
    return f"{percent(1 / known.multiple)} of {kind} ({value} {most[2][1]})"


def shown_quantity(headline: Headline) -> tuple[float, Interval | None, tuple[float, str]]:
    """Return value, interval, and factor and name of the unit of the tables."""
    name, factor, unit = _SHOWN[headline.quantity]
    summary = headline.summary
    interval = summary.interval if headline.quantity == "time" else summary.rate_interval(name)
    return summary.value(name) or 0.0, interval, (factor, unit)
