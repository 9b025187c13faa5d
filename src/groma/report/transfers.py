"""Campaigns of broadcasts in segments, side by side on a page: histograms and the time within which 90 % are over."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.analysis.segments import gain_of
from groma.analysis.transfers import transfers
from groma.errors import InputError, OutputError
from groma.report import axes
from groma.report.campaigns import NOTE, TRANSFER_HEADINGS, Campaign, bounds, campaigns, interval_note, rows
from groma.report.charts import COLOURS, Chart, Curve, Plan, Point, draw, keys
from groma.report.drawing import Drawing, symbols
from groma.report.numbers import DASH, significant
from groma.report.templating import templates
from groma.sizes import format_size
from groma.studies.bcast_test import sentence

if TYPE_CHECKING:
    from markupsafe import Markup
    from numpy.typing import NDArray

    from groma.analysis.transfers import Transfers, Within
    from groma.results import Run

_BINS, _ROW_HEIGHT = 30, 64
_TIME = "\N{MICRO SIGN}s"


def figures(runs: list[Run]) -> dict[str, Any]:
    """Return the variables of templates/transfers.html; `campaigns` is empty where no run has transfers."""
    found = campaigns(runs)
    return {
        "campaigns": [(one.name, rows(one), interval_note(one)) for one in found],
        "transfer_headings": TRANSFER_HEADINGS,
        "transfer_note": NOTE,
        "within_chart": within_chart(found) if found else None,
        "histogram": histogram(found) if found else [],
    }


def write_comparison(runs: list[Run], path: Path) -> Path:
    """Write several campaigns as one page.

    Raises InputError where a run has no transfers, OutputError where the page cannot be written.
    """
    for run in runs:
        if not transfers(run):
            raise InputError(
                f"{run.path} has no broadcasts in segments recorded rank by rank, which are what stands side by side; "
                "name one run, or runs of groma run --profile bcast_test"
            )
    gains = [sentence(gain_of(one.parts), one.name) for one in campaigns(runs)]
    page = templates().get_template("campaigns.html").render(figures(runs), runs=runs, gains=gains, symbols=symbols())
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"{path} cannot be written ({error.strerror or error}); give another place with -o"
        ) from error
    return path


def histogram(found: list[Campaign]) -> list[tuple[int, Markup]]:
    """Draw for each number of segments how many transfers took how long, in bins of equal ratio, on one axis."""
    times: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}
    for number, one in enumerate(found):
        for part in one.parts:
            times.setdefault(part.segments, []).append((number, part.times_ns / 1e3))
    everything = np.concatenate([values for campaign in times.values() for _, values in campaign])
    edges = np.geomspace(everything.min() * 0.999, everything.max() * 1.001, _BINS + 1).tolist()
    across = axes.levels(_TIME, edges)
    shares = {segments: [_shares(values, edges) for _, values in campaign] for segments, campaign in times.items()}
    most = max(share for campaign in shares.values() for row in campaign for share in row)
    drawn = []
    for segments, found_times in sorted(times.items()):
        upright = axes.even("share of transfers", 0, most, lambda part: f"{part:.0%}", count=3)
        drawing = Drawing(across, upright, _ROW_HEIGHT)
        for (number, _), row in zip(found_times, shares[segments], strict=True):
            bars = [(*ends, 0.0, share) for ends, share in zip(pairwise(edges), row, strict=True) if share]
            drawing.rectangles(bars, f"s{number % COLOURS + 1}")
        drawn.append((segments, drawing.svg(f"Transfer times with {segments} segments; the tables have the figures")))
    return drawn


def within_chart(found: list[Campaign]) -> Chart:
    """Draw the time within which 90 % are over against the length of a segment, a line with its interval a campaign."""
    curves = [
        Curve(one.name, [_within(part, within) for part, within in zip(one.parts, one.within, strict=True)])
        for one in found
    ]
    label = "Time within which 90% of transfers are over, against the length of a segment; the tables have the figures"
    plan = Plan("length of a segment", _TIME, label)
    return Chart("within", "90% of transfers are over within", _TIME, keys(curves), draw(curves, plan))


def _within(part: Transfers, within: Within) -> Point:
    value, low, high = (None if time is None else time / 1e3 for time in (within.value, within.low, within.high))
    ends = bounds(within).replace(DASH, "to")
    text = f"{format_size(part.segment_bytes)}: {significant(value)} {_TIME}\n95% interval: {ends}"
    return Point(part.segment_bytes, within.value / 1e3, low, high if low else None, text)


def _shares(values: NDArray[np.float64], edges: list[float]) -> list[float]:
    return [float(count) / values.size for count in np.histogram(values, edges)[0]]
