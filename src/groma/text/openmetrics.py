"""OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec), for a monitoring system.

It has gauges only, so that what reads Prometheus's older text format reads it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Labels = Mapping[str, str]


@dataclass(frozen=True)
class Gauge:
    """A metric, what it is, and its values by their labels; None is a value that is not known, and is not written."""

    name: str
    meaning: str
    values: Sequence[tuple[Labels, float | None]]


def written(gauges: Iterable[Gauge]) -> str:
    """Return the text of gauges; one without values is left out."""
    return "\n".join([*(line for gauge in gauges for line in _lines(gauge)), "# EOF", ""])


def _lines(gauge: Gauge) -> Iterator[str]:
    known = [(labels, value) for labels, value in gauge.values if value is not None]
    if not known:
        return
    yield f"# TYPE {gauge.name} gauge"
    if gauge.name.endswith("_seconds"):
        yield f"# UNIT {gauge.name} seconds"
    yield f"# HELP {gauge.name} {_escaped(gauge.meaning)}"
    for labels, value in known:
        texts = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items() if text)
        yield f"{gauge.name}{{{texts}}} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return repr(int(value) if isinstance(value, int) else float(value))
