"""explain.html: the sentences, the table and a waterfall from one method's time to the other's; needs no network."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.errors import writing
from groma.explain.sentences import (
    is_shown,
    not_shown,
    ratio_and_interval,
    rows,
    sentences,
    too_few_launches,
)
from groma.report import axes
from groma.report.templating import templates
from groma.text.secret import write_for_owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.explain.attribution import Attribution
    from groma.explain.factors import MethodPair
    from groma.report.axes import Axis


def write_page(comparison: MethodPair, attribution: Attribution, path: Path, doubts: Sequence[str] = ()) -> Path:
    """Write the page, with what is doubtful, and return its path; raises `OutputError` where it cannot be written."""
    bars, axis = waterfall(comparison, attribution)
    page = (
        templates("groma.explain")
        .get_template("explain.html")
        .render(
            comparison=comparison,
            attribution=attribution,
            sentences=sentences(comparison, attribution),
            doubts=[*doubts, *too_few_launches(attribution)],
            rows=rows(comparison, attribution),
            bars=bars,
            ticks=[(tick, axis.at(tick.value)) for tick in axis.ticks],
        )
    )
    with writing(path, "free some space"):
        write_for_owner(path, page)
    return path


def steps(comparison: MethodPair, attribution: Attribution) -> list[dict[str, Any]]:
    """Return the bars from the first method's time to the second's: name, ends in microseconds, text and kind.

    `bounds` holds where the interval of a factor's ratio would end its bar.
    """
    first, second = comparison.names
    start = attribution.before_ns / 1e3
    ends = [float(end) for end in start * np.exp(np.cumsum([0.0, *(share.log for share in attribution.shares)]))]
    bounds = _bounds(ends, attribution)
    least = min([*ends, *(end for pair in bounds if pair for end in pair)]) * 0.9
    bars = [_total(first, least, start)]
    for change, share, (before, after), reach in zip(
        comparison.changes, attribution.shares, pairwise(ends), bounds, strict=True
    ):
        kind = "slower" if after > before else "faster"
        low, high = sorted((before, after))
        bars.append(
            {
                "name": change.words(),
                "low": low,
                "high": high,
                "text": ratio_and_interval(share) + ("" if is_shown(share) else f", {not_shown(share)}"),
                "kind": kind if is_shown(share) else "unclear",
                "bounds": reach,
            }
        )
    return [*bars, _total(second, least, ends[-1])]


def _total(name: str, low: float, time_us: float) -> dict[str, Any]:
    text = f"{time_us:.4g} \u00b5s"
    return {"name": name, "low": low, "high": time_us, "text": text, "kind": "total", "bounds": None}


def _bounds(ends: list[float], attribution: Attribution) -> list[tuple[float, float] | None]:
    """Return where the intervals' bounds would end each factor's bar, in microseconds."""
    return [
        (start * math.exp(share.interval.low), start * math.exp(share.interval.high)) if share.interval else None
        for start, share in zip(ends, attribution.shares, strict=False)
    ]


def waterfall(comparison: MethodPair, attribution: Attribution) -> tuple[list[dict[str, Any]], Axis]:
    """Return the bars with their places on a logarithmic axis of time, in percent, and the axis."""
    bars = steps(comparison, attribution)
    ends = [end for bar in bars for end in (bar["low"], bar["high"], *(bar["bounds"] or ()))]
    axis = axes.levels("\u00b5s, logarithmic", ends, shared=True)
    for bar in bars:
        bar["left"], right = (100 * axis.at(bar[end]) for end in ("low", "high"))
        bar["width"] = right - bar["left"]
        bar["reach"] = [100 * axis.at(end) for end in bar["bounds"]] if bar["bounds"] else None
    return bars, axis
