"""A slow barrier, put before the MPI library's own: `groma explain` says what MPBench's after every call costs."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import beds
import numpy as np
import pytest

from engine import preloaded

pytestmark = pytest.mark.mpi

ADDED_NS = 100_000
GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]


def pairs_of(records: list[dict[str, Any]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the times of a call in ns without and with the barrier, for every method that both were measured by."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for record in records:
        method = {name: value for name, value in record["point"].items() if name != "operation"}
        times_ns = np.array(record["samples_ns"]) / record["repetitions_per_sample"]
        found.setdefault(json.dumps(method), {})[record["point"]["operation"]] = times_ns
    return [(pair["bcast"], pair["bcast_then_barrier"]) for pair in found.values() if len(pair) == 2]


@pytest.mark.slow
def test_a_planted_barrier_is_the_cost_of_the_barrier_after_every_call(embedded: beds.Library, tmp_path: Path) -> None:
    environment = preloaded.environment(embedded, "slow", tmp_path, {"GROMA_SLOW_BARRIER_NS": ADDED_NS})
    settings = ["--set", "block=10", "--set", "clock=monotonic"]  # blocks of a millisecond; both alike
    words = ["explain", "--between", "pmb", "mpbench", "--operation", "bcast", "--bytes", "1K", *settings]
    ran = beds.run([*GROMA, *words, "-n", "2", "--launches", "1", "-o", str(tmp_path / "run")], environment)
    assert ran.exit_code == 0, ran.errors
    assert "a barrier after every call" in ran.output

    lines = (tmp_path / "run/launches/001/points.jsonl").read_text().splitlines()
    records = [record for record in map(json.loads, lines) if record["kind"] == "point"]
    pairs = pairs_of(records)
    assert len(pairs) >= 2
    costs = [float(after.min() - before.min()) for before, after in pairs]  # whatever else runs here only adds
    assert costs == pytest.approx([ADDED_NS] * len(costs), rel=0.1), "what was planted, in every mixture of methods"

    document = json.loads((tmp_path / "run/explain.json").read_text())
    logs = [math.log(after.mean() / before.mean()) for before, after in pairs]
    share = document["log_ratios"]["operation"]["value"]
    assert min(logs) - 1e-9 <= share <= max(logs) + 1e-9, "a mean over the mixtures"
    others = [term["value"] for name, term in document["log_ratios"].items() if name not in ("operation", "total")]
    assert share > max(map(abs, others))
