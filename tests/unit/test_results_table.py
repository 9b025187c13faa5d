"""A run as tables: documented columns, values that can be worked out by hand, and files that say the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from edited_records import write_records
from synthetic import SIZES, Scenario, make_run

import groma
from groma.analysis import summarise
from groma.catalog import packaged
from groma.columns import FIGURES, OF_LAUNCHES, OF_POINTS, SAMPLES
from groma.errors import OutputError
from groma.results import load_run
from groma.tables import Format, export, load, samples, summary

RECORDED = Path(__file__).parents[1] / "recorded" / "two-launches"
TYPES = {"text": pl.String(), "whole": pl.Int64(), "real": pl.Float64(), "truth": pl.Boolean()}
_SAID = ("figure", "unit", "interval_low", "interval_high", "interval_kind", "spread_within", "spread_samples")
FEW = Scenario(launches=2, samples=40, operations=("pingpong", "stream", "barrier"), sizes=SIZES[:2])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", FEW)


def test_the_table_has_the_documented_columns_and_one_row_per_point_and_launch(path: Path) -> None:
    table = load(path)
    fields = set(load_run(path).launches[0].points[0].point)
    assert set(table.columns) - {"bytes", "window"} == {column.name for column in OF_LAUNCHES} | fields - {"bytes"}
    assert all(table.schema[column.name] == TYPES[column.kind] for column in OF_LAUNCHES)
    assert table.height == 2 * 5
    assert table.select("launch", "index").is_unique().all()


def test_the_figures_are_those_of_the_samples(path: Path) -> None:
    record = next(point for point in load_run(path).launches[1].points if point.point["operation"] == "stream")
    row = load(path).row(
        by_predicate=(pl.col("launch") == 2) & (pl.col("index") == record.index),
        named=True,
    )
    median_ns = float(np.median(record.samples_ns)) / record.repetitions_per_sample
    assert row["median_ns"] == pytest.approx(median_ns)
    assert row["bandwidth_mb_s"] == pytest.approx(record.bytes_moved * 1000 / median_ns)
    assert row["messages_per_s"] == pytest.approx(64e9 / median_ns)
    assert row["p25_ns"] < row["median_ns"] < row["p75_ns"]
    assert row["p99_ns"] is None
    assert row["interval_low_ns"] <= row["median_ns"] <= row["interval_high_ns"]


def test_a_round_trip_is_reported_one_way(path: Path) -> None:
    record = next(point for point in load_run(path).launches[0].points if point.point["operation"] == "pingpong")
    rows = load(path).filter(pl.col("launch") == 1, pl.col("index") == record.index)
    whole = float(np.median(record.samples_ns)) / record.repetitions_per_sample
    assert rows["median_ns"].item() == pytest.approx(whole / 2)
    assert rows["bandwidth_mb_s"].item() == pytest.approx(2 * record.point["bytes"] * 1000 / whole)


def test_an_operation_that_moves_nothing_has_neither_size_nor_bandwidth(path: Path) -> None:
    barrier = load(path).filter(pl.col("operation") == "barrier")
    assert barrier["bandwidth_mb_s"].null_count() == barrier.height == 2


def test_samples_are_all_there_in_time_order(path: Path) -> None:
    table = samples(path)
    assert table.columns == [column.name for column in SAMPLES]
    record = load_run(path).launches[0].points[0]
    own = table.filter(pl.col("launch") == 1, pl.col("index") == record.index, pl.col("phase") == "sample")
    assert own["sample_ns"].to_list() == record.samples_ns.tolist()
    assert own["number"].to_list() == list(range(40))
    assert table.filter(pl.col("phase") == "warmup").height == 2 * 5 * 4


def test_a_warm_up_is_one_repetition_also_where_samples_are_blocks(path: Path) -> None:
    pingpong = samples(path).filter(pl.col("operation") == "pingpong", pl.col("bytes") == 8)
    medians = dict(pingpong.group_by("phase").agg(pl.col("time_ns").median()).iter_rows())
    assert 1 < medians["warmup"] / medians["sample"] < 2


def test_a_launch_that_never_said_its_ranks_keeps_its_rows(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    records = path / "launches/001/points.jsonl"
    records.write_text(records.read_text().partition("\n")[2])
    assert load(path).filter(pl.col("launch") == 1)["oversubscribed"].null_count() == 5


def test_a_run_in_which_nothing_was_measured_has_an_empty_table(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(FEW, ended_early={1: 0, 2: 0}))
    assert load(path).height == 0
    assert samples(path).height == 0


def test_groma_load_is_this_table(path: Path) -> None:
    assert groma.load(path).equals(load(path))


@pytest.mark.parametrize("to", ["parquet", "csv", "json"])
def test_exported_files_hold_the_table_and_its_definitions(path: Path, tmp_path: Path, to: Format) -> None:
    target = export(load_run(path), to, tmp_path / f"figures.{to}")
    table = load(path)
    if to == "json":
        document = json.loads(target.read_text())
        assert [row["median_ns"] for row in document["rows"]] == table["median_ns"].to_list()
        described = pl.DataFrame(document["columns"])
    else:
        read = pl.read_parquet(target) if to == "parquet" else pl.read_csv(target)
        assert read["median_ns"].to_list() == table["median_ns"].to_list()
        described = pl.read_csv(tmp_path / "figures.columns.csv")
    assert described["name"].to_list() == [*table.columns, *(column.name for column in FIGURES)]
    assert all(described["meaning"])


@pytest.mark.parametrize("to", ["parquet", "csv", "json"])
def test_an_exported_row_has_what_is_said_of_its_point_over_launches(tmp_path: Path, to: Format) -> None:
    target = export(load_run(RECORDED), to, tmp_path / f"figures.{to}")
    if to == "json":
        rows = json.loads(target.read_text())["rows"]
    else:
        rows = (pl.read_parquet(target) if to == "parquet" else pl.read_csv(target)).to_dicts()
    of_points = {(row["operation"], row["bytes"]): row for row in summary(RECORDED, everything=True).to_dicts()}
    for row in rows:
        said = of_points[row["operation"], row["bytes"]]
        assert {name: row[name] for name in _SAID} == {name: said[name] for name in _SAID}
        assert (row["estimator"], row["outliers"]) == ("median", "keep")
        checks = row["checks"].split(" | ") if to == "csv" else row["checks"]
        assert checks == said["checks"] != []


@pytest.mark.parametrize("to", ["parquet", "csv", "json"])
def test_a_file_that_cannot_be_written_is_an_output_error(path: Path, to: Format) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        export(load_run(path), to, path / "nowhere" / "figures")


def test_no_field_of_a_point_has_the_name_of_a_column() -> None:
    assert not set(packaged().names("point")) & {column.name for column in OF_LAUNCHES}


def test_what_a_global_clock_adds_is_there_where_there_was_one(tmp_path: Path) -> None:
    clocked = Scenario(launches=1, samples=20, operations=("pingpong", "bcast"), sizes=(8,), clocked=True, invalid=3)
    table = load(make_run(tmp_path / "run", clocked))
    row, bare = (table.row(by_predicate=pl.col("operation") == name, named=True) for name in ("bcast", "pingpong"))
    assert (row["invalid"], row["lead_ns"], row["window_ns"]) == (3, 5200, None)
    assert (row["arrival_skew_ns"], row["arrival_skew_maximum_ns"]) == (55, 900)
    assert (row["completion_first_ns"], row["completion_median_ns"], row["completion_last_ns"]) == (300, 320, 340)
    assert (row["clock_error_ns"], row["clock_bound_ns"], row["clock_limit_ns"]) == (85.5, 120.0, 1000.0)
    assert row["clock_valid"] is True
    assert bare["arrival_skew_ns"] is bare["completion_first_ns"] is bare["clock_valid"] is None
    assert bare["invalid"] == 0


def test_the_time_of_touching_is_beside_the_figure(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    records = path / "launches/001/points.jsonl"
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    (touched, *_) = (line for line in lines if line["kind"] == "point")
    touched |= {"touch_write_ns": [90, 90, 200, 200, 200], "touch_read_ns": [40, 40, 50, 50, 50]}
    write_records(records, lines)
    rows = [row for row in load(path).to_dicts() if row["launch"] == 1]
    times = {(row["touch_write_ns"], row["touch_read_ns"]) for row in rows if row["index"] == touched["index"]}
    assert times == {(200, 50)}
    assert {row["touch_write_ns"] for row in rows if row["index"] != touched["index"]} == {None}


def test_records_from_before_there_was_a_global_clock_are_read(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    records = path / "launches/001/points.jsonl"
    old = [json.loads(line) for line in records.read_text().splitlines()]
    for record in old:
        for name in ("invalid", "window_ns", "lead_ns", "clock_error", "global_clock"):
            record.pop(name, None)
    write_records(records, old)
    assert load(path)["clock_valid"].null_count() == load(path).height


def test_a_summary_has_a_row_per_point_and_the_figures_that_are_printed() -> None:
    run = load_run(RECORDED)
    table, summaries = summary(RECORDED, everything=True), summarise(run)
    assert table["operation"].to_list() == [one.operation for one in summaries]
    assert table["time_ns"].to_list() == [one.time_ns for one in summaries]
    assert {column.name for column in OF_POINTS} <= set(table.columns)
    assert all(column.meaning for column in OF_POINTS)
    by_operation = {row["operation"]: row for row in table.to_dicts()}
    latency, stream = by_operation["pingpong"], by_operation["stream"]
    assert (latency["unit"], latency["interval_kind"], latency["launches"]) == ("\u00b5s", "range", 2)
    assert latency["interval_low"] <= latency["figure"] == latency["time_ns"] / 1e3 <= latency["interval_high"]
    assert (stream["unit"], stream["figure"]) == ("MB/s", stream["bandwidth_mb_s"])
    assert stream["interval_low"] <= stream["figure"] <= stream["interval_high"]
    assert latency["spread_within"] > 0
    assert latency["spread_across"] is None
    for row in table.to_dicts():
        assert any(check.startswith("intervals: ") for check in row["checks"]), "two launches give none"
        assert any(check.startswith("noise: ") for check in row["checks"])
    assert sum(any(check.startswith("clock: ") for check in row["checks"]) for row in table.to_dicts()) < len(table)
