"""OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec), for a monitoring system."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from groma.decide.comparing import Compared, Row
from groma.decide.gating import Gate

_VERDICTS = ("slower", "faster", "same", "not decided", "cannot tell")


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return gauges of times in seconds and of ratios, a state set of verdicts, and the end that is asked for."""
    gauges = [
        _gauge(compared, "groma_time_seconds", "Time of the second side.", lambda row: row.times_ns[1] * 1e-9),
        _gauge(compared, "groma_baseline_seconds", "Time of the first side.", lambda row: row.times_ns[0] * 1e-9),
        _gauge(compared, "groma_ratio", "Time of the second side over that of the first.", lambda row: row.ratio),
        _gauge(compared, "groma_ratio_low", "Lower end of the 95 % interval of the ratio.", _low),
        _gauge(compared, "groma_ratio_high", "Upper end of the 95 % interval of the ratio.", _high),
        _states(compared),
    ]
    lines = [line for gauge in gauges for line in gauge]
    if gate is not None:
        lines += ["# TYPE groma_gate_exit_code gauge", f"groma_gate_exit_code {int(gate.code)}"]
    return "\n".join([*lines, "# EOF"])


def _gauge(compared: Compared, name: str, text: str, value: Callable[[Row], float | None]) -> Iterator[str]:
    yield f"# TYPE {name} gauge"
    if name.endswith("_seconds"):
        yield f"# UNIT {name} seconds"
    yield f"# HELP {name} {text}"
    for row in compared.rows:
        measured = value(row)
        if measured is not None:
            yield _sample(name, row, measured)


def _states(compared: Compared) -> Iterator[str]:
    yield "# TYPE groma_verdict stateset"
    yield "# HELP groma_verdict Verdict on the second side."
    for row in compared.rows:
        for verdict in _VERDICTS:
            yield _sample("groma_verdict", row, int(row.verdict == verdict), verdict)


def _sample(name: str, row: Row, value: float, state: str | None = None) -> str:
    labels = {"point": row.label, "operation": row.first.operation, "ranks": str(row.first.ranks)}
    labels |= {} if row.first.bytes is None else {"bytes": str(row.first.bytes)}
    labels |= {} if state is None else {name: state}
    written_labels = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{written_labels}}} {_number(value)}"


def _low(row: Row) -> float | None:
    return row.interval.low if row.interval else None


def _high(row: Row) -> float | None:
    return row.interval.high if row.interval else None


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))
