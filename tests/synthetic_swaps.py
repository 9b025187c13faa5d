"""A run of the profile commtest as the engine would leave it, its times known: for the study's own arithmetic."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import synthetic
from edited_records import write_records

from groma.catalog import packaged
from groma.plan import expand, read_profile
from groma.programs.commtest.swaps import Way

BYTES = 2 * 1024 * 1024
Truth = Callable[[Way, int, str], float]


def make_swap_run(directory: Path, truth_s: Truth, launches: int = 10, jitter: float = 0.01) -> Path:
    """Write the run directory and return it; `truth_s` is a swap's time by way, number of messages and variant."""
    catalog = packaged()
    points = [catalog.resolve(dict(point)) for point in expand(read_profile("commtest", catalog), catalog).points]
    scenario = synthetic.Scenario(launches=launches)
    directory.mkdir(parents=True)
    document = synthetic._run_document(directory.name, scenario, points)
    synthetic._write(directory / "run.json", document | {"name": "commtest", "profile": "commtest", "budget_s": None})
    for number in range(1, launches + 1):
        folder = directory / "launches" / f"{number:03}"
        synthetic._launch(folder, number, scenario, [])
        random = np.random.default_rng([11, number])
        effect = float(np.exp(random.normal(0, 2 * jitter)))  # the whole launch is slower or faster
        start, end = synthetic._start(number, scenario, len(points), random), {"kind": "end", "failures": 0}
        end |= {"schema": 1, "points": len(points), "elapsed_ns": 1, "load": []}
        records = [_record(index, point, truth_s, (effect, jitter), random) for index, point in enumerate(points)]
        write_records(folder / "points.jsonl", [start, *records, end])
        launch = json.loads((folder / "launch.json").read_text())
        synthetic._write(folder / "launch.json", launch | {"points": len(points)})
    return directory


def _record(
    index: int, point: dict[str, Any], truth_s: Truth, noise: tuple[float, float], random: np.random.Generator
) -> dict[str, Any]:
    swap = packaged().operation(point["operation"]).swap
    assert swap is not None
    way = Way(swap.number, point["swap_overlap"])
    effect, jitter = noise
    block = point["block"] if point["timing"] == "block" else 1
    time_ns = truth_s(way, point["swap_messages"], _variant(point)) * 1e9 * effect * block
    samples = np.rint(time_ns * np.exp(random.normal(0, jitter, point["repetitions"]))).astype(int).tolist()
    return {
        "schema": 1,
        "kind": "point",
        "index": index,
        "sequence": index,
        "point": point,
        "members": [0, 1],
        "member_count": 2,
        "samples_ns": samples,
        "repetitions_per_sample": block,
        "divisor": 1,
        "bytes_moved": 2 * point["bytes"],
        "messages": 2 * point["swap_messages"],
        "stopped_by": "repetitions",
        "validated": True,
        "checked_elements": 2 * point["bytes"] // 8,
    }


def _variant(point: dict[str, Any]) -> str:
    if point["timing"] == "block":
        return "10_iter"
    return "cache_inv" if point["cache"] == "sweep" else "1_iter"
