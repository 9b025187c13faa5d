"""Records that a test changes, written as an engine would have: consistent with their samples and their plan."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

NONE = {"operation": "noop"}  # a point that no record is of


def write_records(file: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write points.jsonl, without checksums, and plan.json beside it, where it lies, as the records say.

    The median of a point is made that of its samples, and the plan's points have the settings of the records.
    """
    lines = [{name: value for name, value in record.items() if name != "crc32"} for record in records]
    measured = [line for line in lines if line["kind"] == "point"]
    for line in measured:
        if line["samples_ns"] and "median_ns" in line:
            line["median_ns"] = float(np.median(line["samples_ns"])) / line["repetitions_per_sample"] / line["divisor"]
    _write_plan(file.with_name("plan.json"), lines, measured)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def _write_plan(file: Path, lines: list[dict[str, Any]], measured: list[dict[str, Any]]) -> None:
    if not file.exists():
        return
    plan = json.loads(file.read_text())
    ran = {line["index"]: line["point"] for line in measured}
    asked = dict(enumerate(plan["points"]))
    plan["points"] = [
        {name: ran[at][name] for name in asked.get(at, ran[at]) if name in ran[at]}
        if at in ran
        else asked.get(at, NONE)
        for at in range(max([*ran, *asked], default=-1) + 1)
    ]
    for line in lines:
        if line["kind"] == "start":
            line["points"] = len(plan["points"])
    file.write_text(json.dumps(plan))
