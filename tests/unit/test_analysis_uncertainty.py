"""The printed uncertainty contains the clock's part, and all outputs print the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from edited_records import write_records
from synthetic import Scenario, make_run

import groma as module
from groma.analysis import PointSummary, checks, headlines, series, summarise
from groma.analysis.uncertainty import is_range, uncertainty_words
from groma.programs.sheet import certainty
from groma.report.figures import figure
from groma.report.page import render
from groma.report.tables import columns
from groma.results import load_run

if TYPE_CHECKING:
    from fakes import Groma

SHORT = Scenario(launches=6, samples=20, operations=("bcast",), sizes=(8,))
COARSE = [{"name": "monotonic", "resolution_ns": 50.0, "read_ns": 22.1}]


def run_with(tmp_path: Path, harness: dict[str, float], scenario: Scenario = SHORT, **change: Any) -> Path:  # noqa: ANN401
    """Make a run in whose launches an empty operation takes as long as `harness` says."""
    path = make_run(tmp_path / "run", scenario)
    for records in path.glob("launches/*/points.jsonl"):
        start, _, rest = records.read_text().partition("\n")
        records.write_text(json.dumps(json.loads(start) | {"harness": harness} | change) + "\n" + rest)
    return path


def only(path: Path) -> PointSummary:
    (point,) = summarise(load_run(path))
    return point


def test_no_time_is_below_zero(tmp_path: Path) -> None:
    point = only(run_with(tmp_path, {"call_ns": 1e6, "block_ns": 0.0}))
    assert point.interval is not None
    assert point.interval.low == 0.0


def test_an_interval_over_launches_contains_the_overhead_of_stamped_calls(tmp_path: Path) -> None:
    point = only(run_with(tmp_path, {"call_ns": 12.0, "block_ns": 0.4}))
    assert point.sampling_interval is not None
    assert point.interval is not None
    assert point.sampling_interval.low - point.interval.low == pytest.approx(22.1 + 12 + 1)
    assert point.interval.high - point.sampling_interval.high == pytest.approx(1)


def test_a_call_until_the_next_one_contains_two_readings_of_the_clock(tmp_path: Path) -> None:
    path = run_with(tmp_path, {"call_ns": 12.0, "block_ns": 0.4})
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for line in lines:
            if line["kind"] == "point":
                line["point"]["timing"] = "cycle"
        write_records(records, lines)
    assert only(path).value("overhead_ns") == pytest.approx(2 * 22.1 + 12)


def test_a_figure_in_blocks_contains_the_loop_alone(tmp_path: Path) -> None:
    scenario = replace(SHORT, operations=("pingpong",))
    point = only(run_with(tmp_path, {"call_ns": 12.0, "block_ns": 8.0}, scenario))
    assert (point.value("overhead_ns") or 0.0) == 8.0 / 2  # a round trip is reported one way
    assert (point.value("step_ns") or 0.0) < 0.05


@pytest.mark.parametrize("overhead", [0.0, 30.0, 100.0, 180.0])
def test_a_figure_never_claims_less_than_its_overhead(tmp_path: Path, overhead: float) -> None:
    point = only(run_with(tmp_path, {"call_ns": overhead, "block_ns": 0.0}))
    assert point.uncertainty is not None
    assert point.uncertainty >= (point.value("overhead_ns") or 0.0) / point.time_ns > 0


def test_one_launch_and_few_launches_have_it_too(tmp_path: Path) -> None:
    for launches, kind in ((1, "samples"), (3, "range")):
        path = run_with(tmp_path / kind, {"call_ns": 12.0, "block_ns": 0.4}, replace(SHORT, launches=launches))
        point = only(path)
        assert point.interval_kind == kind
        assert point.interval != point.sampling_interval


def test_a_figure_that_is_mostly_overhead_is_a_range_everywhere(tmp_path: Path, groma: Groma) -> None:
    path = run_with(tmp_path, {"call_ns": 150.0, "block_ns": 0.0})
    point = only(path)
    assert is_range(point.interval)
    assert point.interval is not None
    shown = figure(headlines([point])[0])
    assert shown.value == point.interval.text(factor=1e-3)
    assert shown.uncertainty == ""
    said = groma("show", str(path)).out
    assert f"{shown.value}  µs" in said
    assert render(load_run(path)).count(f'class="value">{shown.value}') == 1
    assert f"median, {shown.value}" not in render(load_run(path)), "it is not said twice"
    assert "±" not in said
    assert "the core-to-core" not in said  # a range is no multiple
    assert f"worst {shown.value} µs (bcast 8 B)" in groma("show", str(path), "--checks").out
    assert columns(series([point])[0])["x hardware minimum"] == ["\N{EN DASH}"]


def test_all_outputs_print_the_same_interval(tmp_path: Path, groma: Groma) -> None:
    path = run_with(tmp_path, {"call_ns": 12.0, "block_ns": 0.4})
    point = only(path)
    assert point.interval is not None
    low, high = point.interval.low / 1e3, point.interval.high / 1e3
    row = module_summary(path)
    assert (row["interval_low"], row["interval_high"]) == pytest.approx((low, high))
    printed = f"{low:.4f} \N{EN DASH} {high:.4f}"
    assert columns(series([point])[0])["95% interval"] == [printed]
    assert printed in groma("show", str(path)).out
    assert certainty(series([point])[0]).endswith(f": {uncertainty_words(point.interval, point.time_ns)} at most")
    assert groma("report", str(path)).code == 0
    assert printed in (path / "report.html").read_text(encoding="utf-8")


def module_summary(path: Path) -> dict[str, Any]:
    row: dict[str, Any]
    (row,) = module.summary(path, everything=True).to_dicts()
    return row


@pytest.mark.parametrize(
    ("harness", "clocks", "state", "remedy"),
    [
        ({"call_ns": 1.0, "block_ns": 0.4}, None, "good", ""),
        ({"call_ns": 40.0, "block_ns": 0.4}, None, "warn", "--set timing=block takes two stamps for many calls."),
        ({"call_ns": 1.0, "block_ns": 0.4}, COARSE, "warn", "--set timing=block takes two stamps for many calls."),
        (
            {"call_ns": 1.0, "block_ns": 0.4},
            [*COARSE, {"name": "tsc", "resolution_ns": 0.5, "read_ns": 20.0}],
            "warn",
            "--set clock=tsc has steps of 0.5 ns.",
        ),
    ],
)
def test_the_check_names_a_remedy(
    tmp_path: Path, harness: dict[str, float], clocks: list[dict[str, Any]] | None, state: str, remedy: str
) -> None:
    path = run_with(tmp_path, harness, SHORT, **({"clocks": clocks} if clocks else {}))
    run = load_run(path)
    (check,) = (check for check in checks(run, summarise(run)) if check.name == "clock")
    assert check.state == state
    assert check.text.endswith(remedy or "(bcast 8 B).")
    assert ("part of the printed uncertainty" in check.text) == bool(remedy)


def test_a_block_whose_loop_counts_has_no_remedy(tmp_path: Path) -> None:
    path = run_with(tmp_path, {"call_ns": 1.0, "block_ns": 200.0}, replace(SHORT, operations=("pingpong",)))
    run = load_run(path)
    (check,) = (check for check in checks(run, summarise(run)) if check.name == "clock")
    assert check.text.endswith("cannot be measured better (pingpong 8 B).")


def test_the_overhead_of_nothing_is_the_figure(tmp_path: Path) -> None:
    path = run_with(tmp_path, {"call_ns": 12.0, "block_ns": 0.4})
    for file in path.glob("launches/*/points.jsonl"):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point":
                record["point"]["operation"] = "noop"
        write_records(file, records)
    assert only(path).value("overhead_ns") == 0.0
