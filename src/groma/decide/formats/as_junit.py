"""JUnit's XML, which CI systems show as tests: a point is a test, slower is a failure, not decided is skipped."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from groma.decide.comparing import CANNOT_TELL, Compared, Row
from groma.decide.formats import interval
from groma.decide.gating import Gate
from groma.text.numbers import significant

# Characters that XML 1.0 has no place for, such as escapes in an environment variable.
_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return one suite; a verdict that holds for two runs alone, or of an advisory gate, is no failure."""
    failing = [row for row in compared.rows if _fails(row, gate)]
    skipped = [
        row for row in compared.rows if row not in failing and row.verdict in ("slower", "not decided", CANNOT_TELL)
    ]
    suite = ET.Element(
        "testsuite",
        name=legal(f"{compared.names[1]} against {compared.names[0]}"),
        tests=str(len(compared.rows)),
        failures=str(len(failing)),
        errors="0",
        skipped=str(len(skipped)),
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
        elif row in skipped:
            ET.SubElement(case, "skipped", message=verdict)
        else:
            ET.SubElement(case, "system-out").text = verdict
    remarks = [*([gate.sentence] if gate else []), *(entry.words() for entry in compared.left_out), *compared.sentences]
    ET.SubElement(suite, "system-out").text = legal("\n".join(remarks))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")


def _fails(row: Row, gate: Gate | None) -> bool:
    slower = row.verdict == "slower" and row.basis != "these runs"
    return slower and (gate is None or gate.code == 4)


def legal(text: str) -> str:
    """Return a text without characters that XML has no place for."""
    return _ILLEGAL.sub("?", text)
