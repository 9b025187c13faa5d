"""A judgement by limits in every format: text and Markdown for people; JSON, JUnit and OpenMetrics for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

from groma.analysis.limits import Line
from groma.decide.formats.as_junit import legal
from groma.decide.gating import Code
from groma.decide.limits import Limited
from groma.tables.openmetrics import place_of, run_labels
from groma.text import openmetrics
from groma.text.lines import texts
from groma.text.numbers import DASH, significant
from groma.text.openmetrics import Gauge
from groma.text.tables import Table, escaped, markdown_lines, table_lines

SCHEMA = 1
_VERDICTS = ("pass", "fail", "not decided", "not measured")


def written(limited: Limited, form: str) -> str:
    """Return a judgement in the format of a name, with a line feed at the end."""
    return _FORMATS[form](limited).rstrip("\n") + "\n"


def limits_table(limited: Limited) -> Table:
    """Return a row for every limit: point, figure, value and interval, bounds and verdict."""
    rows = [
        [
            line.label,
            line.figure,
            significant(line.value),
            line.interval.text() if line.interval else DASH,
            line.limit.unit,
            line.allowed.removesuffix(line.limit.unit).rstrip(),
            line.words,
        ]
        for line in limited.judgement.lines
    ]
    return Table("Limits", ["point", "figure", "value", "95% interval", "unit", "limit", "verdict"], rows)


def _text(limited: Limited) -> str:
    lines = [limited.sentence, "", *texts(table_lines(limits_table(limited)))]
    return "\n".join([*lines, "", "Notes", *(f"  {remark}" for remark in limited.judgement.remarks)])


def _markdown(limited: Limited) -> str:
    lines = [f"**{escaped(limited.sentence)}**", "", *markdown_lines(limits_table(limited)), ""]
    return "\n".join([*lines, *(f"* {escaped(remark)}" for remark in limited.judgement.remarks)])


def _json(limited: Limited) -> str:
    document = {
        "schema": SCHEMA,
        "limits": limited.judgement.path,
        "runs": [str(run.path) for run in limited.runs],
        "gate": {"exit_code": int(limited.code), "sentence": limited.sentence},
        "points": [_object(line) for line in limited.judgement.lines],
        "sentences": list(limited.judgement.remarks),
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _object(line: Line) -> dict[str, Any]:
    limit, bounds = line.limit, line.limit.bounds
    return {
        "point": line.label,
        **limit.fields,
        "ranks": line.point.member_count if line.point else limit.ranks,
        "figure": limit.figure.name,
        "unit": limit.unit,
        "value": _known(line.value),
        "interval": list(_ends(line)) if line.interval else None,
        "reference": limit.value,
        "low": _known(bounds.low),
        "high": _known(bounds.high),
        "verdict": line.verdict,
        "further": line.further if line.verdict == "not decided" else 0,
    }


def _junit(limited: Limited) -> str:
    """Return one suite: a limit that is not kept fails, unless the gate is advisory; what is open is an error."""
    lines = limited.judgement.lines
    failing = [line for line in lines if line.verdict == "fail" and limited.code == Code.REGRESSION]
    undecided = [line for line in lines if line.verdict != "pass" and line not in failing]
    kind = "skipped" if limited.skips_undecided else "error"
    suite = ET.Element(
        "testsuite",
        name=legal(f"{limited.judgement.name} by {limited.judgement.path}"),
        tests=str(len(lines)),
        failures=str(len(failing)),
        errors=str(len(undecided) if kind == "error" else 0),
        skipped=str(len(undecided) if kind == "skipped" else 0),
    )
    for line in lines:
        operation = str(line.limit.fields["operation"])
        case = ET.SubElement(suite, "testcase", classname=legal(operation), name=legal(f"{line.label}: {line.figure}"))
        verdict = legal(f"{line.words}: {line.found}, {line.allowed}")
        if line in failing:
            ET.SubElement(case, "failure", message=verdict, type="limit")
        elif line in undecided:
            ET.SubElement(case, kind, message=verdict, type=line.verdict)
        else:
            ET.SubElement(case, "system-out").text = verdict
    remarks = [limited.sentence, *limited.judgement.remarks]
    ET.SubElement(suite, "system-out").text = legal("\n".join(remarks))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")


def _openmetrics(limited: Limited) -> str:
    """Return gauges of figures, their intervals and bounds, in the units of the limits, and of verdicts."""
    lines = limited.judgement.lines
    of_run = run_labels(limited.runs[0])
    own = [_labels(line, of_run) for line in lines]

    def gauge(name: str, meaning: str, value: Callable[[Line], float | None]) -> Gauge:
        return Gauge(name, meaning, [(label, value(line)) for label, line in zip(own, lines, strict=True)])

    verdicts = [
        ({**label, "verdict": verdict}, int(line.verdict == verdict))
        for label, line in zip(own, lines, strict=True)
        for verdict in _VERDICTS
    ]
    ended = [(of_run, int(limited.code))]
    return openmetrics.written(
        [
            gauge("groma_limited", "Figure that has a limit.", lambda line: _known(line.value)),
            gauge("groma_limited_low", "Lower end of its interval.", lambda line: _ends(line)[0]),
            gauge("groma_limited_high", "Upper end of its interval.", lambda line: _ends(line)[1]),
            gauge("groma_limit_low", "Smallest figure that passes.", lambda line: _known(line.limit.bounds.low)),
            gauge("groma_limit_high", "Largest figure that passes.", lambda line: _known(line.limit.bounds.high)),
            Gauge("groma_limit_verdict", "1 for the verdict on the figure, 0 for the others.", verdicts),
            Gauge("groma_gate_exit_code", "How the gate ended.", ended),
        ]
    )


def _labels(line: Line, of_run: dict[str, str]) -> dict[str, str]:
    place = {"point": line.label, "operation": str(line.limit.fields["operation"]), **of_run}
    own = place_of(line.point, line.label) if line.point else place
    return {**own, "figure": line.limit.figure.name, "unit": line.limit.unit}


def _ends(line: Line) -> tuple[float | None, float | None]:
    return (line.interval.low, _known(line.interval.high)) if line.interval else (None, None)


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


_FORMATS: dict[str, Callable[[Limited], str]] = {
    "text": _text,
    "markdown": _markdown,
    "json": _json,
    "junit": _junit,
    "openmetrics": _openmetrics,
}
