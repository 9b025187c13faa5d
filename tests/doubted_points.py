"""Runs whose points are steady but for what a test changes in the records of one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from edited_records import write_records
from synthetic import Scenario, make_run

from groma.analysis import Check, checks, summarise
from groma.results import load_run

SMALL = Scenario(launches=4, samples=100, operations=("pingpong", "allreduce"), sizes=(8, 1024), outliers=0.0)
CALLS = {"made": 6000, "needed": 6000, "state": "steady", "steady_from": 0}
EVEN_CALLS = CALLS | {"median_ns": 500.0, "mean_ns": 500.0, "slow_share": 0.0}
STEADY = {"state": "steady", "verified": True, "calls": EVEN_CALLS}


def changed(folder: Path, change: dict[str, Any], *, operation: str = "allreduce", launches: int = 4) -> Path:
    """Make a run whose points are steady, and `change` those of one operation and 8 bytes in the first launches."""
    path = make_run(folder / "run", SMALL)
    for number, file in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] != "point":
                continue
            own = record["point"]["operation"] == operation and record["point"].get("bytes") == 8
            record.update(STEADY | (change if own and number < launches else {}))
        write_records(file, records)
    return path


def visited(path: Path, changed_in: int, *, agrees: bool = False, ratio: float = 1.2) -> Path:
    """Add second visits of allreduce 8 B: 20 % slower, or by another `ratio`, in the first launches."""
    for number, file in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        *records, end = [json.loads(line) for line in file.read_text().splitlines()]
        own = next(r for r in records if r["kind"] == "point" and operation_of(r) == ("allreduce", 8))
        visit = {"schema": 1, "kind": "revisit", "index": own["index"], "count": 40, "median_ns": 500.0}
        visit |= {"ratio": ratio, "half_width": 0.01, "agrees": agrees or number >= changed_in, "elapsed_ns": 900}
        write_records(file, [*records, visit, end])
    return path


def operation_of(record: dict[str, Any]) -> tuple[str, int]:
    return record["point"]["operation"], record["point"].get("bytes", 0)


def checks_of(path: Path) -> dict[str, Check]:
    run = load_run(path)
    return {check.name: check for check in checks(run, summarise(run))}
