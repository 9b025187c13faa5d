"""explain.json: the figures of an explanation, for other programs."""

from __future__ import annotations

import json
from pathlib import Path

from groma.errors import writing
from groma.explain import Attribution, MethodPair


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
