"""The table of columns: each is complete, has values, and means one thing; one more is a column and nothing else."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from changed_copy import SourceChange
from edited_records import write_records
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.catalog import packaged
from groma.columns import COLUMNS, OF_LAUNCHES, OF_POINTS, SAMPLES, WHERE, Column
from groma.results import load_run
from groma.tables import load, summary

RECORDED = Path(__file__).parents[1] / "recorded" / "two-launches"
ALL = pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)


@ALL
def test_a_column_says_what_it_is(column: Column) -> None:
    assert column.meaning.endswith(".")
    assert column.launch is not None or column.point is not None or column.name == "missing"
    assert column.unit in {"", "ns", "s", "MB/s", "1/s", "bytes", "cores"}


@ALL
def test_a_column_has_a_value_for_every_launch_and_point(column: Column) -> None:
    summaries = summarise(load_run(RECORDED))
    rows = summaries[0].rows.table
    if column.launch is not None and column.kind != "text" and not column.alone:
        assert rows.column(column.name).shape == rows.row_of.shape
    if column.point is not None:
        assert len(summaries[0].table.column(column.name)) == len(summaries)


def test_a_name_is_one_column() -> None:
    names = [column.name for column in (*OF_LAUNCHES, *OF_POINTS)]
    assert all(column is COLUMNS[column.name] for column in (*OF_LAUNCHES, *OF_POINTS))
    assert set(names) & {column.name for column in SAMPLES} == {column.name for column in WHERE} | {"time_ns"}
    assert not set(names) & set(packaged().names("point"))


@pytest.mark.parametrize("estimator", ["median", "p95"])
def test_a_name_means_the_same_per_launch_and_over_launches(tmp_path: Path, estimator: str) -> None:
    """Of a single launch, a point's value is that of the launch, whatever the estimator."""
    path = make_run(tmp_path / "run", Scenario(launches=1, samples=40, operations=("stream", "bcast"), sizes=(8, 4096)))
    document = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(document | {"report": {"estimator": estimator}}))
    launches, points = load(path).sort("index"), summary(path, everything=True)
    shared = [column.name for column in OF_POINTS if column.launch is not None]
    assert {"bandwidth_mb_s", "messages_per_s", "samples", "limit_multiple"} <= set(shared)
    for name in shared:
        known, told = launches[name].to_list(), points[name].to_list()
        assert [value is None for value in known] == [value is None for value in told], name
        for one, other in zip(known, told, strict=True):
            assert one == other or one == pytest.approx(other, rel=1e-12), name


DERIVED = """
    real(
        "calls_per_s",
        "Figures per second.",
        Formula(lambda of: 1e9 / of["figure_ns"]),
        Formula(lambda of: 1e9 / of["figure_ns"]),
        printed=Printed("calls per second", "calls/s", "1/s"),
    ),
"""
RECORDED_ONE = """
    whole("cache_misses", "Cache misses of one repetition.", _RECORDED, "median"),
"""


def python_with(folder: Path, column: str, *arguments: str) -> str:
    """Return what Python prints with a copy of the front end that has one more column."""
    change = SourceChange(replaced=[("columns/rates.py", "RATES = (", f"RATES = ({column}")])
    return change.python(folder, *arguments)


def test_a_derived_figure_costs_its_column(tmp_path: Path) -> None:
    shown = python_with(tmp_path, DERIVED, "-m", "groma", "show", str(RECORDED), "--define")
    assert "calls/s" in shown
    assert re.search(r"calls per second +Figures per second\.", shown)
    target = tmp_path / "points.csv"
    python_with(tmp_path, DERIVED, "-m", "groma", "export", str(RECORDED), "--to", "csv", "-o", str(target))
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["calls_per_s"]) for row in rows] == [1e9 / float(row["figure_ns"]) for row in rows]
    assert "calls_per_s,1/s,Figures per second." in (tmp_path / "points.columns.csv").read_text(encoding="utf-8")
    asked = f"import groma; print(list(groma.summary({str(RECORDED)!r}, everything=True)['calls_per_s']))"
    assert (
        json.loads(python_with(tmp_path, DERIVED, "-c", asked))
        == (1e9 / summary(RECORDED, everything=True)["time_ns"]).to_list()
    )


def test_a_recorded_figure_costs_the_front_end_its_column(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", Scenario(launches=2, samples=8, operations=("bcast",), sizes=(8,)))
    for number, file in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        changed = [record | ({"cache_misses": 7 + number} if record["kind"] == "point" else {}) for record in records]
        write_records(file, changed)
    target = tmp_path / "points.json"
    python_with(tmp_path, RECORDED_ONE, "-m", "groma", "export", str(path), "--to", "json", "-o", str(target))
    document = json.loads(target.read_text())
    assert [row["cache_misses"] for row in document["rows"]] == [7, 8]
    assert {"name": "cache_misses", "unit": "", "meaning": "Cache misses of one repetition."} in document["columns"]
