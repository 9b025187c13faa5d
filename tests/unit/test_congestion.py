"""The study of loads, on runs whose impacts are planted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from edited_records import write_records
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.programs.congestion.impact import Impact, impacts_of, percentiles_us
from groma.programs.congestion.study import study
from groma.results import load_run

LOADS = ("silent", "incast", "alltoall")  # in place of the operations that the run is made of
OPERATIONS = ("allreduce", "bcast", "alltoall")
SENT_BYTES, SENT_S = 3_000_000, 0.002


def planted(folder: Path, factors: dict[str, float], launches: int = 10) -> Path:
    """Make a run of an allreduce beside each load, which takes that many times as long."""
    run = make_run(folder, Scenario(operations=OPERATIONS, sizes=(8,), launches=launches, ranks=4, jitter=0.02))
    rng = np.random.default_rng(5)
    for file in run.glob("launches/*/points.jsonl"):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        points = {record["point"]["operation"]: record for record in records if record["kind"] == "point"}
        silent = np.array(points["allreduce"]["samples_ns"])
        for operation, load in zip(OPERATIONS, LOADS, strict=True):
            record, factor = points[operation], factors.get(load, 1.0)
            record["samples_ns"] = [int(one) for one in factor * rng.normal(1, 0.01) * rng.permutation(silent)]
            record["point"] |= {"operation": "allreduce", "load": load, "load_ranks": "random", "load_share": 0.5}
            record["members"], record["member_count"] = [0, 2], 2
            sent = load != "silent"
            record["load"] = {"ranks": [1, 3], "bytes": sent * SENT_BYTES, "seconds": sent * SENT_S}
        write_records(file, records)
    return run


def impacts(run: Path) -> dict[str, Impact]:
    return {impact.load: impact for impact in impacts_of(summarise(load_run(run)))}


def test_a_planted_impact_is_found_with_its_size(tmp_path: Path) -> None:
    found = impacts(planted(tmp_path / "run", {"incast": 1.5}))
    assert set(found) == {"incast", "alltoall"}
    compared = found["incast"].judged.comparison
    assert compared.interval is not None
    assert 1.5 in compared.interval
    assert (found["incast"].judged.verdict, found["alltoall"].judged.verdict) == ("slower", "same")
    assert found["incast"].tail.ratio == pytest.approx(1.5, rel=0.05)
    rate = found["incast"].bytes_per_s
    assert rate is not None
    assert rate.value == pytest.approx(SENT_BYTES / SENT_S)
    of_calls = percentiles_us(found["incast"].loaded)
    assert of_calls == sorted(of_calls)
    assert 0 < found["alltoall"].detectable < 0.2


def test_the_study_says_first_which_load_slows_what(tmp_path: Path) -> None:
    run = load_run(planted(tmp_path / "run", {"incast": 2.0}))
    told = study(run, summarise(run))
    assert told is not None
    assert told.sentences[0].startswith("incast slows allreduce 8 B ")
    assert "while the others send 1.50 GB/s together" in told.sentences[0]
    assert "No impact beyond 5.0% of alltoall on allreduce 8 B." in told.sentences
    impact, percentiles = told.tables
    assert [row[1] for row in impact.rows] == ["incast", "alltoall"]
    assert [row[1] for row in percentiles.rows] == ["silent", "incast", "alltoall"]
    assert told.conditions[0][1].startswith("2 of 4 load (drawn anew in each launch), 2 are measured")


def test_too_few_launches_decide_nothing_and_say_so(tmp_path: Path) -> None:
    run = load_run(planted(tmp_path / "run", {"incast": 2.0}, launches=3))
    told = study(run, summarise(run))
    assert told is not None
    assert told.sentences[0] == "No load is found to slow a victim."
    assert told.sentences[1] == "2 impacts of 2 not decided; 2 comparisons need 7 launches at least (--launches 7)."


def test_a_run_without_loads_has_no_such_study(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "run", Scenario(operations=OPERATIONS, sizes=(8,), launches=3)))
    assert study(run, summarise(run)) is None
