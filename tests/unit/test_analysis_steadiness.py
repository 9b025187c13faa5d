"""Points without a steady state, short blocks and tails are named, and nothing is said of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from synthetic import Scenario, make_run

import groma
from groma.analysis import Light, lights, summarise
from groma.results import load_run
from groma.results.table import samples

SMALL = Scenario(launches=4, samples=100, operations=("pingpong", "allreduce"), sizes=(8, 1024), outliers=0.0)
STEADY = {"state": "steady", "verified": True}
CALLS = {"made": 6000, "needed": 6000, "state": "steady", "steady_from": 0}


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
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def lit(path: Path) -> dict[str, Light]:
    run = load_run(path)
    return {light.name: light for light in lights(run, summarise(run))}


def test_steady_points_are_good_and_nothing_is_said_of_blocks_and_tails(tmp_path: Path) -> None:
    found = lit(changed(tmp_path, {}))
    assert found["steady state"] == Light("steady state", "good", "All 4 points were measured in a steady state.")
    assert not {"blocks", "tails"} & set(found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"state": "unsteady", "verified": False}, "allreduce 8 B had no steady state"),
        ({"state": "slowdown"}, "allreduce 8 B became slower while measured"),
        ({"verified": False}, "allreduce 8 B may still be in a slow start"),
    ],
)
def test_a_point_without_a_steady_state_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    light = lit(changed(tmp_path, change))["steady state"]
    assert light.state == "warn"
    assert said in light.text


def test_one_launch_of_four_is_no_rule(tmp_path: Path) -> None:
    assert lit(changed(tmp_path, {"state": "unsteady"}, launches=1))["steady state"].state == "good"


def test_what_was_left_out_is_counted_and_kept(tmp_path: Path) -> None:
    path = changed(tmp_path, {"state": "warmup", "discarded_ns": [9000] * 30, "steady_from": 30})
    assert "left out of 4 series" in lit(path)["steady state"].text
    own = (pl.col("operation") == "allreduce") & (pl.col("bytes") == 8)
    assert samples(path).filter(own & (pl.col("phase") == "discarded"))["sample_ns"].to_list() == [9000] * 120
    rows = groma.load(path).filter(own)
    assert rows["discarded"].to_list() == [30] * 4
    assert all(row["median_ns"] < 9000 for row in rows.to_dicts())


def test_short_blocks_are_named(tmp_path: Path) -> None:
    light = lit(changed(tmp_path, {"block_short": True}, operation="pingpong"))["blocks"]
    assert light.state == "warn"
    assert "pingpong 8 B" in light.text


def test_a_tail_of_single_calls_is_told_with_the_mean_over_the_median(tmp_path: Path) -> None:
    times = np.full(100, 500)
    times[::10] += 20_000
    found = lit(changed(tmp_path, {"samples_ns": times.tolist(), "repetitions_per_sample": 1}))
    assert "allreduce 8 B 5x" in found["tails"].text


def test_a_tail_behind_blocks_comes_from_the_calls_before_them(tmp_path: Path) -> None:
    tail = {"calls": CALLS | {"median_ns": 500.0, "mean_ns": 2500.0, "slow_share": 0.1}, "repetitions_per_sample": 40}
    assert "pingpong 8 B 5x" in lit(changed(tmp_path, tail, operation="pingpong"))["tails"].text


def test_rare_interruptions_are_no_tail(tmp_path: Path) -> None:
    rare = {"calls": CALLS | {"median_ns": 500.0, "mean_ns": 2500.0, "slow_share": 0.001}, "repetitions_per_sample": 40}
    assert "tails" not in lit(changed(tmp_path, rare, operation="pingpong"))
