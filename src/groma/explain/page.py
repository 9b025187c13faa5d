"""explain.html: the sentences, the table and a waterfall from one method's time to the other's; needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from groma.errors import OutputError
from groma.explain.sentences import ratio_text, rows, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.explain.attribution import Attribution
    from groma.explain.factors import Comparison

# The browser's letters may be wider than those that the chart was laid out with.
_PADDING = {"left": 60, "top": 5, "right": 70, "bottom": 10}
# Middle tones: they are seen on a light and on a dark page.
_SLOWER, _FASTER, _TOTAL, _TEXT = "#d9752b", "#2f8f6b", "#4f87b8", "#808890"


def write_page(comparison: Comparison, found: Attribution, path: Path, doubts: Sequence[str] = ()) -> Path:
    """Write the page, with what is doubtful, and return its path; raises `OutputError` where it cannot be written."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader("groma.explain"), PackageLoader("groma.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    svg = vl_convert.vegalite_to_svg(waterfall(comparison, found).to_dict())
    page = templates.get_template("explain.html").render(
        comparison=comparison,
        found=found,
        sentences=sentences(comparison, found),
        doubts=doubts,
        rows=rows(comparison, found),
        chart=Markup(svg),  # noqa: S704 - drawn from numbers and the catalogue's words
        description="; ".join(f"{row[0]}: {row[2]}" for row in rows(comparison, found)),
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be written ({error.strerror or error}); free some space") from error
    return path


def steps(comparison: Comparison, found: Attribution) -> list[dict[str, Any]]:
    """Return the bars from the first method's time to the second's: name, ends in microseconds, text and kind."""
    first, second = comparison.names
    start = found.before_ns / 1e3
    ends = start * np.exp(np.cumsum([0.0, *(share.log for share in found.shares)]))
    least = float(min(ends)) * 0.9
    bars = [{"name": first, "low": least, "high": start, "text": f"{start:.4g} µs", "kind": "total"}]
    for change, share, before, after in zip(comparison.changes, found.shares, ends, ends[1:], strict=False):
        kind = "slower" if after > before else "faster"
        low, high = sorted((float(before), float(after)))
        bars.append({"name": change.words(), "low": low, "high": high, "text": ratio_text(share), "kind": kind})
    last = float(ends[-1])
    return [*bars, {"name": second, "low": least, "high": last, "text": f"{last:.4g} µs", "kind": "total"}]


def waterfall(comparison: Comparison, found: Attribution) -> alt.LayerChart:
    """Draw the bars below each other on a logarithmic axis of time."""
    bars = steps(comparison, found)
    order = [bar["name"] for bar in bars]
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=["slower", "faster", "total"], range=[_SLOWER, _FASTER, _TOTAL]), legend=None
    )
    name = alt.Y("name:N", sort=order, axis=alt.Axis(title=None, labelLimit=420, labelFontSize=12, ticks=False))
    axis = alt.Axis(title="µs, logarithmic", format="~r", tickCount=5, grid=True, gridOpacity=0.25)
    low = alt.X("low:Q", scale=alt.Scale(type="log", nice=False), axis=axis)
    base = alt.Chart(pl.DataFrame(bars))
    drawn = base.mark_bar(height=16).encode(y=name, x=low, x2="high:Q", color=colour)
    texts = base.mark_text(align="left", dx=6, fontSize=12, color=_TEXT).encode(y=name, x="high:Q", text="text:N")
    colours = {"labelColor": _TEXT, "titleColor": _TEXT, "domain": False}
    chart: alt.LayerChart = (
        alt.layer(drawn, texts)
        .properties(width=560, height=30 * len(bars), background="transparent", padding=_PADDING)
        .configure_view(stroke=None)
        .configure_axis(**colours)
    )
    return chart
