"""An explanation as files: explain.html, which needs no network, and its figures as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from groma.errors import writing
from groma.explain.attribution import Attribution
from groma.explain.factors import MethodPair
from groma.explain.sentences import (
    factors_table,
    is_shown,
    not_shown,
    ratio_and_interval,
    sentences,
    too_few_launches,
)
from groma.report.templating import rendered, save
from groma.text.charts import Row, Rows, Track, axes


def write_figures(comparison: MethodPair, attribution: Attribution, path: Path) -> None:
    """Write the figures for other programs."""
    terms = [
        *zip([change.name for change in comparison.changes], attribution.shares, strict=True),
        ("total", attribution.total),
    ]
    document = {
        "schema": 1,
        "between": list(comparison.names),
        "common": comparison.common,
        "changes": {change.name: {"before": change.before, "after": change.after} for change in comparison.changes},
        "launches": attribution.launches,
        "before_ns": attribution.before_ns,
        "after_ns": attribution.after_ns,
        "log_ratios": {
            name: {"value": term.log, "interval": [term.interval.low, term.interval.high] if term.interval else None}
            for name, term in terms
        },
    }
    with writing(path, "free some space"):
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def write_page(comparison: MethodPair, attribution: Attribution, path: Path, doubts: Sequence[str] = ()) -> Path:
    """Write the page, with what is doubtful, and return its path; raises `OutputError` if it cannot be written."""
    page = rendered(
        "explain.html",
        "groma.explain",
        comparison=comparison,
        attribution=attribution,
        sentences=sentences(comparison, attribution),
        doubts=[*doubts, *too_few_launches(attribution)],
        factors=factors_table(comparison, attribution),
        waterfall=waterfall(comparison, attribution),
    )
    return save(page, path, "free some space")


@dataclass(frozen=True)
class Step:
    """A bar of the waterfall: its ends in microseconds, its kind and what it shows in words.

    `bounds` holds where the interval of a factor's ratio would end its bar.
    """

    name: str
    low: float
    high: float
    text: str
    kind: str
    bounds: tuple[float, float] | None = None


def steps(comparison: MethodPair, attribution: Attribution) -> list[Step]:
    """Return the bars from the first method's time to the second's."""
    first, second = comparison.names
    start = attribution.before_ns / 1e3
    ends = [float(end) for end in start * np.exp(np.cumsum([0.0, *(share.log for share in attribution.shares)]))]
    bounds = _bounds(ends, attribution)
    least = min([*ends, *(end for pair in bounds if pair for end in pair)]) * 0.9
    bars = [Step(first, least, start, f"{start:.4g} \u00b5s", "total")]
    for change, share, (before, after), reach in zip(
        comparison.changes, attribution.shares, pairwise(ends), bounds, strict=True
    ):
        kind = "slower" if after > before else "faster"
        text = ratio_and_interval(share) + ("" if is_shown(share) else f", {not_shown(share)}")
        low, high = sorted((before, after))
        bars.append(Step(change.words(), low, high, text, kind if is_shown(share) else "unclear", reach))
    return [*bars, Step(second, least, ends[-1], f"{ends[-1]:.4g} \u00b5s", "total")]


def _bounds(ends: list[float], attribution: Attribution) -> list[tuple[float, float] | None]:
    """Return where the intervals' bounds would end each factor's bar, in microseconds."""
    return [
        (start * math.exp(share.interval.low), start * math.exp(share.interval.high)) if share.interval else None
        for start, share in zip(ends, attribution.shares, strict=False)
    ]


def waterfall(comparison: MethodPair, attribution: Attribution) -> Rows:
    """Return the bars on a logarithmic axis of time."""
    bars = steps(comparison, attribution)
    ends = [end for bar in bars for end in (bar.low, bar.high, *(bar.bounds or ()))]
    axis = axes.levels("\u00b5s, logarithmic", ends, shared=True)
    rows = []
    for bar in bars:
        track = Track(axis)
        track.area(bar.low, bar.high, "bar")
        if bar.bounds:
            track.interval(*bar.bounds)
        rows.append(Row(bar.name, bar.kind, track.svg(f"{bar.name}: {bar.text}"), bar.text))
    return Rows(rows, axis)
