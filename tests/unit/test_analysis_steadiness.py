"""Points without a steady state, short blocks and tails are named, and nothing is said of the others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from doubted_points import CALLS, EVEN_CALLS, SMALL, changed, checks_of, visited
from edited_records import write_records
from rich.console import Console
from synthetic import make_run

import groma
from groma.analysis import Check, Headline, SideBySide, series, summarise
from groma.report import print_run
from groma.report.figures import figure
from groma.report.page import render
from groma.report.pictures import samples as samples_of
from groma.report.samplecharts import pictures as drawings
from groma.report.tables import columns, curve_notes, unsteady_note, variant_columns
from groma.results import load_run
from groma.tables import samples


def test_steady_points_are_good_and_nothing_is_said_of_blocks_and_tails(tmp_path: Path) -> None:
    found = checks_of(changed(tmp_path, {}))
    assert found["steady state"] == Check("steady state", "good", "All 4 points were measured in a steady state.")
    assert not {"blocks", "tails"} & set(found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"state": "unsteady", "verified": False}, "allreduce 8 B had no steady state"),
        ({"state": "slowdown"}, "allreduce 8 B became slower (the later level is shown)"),
        ({"verified": False}, "allreduce 8 B may still have been warming up"),
        (
            {"verified": False, "calls": CALLS | {"state": "slowdown", "median_ns": 1, "mean_ns": 1, "slow_share": 0}},
            "allreduce 8 B became slower (the later level is shown)",
        ),
    ],
)
def test_a_point_without_a_steady_state_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    check = checks_of(changed(tmp_path, change))["steady state"]
    assert check.state == "warn"
    assert said in check.text


def test_a_point_that_changed_until_its_second_visit_is_named(tmp_path: Path) -> None:
    path = visited(changed(tmp_path, {}), changed_in=4)
    assert checks_of(path)["steady state"].state == "warn"
    assert "allreduce 8 B differed when measured again" in checks_of(path)["steady state"].text
    rows = groma.load(path).filter((pl.col("operation") == "allreduce") & (pl.col("bytes") == 8))
    assert rows["revisit_ratio"].to_list() == [1.2] * 4
    assert groma.load(path).filter(pl.col("operation") == "pingpong")["revisit_ratio"].null_count() == 8


def test_second_visits_that_agree_or_differ_in_one_launch_of_four_are_good(tmp_path: Path) -> None:
    assert checks_of(visited(changed(tmp_path / "a", {}), changed_in=4, agrees=True))["steady state"].state == "good"
    assert checks_of(visited(changed(tmp_path / "b", {}), changed_in=1))["steady state"].state == "good"


def test_launches_with_different_doubts_count_together(tmp_path: Path) -> None:
    path = visited(changed(tmp_path, {"state": "slowdown"}, launches=1), changed_in=4)
    assert checks_of(path)["steady state"].text.startswith("allreduce 8 B differed when measured again")
    assert checks_of(path)["steady state"].state == "warn"


@pytest.mark.parametrize(("launches", "state"), [(1, "good"), (2, "unknown"), (3, "unknown"), (4, "warn")])
def test_an_alarm_is_what_all_launches_say_and_half_of_them_are_no_tick(
    tmp_path: Path, launches: int, state: str
) -> None:
    segments = [{"from": 0, "median_ns": 500.0}]
    phases = {"state": "unsteady", "segments": segments, "samples_ns": [400] * 50 + [600] * 50}
    check = checks_of(changed(tmp_path, phases, launches=launches))["steady state"]
    assert check.state == state
    assert "allreduce 8 B" in check.text
    assert state == "warn" or "80% of samples in 0.4000 to 0.6000 µs" in check.text


def test_the_table_marks_the_points_that_the_check_names(tmp_path: Path) -> None:
    path = changed(tmp_path, {"state": "unsteady"}, launches=2)
    assert "allreduce 8 B had no steady state" in checks_of(path)["steady state"].text
    curve = next(curve for curve in series(summarise(load_run(path))) if curve.operation.name == "allreduce")
    assert [cell.endswith("\N{DOUBLE DAGGER}") for cell in columns(curve)["time"]] == [True, False]


def test_one_launch_of_four_is_no_rule(tmp_path: Path) -> None:
    assert checks_of(changed(tmp_path, {"state": "unsteady"}, launches=1))["steady state"].state == "good"


def test_what_was_left_out_is_counted_and_kept(tmp_path: Path) -> None:
    path = changed(tmp_path, {"state": "warmup", "discarded_ns": [9000] * 30, "steady_from": 30})
    assert "discarded in 4 series" in checks_of(path)["steady state"].text
    own = (pl.col("operation") == "allreduce") & (pl.col("bytes") == 8)
    assert samples(path).filter(own & (pl.col("phase") == "discarded"))["sample_ns"].to_list() == [9000] * 120
    rows = groma.load(path).filter(own)
    assert rows["discarded"].to_list() == [30] * 4
    assert all(row["median_ns"] < 9000 for row in rows.to_dicts())


def test_short_blocks_are_named(tmp_path: Path) -> None:
    check = checks_of(changed(tmp_path, {"block_short": True}, operation="pingpong"))["blocks"]
    assert check.state == "warn"
    assert "pingpong 8 B" in check.text


def test_a_tail_of_single_calls_is_told_with_the_mean_over_the_median(tmp_path: Path) -> None:
    times = np.full(100, 500)
    times[::10] += 20_000
    found = checks_of(changed(tmp_path, {"samples_ns": times.tolist(), "repetitions_per_sample": 1}))
    assert "allreduce 8 B 5x" in found["tails"].text


def test_a_tail_behind_blocks_comes_from_the_calls_before_them(tmp_path: Path) -> None:
    tail = {"calls": CALLS | {"median_ns": 500.0, "mean_ns": 2500.0, "slow_share": 0.1}, "repetitions_per_sample": 40}
    assert "pingpong 8 B 5x" in checks_of(changed(tmp_path, tail, operation="pingpong"))["tails"].text


def test_rare_and_large_delays_are_a_tail_by_what_they_do_to_the_mean(tmp_path: Path) -> None:
    rare = {"calls": CALLS | {"median_ns": 500.0, "mean_ns": 4500.0, "slow_share": 0.008}, "repetitions_per_sample": 40}
    path = changed(tmp_path, rare, operation="pingpong")
    assert "pingpong 8 B 9x" in checks_of(path)["tails"].text
    point = next(one for one in summarise(load_run(path)) if one.operation == "pingpong" and one.bytes == 8)
    assert figure(Headline("Latency", "time", point)).remarks == [
        "mean of calls 2.250 µs, 9.0\N{MULTIPLICATION SIGN} their median"
    ]


def test_delays_too_rare_for_the_calls_are_seen_in_the_mean_over_blocks(tmp_path: Path) -> None:
    blocks = [20_000] * 95 + [2_020_000] * 5
    path = changed(tmp_path, {"samples_ns": blocks, "repetitions_per_sample": 40}, operation="pingpong")
    assert "pingpong 8 B 6x" in checks_of(path)["tails"].text


def test_an_interruption_that_few_launches_had_is_no_tail(tmp_path: Path) -> None:
    rare = {"calls": CALLS | {"median_ns": 500.0, "mean_ns": 4500.0, "slow_share": 0.008}, "repetitions_per_sample": 40}
    assert "tails" not in checks_of(changed(tmp_path, rare, operation="pingpong", launches=3))


@pytest.mark.parametrize(("slow", "told"), [(3, False), (40, True)])
def test_in_a_single_launch_a_tail_is_as_certain_as_its_slow_calls_are_many(
    tmp_path: Path, slow: int, *, told: bool
) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, launches=1))
    (file,) = path.glob("launches/*/points.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        if record["kind"] == "point" and record["point"]["operation"] == "allreduce":
            record["samples_ns"] = [500] * (1000 - slow) + [500 + 500_000 // slow] * slow
    write_records(file, records)
    assert ("tails" in checks_of(path)) == told


def test_what_was_seen_is_said_where_a_slow_start_can_last_longer(tmp_path: Path) -> None:
    few = {"calls": EVEN_CALLS | {"made": 64, "needed": 64}, "samples_ns": [500] * 75, "bytes_moved": 2 << 20}
    path = changed(tmp_path, few)
    check = checks_of(path)["steady state"]
    assert check.state == "good"
    assert "measured in a steady state" not in check.text
    # The first call and four warm-ups come before the 64 calls and the 75 samples.
    seen = "144 calls (288 MiB) were seen in a launch: a slow start that lasts longer is unseen."
    assert f"In 1 of 4 points (allreduce 8 B) {seen}" in check.text
    curves = {curve.operation.name: curve for curve in series(summarise(load_run(path)))}
    assert f"8 B: {seen}" in curve_notes(curves["allreduce"])
    assert not any("unseen" in note for note in curve_notes(curves["pingpong"]))
    rows = groma.load(path).filter((pl.col("operation") == "allreduce") & (pl.col("bytes") == 8))
    assert rows["calls_seen"].to_list() == [144] * 4
    assert rows["bytes_seen"].to_list() == [144 * (2 << 20)] * 4


def test_a_point_without_a_steady_state_is_marked_wherever_its_figure_stands(tmp_path: Path) -> None:
    path = changed(tmp_path, {"state": "unsteady"})
    by_size = {curve.operation.name: curve for curve in series(summarise(load_run(path)))}
    cells = columns(by_size["allreduce"])["time"]
    assert [cell.endswith("\N{DOUBLE DAGGER}") for cell in cells] == [True, False]
    assert len({*map(len, cells)}) == 1
    assert unsteady_note(by_size["allreduce"].points).startswith("\N{DOUBLE DAGGER} no steady state")
    assert "\N{DOUBLE DAGGER}" not in "".join(columns(by_size["pingpong"])["time"])
    assert unsteady_note(by_size["pingpong"].points) == ""
    checks = (
        groma.summary(path, everything=True)
        .filter(pl.col("operation") == "allreduce")
        .sort("bytes")["checks"]
        .to_list()
    )
    said = [any(text.startswith("steady state: allreduce 8 B had no steady state") for text in own) for own in checks]
    assert said == [True, False]


def test_a_variant_without_a_steady_state_is_marked_beside_the_other(tmp_path: Path) -> None:
    curves = series(summarise(load_run(changed(tmp_path, {"state": "unsteady"}))))
    found = {curve.operation.name: curve for curve in curves}
    both = SideBySide({"plain": found["pingpong"], "tuned": found["allreduce"]}, {("plain", "tuned"): {}})
    cells = variant_columns(both)
    assert "\N{DOUBLE DAGGER}" in cells["tuned µs"][0]
    assert "\N{DOUBLE DAGGER}" not in "".join([cells["tuned µs"][1], *cells["plain µs"]])


@pytest.mark.parametrize(
    ("operation", "change", "mean", "median"),
    [
        ("allreduce", {"samples_ns": [20_500 if k % 10 == 0 else 500 for k in range(100)]}, "2.500", None),
        (
            "pingpong",
            {
                "calls": CALLS | {"median_ns": 1000.0, "mean_ns": 5000.0, "slow_share": 0.1},
                "repetitions_per_sample": 40,
            },
            "2.500",
            "0.5000",
        ),
    ],
)
def test_the_mean_stands_beside_the_median_where_they_part(
    tmp_path: Path, operation: str, change: dict[str, Any], mean: str, median: str | None
) -> None:
    points = summarise(load_run(changed(tmp_path, change, operation=operation)))
    tables = {curve.operation.name: columns(curve) for curve in series(points)}
    own = tables.pop(operation)
    assert own["mean"][0].strip() == mean
    assert ("median of calls" in own) == (median is not None)
    if median:
        assert own["median of calls"][0].strip() == median
    assert all("mean" not in table for table in tables.values())
    of_point = next(point for point in points if point.operation == operation and point.bytes == 8)
    assert figure(Headline("Latency", "time", of_point)).remarks == [
        f"mean of calls {mean} µs, 5.0\N{MULTIPLICATION SIGN} their median"
    ]
    others = [figure(Headline("Latency", "time", point)).remarks for point in points if point is not of_point]
    assert others == [[]] * 3


def test_the_card_and_the_terminal_say_what_a_headline_lacks(tmp_path: Path) -> None:
    run = load_run(changed(tmp_path, {"state": "unsteady"}))
    out = StringIO()
    print_run(run, Console(file=out, width=140))
    lines = out.getvalue().splitlines()
    below = lines[next(place for place, line in enumerate(lines) if line.startswith("  Allreduce")) + 1]
    assert re.fullmatch(r"no steady state: 80% of samples in 0\.4\d+ to 0\.4\d+ µs", below.strip())
    assert f'<p class="limit">{below.strip()}</p>' in render(run)


def test_few_independent_samples_are_named(tmp_path: Path) -> None:
    walk = (10_000 + 100 * np.cumsum(np.random.default_rng(3).choice([-1, 1], 100))).tolist()
    check = checks_of(changed(tmp_path, {"samples_ns": walk}))["autocorrelation"]
    assert check.state == "warn"
    assert check.text.startswith("allreduce 8 B had fewer than 10 effective samples per launch")
    assert "autocorrelation" not in checks_of(changed(tmp_path / "other", {"samples_ns": sorted(walk)[:8]}, launches=1))


def test_launches_in_two_groups_are_named(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, launches=8, launch_effect=0.005, jitter=0.01, drift=0.0))
    assert "peaks" not in checks_of(path)
    for number, file in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point" and record["point"]["operation"] == "allreduce" and number % 4 == 0:
                record["samples_ns"] = [3 * time for time in record["samples_ns"]]
        write_records(file, records)
    text = checks_of(path)["peaks"].text
    assert re.search(r"allreduce 8 B \(0\.4\d+ µs 75%, 1\.2\d+ µs 25% of launches\)", text)
    assert "allreduce 1 KiB" in text
    assert "pingpong" not in text


def test_the_peaks_of_a_launch_are_exported_and_listed_on_the_page(tmp_path: Path) -> None:
    two = np.exp(np.random.default_rng(5).normal(0, 0.02, 100)) * np.repeat([1200.0, 3400.0], (70, 30))
    path = changed(tmp_path, {"samples_ns": np.rint(two).astype(int).tolist()}, launches=1)
    rows = groma.load(path).filter((pl.col("operation") == "allreduce") & (pl.col("bytes") == 8)).sort("launch")
    found = rows["peaks"].to_list()
    assert re.fullmatch(r"1\.\d+ µs 70%, 3\.\d+ µs 30%", found[0])
    assert all(re.fullmatch(r"0\.4\d* µs 100%", text) for text in found[1:])
    page = render(load_run(path))
    assert page.count("Launches whose samples have several peaks") == 1
    assert page.count(found[0]) == 1


def test_too_few_samples_have_no_peaks(tmp_path: Path) -> None:
    path = changed(tmp_path, {"samples_ns": [500] * 99})
    rows = groma.load(path).filter((pl.col("operation") == "allreduce") & (pl.col("bytes") == 8))
    assert rows["peaks"].to_list() == [None] * 4


def test_pictures_show_what_was_left_out_and_where_levels_change(tmp_path: Path) -> None:
    levels = {"state": "warmup", "discarded_ns": [9000] * 25, "steady_from": 25}
    levels["segments"] = [{"from": 0, "median_ns": 9000.0}, {"from": 25, "median_ns": 420.0}]
    points = {(one.operation, one.bytes): one for one in summarise(load_run(changed(tmp_path, levels, launches=2)))}
    data = samples_of(points["allreduce", 8], 10)
    assert [launch.left_out for launch in data.launches] == [[[9, 9, 9]] * 5] * 2 + [[]] * 2
    assert [launch.steady_from for launch in data.launches] == [0.2, 0.2, 0, 0]
    assert [launch.borders for launch in data.launches] == [[0.2], [0.2], [], []]
    drawn = {one.title: one for one in drawings(data, "allreduce")}["In time order"]
    assert drawn.keys == [("discarded, before the steady part", "before"), ("a new level begins", "border")]
    assert 'class="speck before"' in drawn.drawing
    assert 'class="line border"' in drawn.drawing
    plain = {one.title: one for one in drawings(samples_of(points["pingpong", 8], 10), "x")}["In time order"]
    assert plain.keys == []
    assert "before" not in plain.drawing


def test_the_page_says_how_left_out_samples_are_thinned(tmp_path: Path) -> None:
    page = render(load_run(changed(tmp_path, {"state": "warmup", "discarded_ns": [9000] * 30, "steady_from": 30})))
    assert "sample of 30 equal bins (15 for those discarded) are drawn" in page
    assert "discarded, before the steady part" in page


def test_the_card_names_the_same_multiple_as_the_check(tmp_path: Path) -> None:
    path = changed(tmp_path, {}, launches=0)
    for number, file in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        slow, usual = ((90_000, 500), (20_000, 300), (20_000, 500), (50_000, 100))[number]
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point" and record["point"]["operation"] == "allreduce":
                record["samples_ns"] = [slow if k % 10 == 0 else usual for k in range(100)]
        write_records(file, records)
    point = next(one for one in summarise(load_run(path)) if one.operation == "allreduce" and one.bytes == 8)
    told = re.search(r"allreduce 8 B ([\d.]+)x", checks_of(path)["tails"].text)
    remark = re.search(r"([\d.]+)\N{MULTIPLICATION SIGN}", figure(Headline("Allreduce", "time", point)).remarks[0])
    assert told
    assert remark
    assert float(remark[1]) == pytest.approx(float(told[1]), rel=0.05)
