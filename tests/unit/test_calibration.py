"""Calibration: which points are copied and slowed by how much, and what a run's copies say of its own statements."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma
from synthetic import Scenario, make_run

from groma.analysis import checks, summarise
from groma.analysis.calibration import calibration_of, detectable
from groma.catalog import packaged
from groma.plan import draft_of_operations, expand
from groma.report.page import render
from groma.report.spread import calibration_sentences, calibration_table
from groma.results import load_run
from groma.run.calibrating import MOST_POINTS, PLANTED, added_ns, calibrated, chosen_points, with_twins
from groma.text.numbers import percent

SCENARIO = Scenario(launches=10, samples=60, operations=("pingpong",), sizes=(8, 1024), outliers=0.0)


def with_copies(path: Path, slowdowns: tuple[float, ...], launches: int = 10) -> Path:
    """Give every point a copy for each slowdown, in ns of one repetition, that is truly slower by it."""
    run = make_run(path / "run", Scenario(**{**SCENARIO.__dict__, "launches": launches}))
    random = np.random.default_rng(3)
    for records in run.glob("launches/*/points.jsonl"):
        lines: list[dict[str, Any]] = []
        for record in map(json.loads, records.read_text().splitlines()):
            lines.append(record)
            if record["kind"] != "point":
                continue
            for twin, added in enumerate(slowdowns, 1):
                times = (
                    np.array(record["samples_ns"]) * random.normal(1, 0.005) + added * record["repetitions_per_sample"]
                )
                point = record["point"] | {"twin": twin, "added_ns": added}
                lines.append(record | {"index": record["index"] + 10 * twin, "point": point}
                             | {"samples_ns": np.rint(times).astype(int).tolist()})  # fmt: skip
        write_records(records, lines)
    return run


def test_a_few_points_are_copied_and_slowed_by_shares() -> None:
    catalog = packaged()
    draft = draft_of_operations(["pingpong", "allreduce"])
    draft.override("bytes", "8:1K")
    plan = expand(draft, catalog)
    places = calibrated(plan)
    assert len(places) == MOST_POINTS
    assert {plan.points[at]["operation"] for at in places} == {"pingpong", "allreduce"}
    whole = with_twins(plan, dict.fromkeys(places, 10_000.0), catalog)
    assert whole.points[: len(plan.points)] == plan.points
    copies = whole.points[len(plan.points) :]
    assert len(copies) == MOST_POINTS * (1 + len(PLANTED))
    assert [copy.get("added_ns") for copy in copies[:4]] == [None, 200.0, 500.0, 1000.0]
    assert [copy["twin"] for copy in copies[:4]] == [1, 2, 3, 4]
    assert chosen_points(plan, places).launches == 1


def test_single_calls_wait_no_shorter_than_a_clock_can_keep() -> None:
    assert added_ns(400, 0.02, blocks=True) == pytest.approx(8)
    assert added_ns(400, 0.02, blocks=False) == pytest.approx(50)
    assert added_ns(400, 0.1, blocks=False) == pytest.approx(250)
    assert added_ns(1e6, 0.02, blocks=False) == pytest.approx(20_000)


def test_copies_are_in_no_figure_and_tell_what_would_be_seen(tmp_path: Path) -> None:
    run = load_run(with_copies(tmp_path, (0.0, 200.0)))
    summaries = summarise(run)
    assert [summary.bytes for summary in summaries] == [8, 1024]
    found = calibration_of(summaries, summarise(run, copies=True))
    assert found is not None
    assert (len(found.equal), len(found.slowed)) == (2, 2)
    assert all(pair.called_different for pair in found.slowed)
    for pair in found.slowed:
        assert pair.planted == pytest.approx(100 / pair.point.time_ns), "one way is half a round trip"
    assert sum(pair.held for pair in found.pairs) >= 3
    said = calibration_sentences(run, summaries)
    assert said[0].startswith("Between two points of the same 10 launches, a difference of about ")
    assert "found (measured" in said[2]
    table = calibration_table(run, summaries)
    rows = table.rows
    assert [row[0] for row in rows] == ["pingpong 8 B, 2 ranks", "pingpong 1 KiB, 2 ranks"]
    assert {len(row) for row in rows} == {len(table.headings)}
    for row, (_, least), pair in zip(rows, found.detectable, found.slowed, strict=True):
        assert row[1] == percent(least)
        assert row[2] in {"0 of 1", "1 of 1"}
        assert row[3] in {"1 of 2", "2 of 2"}
        assert row[4] == f"{pair.planted:.1%} found"
    page = render(run)
    assert "<summary>Calibration by point</summary>" in page
    assert said[0] in page
    assert f">{rows[0][4]}</td>" in page
    (check,) = (check for check in checks(run, summaries) if check.name == "calibration")
    assert check.state == "good"
    assert check.text.endswith("% at pingpong 1 KiB.")


def test_too_few_launches_and_no_copies_say_nothing(tmp_path: Path) -> None:
    run = load_run(with_copies(tmp_path, (0.0,), launches=5))
    assert calibration_sentences(run, summarise(run)) == []
    plain = load_run(make_run(tmp_path / "plain", SCENARIO))
    assert calibration_sentences(plain, summarise(plain)) == []


def test_what_would_be_seen_is_what_the_test_finds() -> None:
    random = np.random.default_rng(5)
    for sd in (0.01, 0.05):
        claimed = float(np.median([detectable(random.normal(0, sd, 10)) for _ in range(15)]))
        # 80 % power in 10 launches: 0.996 standard deviations for the t test, a little more for the signed-rank test
        assert math.log1p(claimed) == pytest.approx(1.03 * sd, rel=0.2)


def test_a_run_is_calibrated_by_one_option(groma: Groma) -> None:
    said = groma("run", "bcast", "--bytes", "8", "--launches", "6", "--calibrate", "-o", "out")
    assert said.code == 0, said.err
    points = json.loads(Path("out/run.json").read_text())["plan"]["points"]
    assert [point.get("twin", 0) for point in points] == [0, 1, 2, 3, 4]
    assert "would be detected" in said.out
    assert groma("run", "bcast", "--bytes", "8", "--calibrate", "--dry-run").out.count("twin=") == 0


def test_known_ratios_outside_of_their_intervals_are_said(tmp_path: Path) -> None:
    path = with_copies(tmp_path, (0.0, 100.0, 200.0))
    for records in path.glob("launches/*/points.jsonl"):
        # The copies are slower by 30 % than they say: what is known of them is wrong.
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point" and record["point"].get("twin"):
                record["samples_ns"] = [round(1.3 * time) for time in record["samples_ns"]]
        write_records(records, lines)
    run = load_run(path)
    (check,) = (check for check in checks(run, summarise(run)) if check.name == "calibration")
    assert check.state == "warn"
    assert "6 of 6 known ratios" in check.text
    assert "more than chance explains" in calibration_sentences(run, summarise(run))[-1]
