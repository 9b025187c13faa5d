"""Campaigns of broadcasts in segments, side by side: histograms, and the time within which 90 % are over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from groma.analysis.grouping import grouped
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.programs.bcast_test.study import gain_of, sentence
from groma.programs.bcast_test.transfers import Transfers, Within, buffers, transfers
from groma.programs.study import Panel
from groma.results import Run
from groma.text.charts import Chart, Curve, Histogram
from groma.text.counts import counted
from groma.text.numbers import DASH, aligned, right, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

TRANSFER_HEADINGS = ["segments", "of", "transfers", "median µs", "90% within µs", "95% interval", "largest µs"]
_SPARE = ("transfers", "largest µs", "median µs")
NOTE = (
    "A transfer is one rank's time for the whole buffer; the root, which is done when it has sent, does not count. "
    "The slowest transfer determines the broadcast, but the largest time of a sample grows with the number of "
    "transfers and does not predict the next one. The tables therefore give the time within which 90% of the "
    "transfers are over. Its interval comes from order statistics of as many independent transfers as the launches "
    "are worth."
)
_BINS = 30
_TIME = "\N{MICRO SIGN}s"


@dataclass(frozen=True)
class Campaign:
    """The transfers of one run, or of one variant or number of ranks of it, by the number of segments.

    `title` distinguishes it from the others of its run; it is empty if there are none.
    """

    run: str
    title: str
    parts: list[Transfers]
    within: list[Within]

    @property
    def name(self) -> str:
        """The run's name, and what distinguishes the campaign from others of it."""
        return ", ".join(filter(None, [self.run, self.title]))


def panel(runs: list[Run]) -> Panel | None:
    """Return all transfers of the runs; None if a run has none that were recorded rank by rank."""
    if not all(transfers(run) for run in runs):
        return None
    sides = campaigns(runs)
    return Panel(
        title="Transfers",
        heading=f"Broadcasts in segments: {len(runs)} campaigns",
        brief="every rank but the root, whole buffer",
        note=NOTE,
        sentences=[sentence(gain_of(campaign.parts), campaign.name) for campaign in sides] if len(runs) > 1 else [],
        tables=[_table(campaign) for campaign in sides],
        charts=[_within_chart(sides)],
        histograms=[_histogram(sides)],
    )


def campaigns(runs: list[Run]) -> list[Campaign]:
    """Return every run's campaigns, named so that no two are called the same."""
    names = [run.path.name for run in runs]
    named = [f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names, start=1)]
    return [
        Campaign(name, title, parts, [part.within() for part in parts])
        for name, run in zip(named, runs, strict=True)
        for title, parts in buffers(transfers(run)).items()
    ]


def _table(campaign: Campaign) -> Table:
    notes = list(filter(None, [interval_note(campaign)]))
    return Table(campaign.name, TRANSFER_HEADINGS, rows(campaign), notes, spare=_SPARE, brief=campaign.title)


def rows(campaign: Campaign) -> list[list[str]]:
    """Return the cells of a campaign's table under TRANSFER_HEADINGS, one row a number of segments."""
    times = [part.times_ns / 1e3 for part in campaign.parts]
    columns = [
        aligned([str(part.segments) for part in campaign.parts]),
        right([format_size(part.segment_bytes) for part in campaign.parts]),
        aligned([str(values.size) for values in times]),
        aligned([significant(float(np.median(values))) for values in times]),
        aligned([significant(within.value / 1e3) for within in campaign.within]),
        [_bounds(within) for within in campaign.within],
        aligned([significant(float(values.max())) for values in times]),
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def interval_note(campaign: Campaign) -> str:
    """Say why intervals or upper bounds are lacking; empty if none is."""
    if any(within.low is None for within in campaign.within):
        return f"Fewer than {MINIMUM_FOR_INTERVAL} launches give no interval."
    if any(within.high is None for within in campaign.within):
        fewest = min(within.independent for within in campaign.within)
        return (
            f"No upper bound: that takes 36 independent transfers, and the fewest here are worth {fewest}; more "
            "launches or repetitions give it."
        )
    return ""


def _bounds(within: Within) -> str:
    """Return the ends of the interval in microseconds; a dash if there is none."""
    if within.low is None:
        return DASH
    high = "no bound" if within.high is None else significant(within.high / 1e3)
    return f"{significant(within.low / 1e3)} {DASH} {high}"


def _histogram(shown: list[Campaign]) -> Histogram:
    """Return for each number of segments how many transfers took how long, in bins of equal ratio."""
    parts = [
        (part.segments, number, part.times_ns / 1e3) for number, campaign in enumerate(shown) for part in campaign.parts
    ]
    everything = np.concatenate([times for *_, times in parts])
    edges = np.geomspace(everything.min() * 0.999, everything.max() * 1.001, _BINS + 1).tolist()
    return Histogram(
        title="Transfer times",
        x=_TIME,
        y="share of transfers",
        by="by number of segments",
        edges=edges,
        rows=[
            (
                counted(segments, "segment"),
                f"Transfer times with {segments} segments; the tables have the figures",
                {number: (np.histogram(times, edges)[0] / times.size).tolist() for _, number, times in those},
            )
            for segments, those in sorted(grouped(parts, lambda part: part[0]).items())
        ],
    )


def _within_chart(shown: list[Campaign]) -> Chart:
    """Return the time within which 90 % are over against the length of a segment, a line with its interval each."""
    curves = []
    for campaign in shown:
        lengths = [part.segment_bytes for part in campaign.parts]
        points = zip(lengths, (within.value / 1e3 for within in campaign.within), strict=True)
        curves.append(Curve.of(campaign.name, list(points), intervals=list(map(_ends, campaign.within))))
    words = "Time within which 90% of transfers are over, against the length of a segment; the tables have the figures"
    return Chart("90% of transfers are over within", "length of a segment", _TIME, curves, words=words)


def _ends(within: Within) -> tuple[float | None, float | None]:
    low, high = (None if end is None else end / 1e3 for end in (within.low, within.high))
    return low, high
