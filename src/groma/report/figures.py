"""One figure as text: value, unit and interval, the same in the terminal and on the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.analysis.clockshare import CLOCK_SHARE_LIMIT, clock_share
from groma.analysis.steadiness import is_unsteady, levels_in_words, unsteady_levels
from groma.analysis.summary import where
from groma.analysis.tails import has_tail, mean_over_median, tail_of
from groma.counts import counted
from groma.numbers import microseconds, multiple, percent, significant

if TYPE_CHECKING:
    from groma.analysis import Headline, PointSummary
    from groma.analysis.order import Interval

INTERVAL_TERMS = {
    "launches": "95% interval",
    "range": "min-max",
    "samples": "within one launch",
    "none": "95% interval",
}


@dataclass(frozen=True)
class Figure:
    """A headline figure, ready to be printed."""

    title: str
    where: str
    ranks: str
    value: str
    unit: str
    interval: str
    interval_name: str
    half_width: str
    limit: str
    limit_term: str
    remarks: list[str]


def figure(headline: Headline) -> Figure:
    """Return the headline's figure as text."""
    summary, place = headline.summary, where(headline.summary)
    if headline.title.lower() == summary.operation:
        place = place.removeprefix(summary.operation).lstrip(", ")
    value, interval, (factor, unit) = _quantity(headline)
    term = INTERVAL_TERMS[summary.interval_kind]
    half_width = "" if summary.half_width is None else f"±{summary.half_width:.1%}"
    return Figure(
        title=headline.title,
        where=place,
        ranks=_ranks(summary),
        value=significant(value * factor),
        unit=unit,
        interval=interval_text(interval, factor),
        interval_name=term if interval else "no interval: too few samples",
        half_width=_half_width(summary, half_width),
        limit=limit_text(summary),
        limit_term="x hardware minimum" if summary.limit else "x TCP",
        remarks=_remarks(summary),
    )


def _half_width(summary: PointSummary, text: str) -> str:
    """Return the half width with the kind of its interval, unless that is over launches; or that there is none."""
    if summary.interval_kind == "none" and not summary.has_samples:
        return "no interval"
    return text if summary.interval_kind == "launches" else f"{text} {INTERVAL_TERMS[summary.interval_kind]}".strip()


def ranks_matter(figures: list[Figure]) -> bool:
    """Tell whether figures have to say of how many ranks they are: not all of the same, or not of all launched."""
    return len({figure.ranks for figure in figures}) > 1 or any(" of " in figure.ranks for figure in figures)


def _ranks(summary: PointSummary) -> str:
    """Return how many ranks took part, and of how many where others of the launch were idle."""
    if summary.member_count < summary.ranks:
        return f"{summary.member_count} of {counted(summary.ranks, 'rank')}"
    return counted(summary.ranks, "rank")


def _remarks(summary: PointSummary) -> list[str]:
    """Return remarks to print with the figure: a doubtful clock, no steady state, a mean that differs much."""
    share = clock_share(summary) or 0.0
    doubts = [f"±{percent(share)} by the global clock"] if share > CLOCK_SHARE_LIMIT else []
    if is_unsteady(summary):
        levels = unsteady_levels(summary)
        doubts.append("no steady state" + (f": {levels_in_words(levels)}" if levels else ""))
    tail = tail_of(summary) if has_tail(summary) else None
    if tail:
        doubts.append(
            f"mean of calls {microseconds(tail.mean_ns)} µs, {multiple(mean_over_median(summary))} their median"
        )
    return doubts


def limit_text(summary: PointSummary) -> str:
    """Return the point as a multiple of the hardware minimum, or of TCP between hosts; empty where neither is known."""
    if summary.limit is not None:
        least = f"{significant(summary.limit.ns / 1e3, 2)} µs"
        return f"{multiple(summary.limit.multiple)} the {summary.limit.kind} ({least})"
    if summary.yardstick is not None:
        by_tcp = f"{significant(summary.yardstick.ns / 1e3, 2)} µs"
        return f"{multiple(summary.yardstick.multiple)} {summary.yardstick.kind} ({by_tcp})"
    return ""


def interval_text(interval: Interval | None, factor: float) -> str:
    """Return `low to high`, with the digits that the figure has."""
    if interval is None:
        return ""
    return interval.text(factor=factor)


def _quantity(headline: Headline) -> tuple[float, Interval | None, tuple[float, str]]:
    """Return value, interval, and factor and name of the unit, which is that of the tables."""
    summary = headline.summary
    if headline.quantity == "bandwidth":
        bandwidth = summary.bandwidth_mb_s or 0.0
        return bandwidth, summary.bandwidth_interval_mb_s, (1.0, "MB/s")
    if headline.quantity == "message rate":
        rate = summary.messages_per_s or 0.0
        return rate, summary.messages_interval_per_s, (1e-6, "million/s")
    return summary.time_ns, summary.interval, (1e-3, "µs")
