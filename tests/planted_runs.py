"""Made runs whose differences are known: synthetic ones (tests/synthetic.py), slowed or made on another machine."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from edited_records import write_records
from synthetic import Scenario, make_run

QUIET = Scenario(operations=("pingpong", "allreduce", "barrier"), sizes=(8, 1024, 65536), samples=40)


def made(directory: Path, seed: int, scenario: Scenario = QUIET, slower: dict[str, float] | None = None) -> Path:
    """Make a run in which operations take a multiple of the time."""
    run = make_run(directory, replace(scenario, seed=seed))
    if slower:
        change_points(run, lambda record: _slow(record, slower.get(record["point"]["operation"], 1.0)))
    return run


def change_points(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change every record of a point in place."""
    change_records(run, lambda record: change(record) if record["kind"] == "point" else None)


def change_records(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change every record in place."""
    for file in run.glob("launches/*/points.jsonl"):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            change(record)
        write_records(file, records)


def change_document(run: Path, **settings: object) -> None:
    """Change members of run.json."""
    file = run / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def set_for_launches(run: Path, **variables: str) -> Path:
    """Let all launches of a run have these variables in their environment."""
    for file in run.glob("launches/*/launch.json"):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"environment": variables}))
    return run


def _slow(record: dict[str, Any], factor: float) -> None:
    record["samples_ns"] = [round(sample * factor) for sample in record["samples_ns"]]


MONTHLY = Scenario(operations=("pingpong", "allreduce", "barrier"), sizes=(8, 65536), samples=10, launches=6)


def monthly(
    folder: Path, runs: int, updated: int, *, factor: float = 1.12, scenario: Scenario = MONTHLY, first: int = 0
) -> list[Path]:
    """Make runs a day apart; from run `updated` on the library is newer, and allreduce takes `factor` as long."""
    found = []
    for at in range(first, runs):
        slower = {"allreduce": factor} if at >= updated else {}
        run = made(folder / f"quick-{at:04}", at, scenario, slower)
        created = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC) + dt.timedelta(days=at)
        change_document(run, created=created.isoformat())
        if at >= updated:
            change_records(run, _newer)
        found.append(run)
    return found


def _newer(record: dict[str, Any]) -> None:
    if record["kind"] == "start":
        record["library"]["version"] = "5.1.0"
