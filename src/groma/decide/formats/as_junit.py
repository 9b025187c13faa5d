"""JUnit's XML, which CI systems show as tests: a point is a test, and slower is a failure.

A point that is not decided is skipped; of a gate it is an error, unless it is to be skipped.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from groma.analysis.compare import CANNOT_TELL
from groma.decide.comparing import Compared, Row
from groma.decide.formats import interval
from groma.decide.gating import Gate, is_suspect
from groma.text.numbers import significant

# Characters that XML 1.0 has no place for, such as escapes in an environment variable.
_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return one suite; a verdict that holds for two runs alone, or of an advisory gate, is no failure."""
    failing = [row for row in compared.rows if _fails(row, gate)]
    undecided = [row for row in compared.rows if row not in failing and _is_open(row, gate)]
    kind = "skipped" if gate is None or gate.skips_undecided else "error"
    suite = ET.Element(
        "testsuite",
        name=legal(f"{compared.names[1]} against {compared.names[0]}"),
        tests=str(len(compared.rows)),
        failures=str(len(failing)),
        errors=str(len(undecided) if kind == "error" else 0),
        skipped=str(len(undecided) if kind == "skipped" else 0),
    )
    properties = ET.SubElement(suite, "properties")
    for difference in compared.differences:
        value = legal(f"{difference.first} -> {difference.second}")
        ET.SubElement(properties, "property", name=legal(f"{difference.kind}: {difference.name}"), value=value)
    for row in compared.rows:
        case = ET.SubElement(suite, "testcase", classname=legal(row.first.operation), name=legal(row.label))
        verdict = legal(f"{row.words}: ratio {significant(row.ratio)}, 95% interval {interval(row)}")
        if row in failing:
            ET.SubElement(case, "failure", message=verdict, type="slower")
        elif row in undecided:
            ET.SubElement(case, kind, {"message": verdict} | ({"type": "not decided"} if kind == "error" else {}))
        else:
            ET.SubElement(case, "system-out").text = verdict
    remarks = [*([gate.sentence] if gate else []), *(entry.words() for entry in compared.left_out), *compared.sentences]
    ET.SubElement(suite, "system-out").text = legal("\n".join(remarks))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")


def _fails(row: Row, gate: Gate | None) -> bool:
    slower = row.verdict == "slower" and row.basis != "these runs"
    return slower and (gate is None or gate.code == 4)


def _is_open(row: Row, gate: Gate | None) -> bool:
    """Return whether a point has no verdict; a gate asks only whether it is slower by more than the margin."""
    if gate is None:
        return row.verdict in ("slower", "not decided", CANNOT_TELL)
    return is_suspect(row.interval, gate.compared.margin)


def legal(text: str) -> str:
    """Return a text without characters that XML has no place for."""
    return _ILLEGAL.sub("?", text)
