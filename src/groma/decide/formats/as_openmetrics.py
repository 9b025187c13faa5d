"""OpenMetrics: times of both sides, ratios and verdicts."""

from __future__ import annotations

from collections.abc import Callable

from groma.decide.comparing import Compared, Row
from groma.decide.gating import Gate
from groma.tables.openmetrics import place_of, run_labels
from groma.text import openmetrics
from groma.text.openmetrics import Gauge

_VERDICTS = ("slower", "faster", "same", "not decided", "cannot tell")


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return gauges of times in seconds, of ratios and of verdicts; labels are those of the second side's run."""
    labels = [place_of(row.second, row.label) | {"baseline": compared.names[0]} for row in compared.rows]

    def gauge(name: str, meaning: str, value: Callable[[Row], float | None]) -> Gauge:
        return Gauge(name, meaning, [(own, value(row)) for own, row in zip(labels, compared.rows, strict=True)])

    verdicts = [
        ({**own, "verdict": verdict}, int(row.verdict == verdict))
        for own, row in zip(labels, compared.rows, strict=True)
        for verdict in _VERDICTS
    ]
    ended = [] if gate is None else [Gauge("groma_gate_exit_code", "How the gate ended.", [(_of(compared), gate.code)])]
    return openmetrics.written(
        [
            gauge("groma_time_seconds", "Time of the second side.", lambda row: row.times_ns[1] * 1e-9),
            gauge("groma_baseline_seconds", "Time of the first side.", lambda row: row.times_ns[0] * 1e-9),
            gauge("groma_ratio", "Time of the second side over that of the first.", lambda row: row.ratio),
            gauge("groma_ratio_low", "Lower end of the 95 % interval of the ratio.", lambda row: _end(row, "low")),
            gauge("groma_ratio_high", "Upper end of the 95 % interval of the ratio.", lambda row: _end(row, "high")),
            Gauge("groma_verdict", "1 for the verdict on the second side, 0 for the others.", verdicts),
            *ended,
        ]
    )


def _end(row: Row, end: str) -> float | None:
    return None if row.interval is None else float(getattr(row.interval, end))


def _of(compared: Compared) -> dict[str, str]:
    """Return the labels of the run of the second side, which all its points share."""
    run = compared.rows[0].second.table.run
    return (run_labels(run) if run else {}) | {"baseline": compared.names[0]}
