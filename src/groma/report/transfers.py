"""Campaigns of broadcasts in segments, side by side on a page: histograms and the time within which 90 % are over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from groma.analysis.transfers import transfers
from groma.errors import InputError, OutputError
from groma.report.campaigns import NOTE, TRANSFER_HEADINGS, Campaign, campaigns, interval_note, rows
from groma.sizes import format_size

if TYPE_CHECKING:
    from groma.results import Run

# Middle tones, seen on a light and on a dark page; the page's own colours are for charts that its script draws.
_COLOURS = ("#4f87b8", "#d9752b", "#2f8f6b", "#b0568c", "#8a7a2a", "#6b6bd0", "#b04a4a", "#5a8f8f")
_TEXT = "#808890"
_BINS = 30


def figures(runs: list[Run]) -> dict[str, Any]:
    """Return the variables of templates/transfers.html; `campaigns` is empty where no run has transfers."""
    found = campaigns(runs)
    return {
        "campaigns": [(one.name, rows(one), interval_note(one)) for one in found],
        "transfer_headings": TRANSFER_HEADINGS,
        "transfer_note": NOTE,
        "histogram": _svg(histogram(found)) if found else "",
        "within_chart": _svg(within_chart(found)) if found else "",
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
    templates = Environment(
        loader=PackageLoader("groma.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = templates.get_template("campaigns.html").render(figures(runs), runs=runs)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"{path} cannot be written ({error.strerror or error}); give another place with -o"
        ) from error
    return path


def histogram(found: list[Campaign]) -> alt.FacetChart:
    """Draw how many transfers took how long: a row for each number of segments, bins of equal ratio."""
    everything = np.concatenate([part.times_ns for one in found for part in one.parts]) / 1e6
    low, high = everything.min() * 0.999, everything.max() * 1.001
    edges = np.geomspace(low, high, _BINS + 1)
    data = [
        {
            "campaign": one.name,
            "segments": part.segments,
            "from": edges[at],
            "to": edges[at + 1],
            "share": count / size,
            "none": 0,
        }
        for one in found
        for part in one.parts
        for size in [part.times_ns.size]
        for at, count in enumerate(np.histogram(part.times_ns / 1e6, edges)[0])
        if count
    ]
    axis = alt.Axis(title="ms, logarithmic", format="~r", tickCount=6)
    chart = (
        alt.Chart(pl.DataFrame(data))
        .mark_rect(opacity=0.6)
        .encode(
            x=alt.X("from:Q", scale=alt.Scale(type="log", nice=False, domain=[low, high]), axis=axis),
            x2="to:Q",
            y=alt.Y("share:Q", axis=alt.Axis(title=None, format="%", tickCount=2)),
            y2="none:Q",
            color=_colour(found),
        )
        .properties(width=560, height=46)
        .facet(
            row=alt.Row("segments:O", header=alt.Header(title="segments", labelAngle=0, labelAlign="left")), spacing=8
        )
    )
    drawn: alt.FacetChart = _quiet(chart)
    return drawn


def within_chart(found: list[Campaign]) -> alt.LayerChart:
    """Draw the time within which 90 % are over against the length of a segment, a line with intervals per campaign."""
    data = [
        {
            "campaign": one.name,
            "bytes": part.segment_bytes,
            "value": within.value / 1e6,
            "low": (within.low or within.value) / 1e6,
            "high": (within.high or within.value) / 1e6,
        }
        for one in found
        for part, within in zip(one.parts, one.within, strict=True)
    ]
    sizes = sorted({part.segment_bytes for one in found for part in one.parts})
    label = f"{{{', '.join(f'{size}: {format_size(size)!r}' for size in sizes)}}}[datum.value]"
    axis = alt.Axis(title="length of a segment", values=sizes, labelExpr=label, grid=False)
    base = alt.Chart(pl.DataFrame(data)).encode(
        x=alt.X("bytes:Q", scale=alt.Scale(type="log", base=2, nice=False), axis=axis), color=_colour(found)
    )
    times = alt.Axis(title="ms, logarithmic", format="~r", tickCount=6, gridOpacity=0.25)
    y = alt.Y("value:Q", scale=alt.Scale(type="log", zero=False), axis=times)
    layers = alt.layer(
        base.mark_line(strokeWidth=1.75).encode(y=y),
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(y=alt.Y("low:Q", axis=times), y2="high:Q"),
        base.mark_point(filled=True, size=34).encode(y=y),
    )
    drawn: alt.LayerChart = _quiet(layers.properties(width=560, height=260))
    return drawn


def _colour(found: list[Campaign]) -> alt.Color:
    names = [one.name for one in found]
    legend = alt.Legend(title=None, orient="top", labelLimit=420, columns=1) if len(names) > 1 else None
    colours = [_COLOURS[place % len(_COLOURS)] for place in range(len(names))]
    return alt.Color("campaign:N", scale=alt.Scale(domain=names, range=colours), legend=legend)


def _quiet(chart: Any) -> Any:  # noqa: ANN401 - Altair's charts share methods, not a type
    colours = {"labelColor": _TEXT, "titleColor": _TEXT}
    return (
        chart.properties(background="transparent")
        .configure_view(stroke=None)
        .configure_axis(**colours, domain=False, gridColor=_TEXT, gridOpacity=0.2)
        .configure_header(**colours)
        .configure_legend(**colours)
    )


def _svg(chart: Any) -> Markup:  # noqa: ANN401 - as above
    return Markup(vl_convert.vegalite_to_svg(chart.to_dict()))  # noqa: S704 - drawn from numbers and run names
