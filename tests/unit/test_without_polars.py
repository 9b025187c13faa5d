"""What a caller gets without polars: pandas, or a plain mapping; CSV and JSON; and one sentence for Parquet."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from fakes import Groma

import groma
from groma.results import load_run
from groma.tables import export, samples

RECORDED = Path(__file__).parents[1] / "recorded" / "two-launches"
PATHS: dict[str, Callable[[], Any]] = {
    "summary": lambda: groma.summary(RECORDED),
    "load": lambda: groma.load(RECORDED),
    "samples": lambda: samples(RECORDED),
    "reference": lambda: groma.reference("commtest_cache_inv_fastest", "jet_bcast_sample"),
}


@pytest.fixture
def no_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import of polars and pandas fails."""
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pandas", None)


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[pl.DataFrame, Callable[[], Any]]:
    """A table as a polars DataFrame, and how it is asked for; now neither polars nor pandas can be imported."""
    ask = PATHS[request.param]
    frame: pl.DataFrame = ask()
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    return frame, ask


def test_a_plain_mapping_has_the_values_of_the_frame(path: tuple[pl.DataFrame, Callable[[], Any]]) -> None:
    frame, ask = path
    plain = ask()
    assert list(plain) == frame.columns
    for name, values in plain.items():
        expected = frame[name].to_list()
        if isinstance(values, list):
            assert values == expected, name
        else:
            assert values.dtype in (np.int64, np.float64, np.bool_)
            assert _known(values.tolist()) == expected, name


def test_pandas_is_used_if_there_is_no_polars(
    path: tuple[pl.DataFrame, Callable[[], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, ask = path
    pandas = ModuleType("pandas")
    pandas.Series = lambda values, dtype: (dtype, values)  # type: ignore[attr-defined]
    pandas.DataFrame = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    made = ask()
    types = {pl.Int64(): "Int64", pl.Float64(): "float64", pl.Boolean(): "boolean"}
    assert {name: dtype for name, (dtype, _) in made.items()} == {
        name: types.get(dtype, "object") for name, dtype in frame.schema.items()
    }
    for name, (_, values) in made.items():
        assert _known(values) == frame[name].to_list()


def _known(values: list[Any]) -> list[Any]:
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]


@pytest.mark.usefixtures("no_polars")
def test_csv_and_json_are_written_without_polars(tmp_path: Path) -> None:
    run = load_run(RECORDED)
    with export(run, "csv", tmp_path / "points.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "points.columns.csv").open(encoding="utf-8", newline="") as file:
        described = list(csv.DictReader(file))
    document = json.loads(export(run, "json", tmp_path / "points.json").read_text(encoding="utf-8"))
    assert list(rows[0]) == [row["name"] for row in described] == list(document["rows"][0])
    assert document["columns"] == described
    for row, known in zip(rows, document["rows"], strict=True):
        for name, value in known.items():
            assert _same(row[name], value), name


def _same(text: str, value: Any) -> bool:  # noqa: ANN401 - what JSON holds
    if isinstance(value, bool | str) or value is None:
        return text == (str(value).lower() if isinstance(value, bool) else value or "")
    return text == " | ".join(value) if isinstance(value, list) else float(text) == value


@pytest.mark.usefixtures("no_polars")
def test_parquet_without_polars_is_refused_in_one_sentence(groma: Groma) -> None:
    said = groma("export", str(RECORDED), "--to", "parquet", "-o", "points.parquet")
    said.refuses("Parquet needs polars: pip install polars, or choose csv or json")
    assert not Path("points.parquet").exists()


@pytest.mark.usefixtures("no_polars")
@pytest.mark.parametrize("arguments", ["show", "report -o page.html", "export --to csv -o points.csv"])
def test_verbs_need_no_polars(groma: Groma, arguments: str) -> None:
    verb, *options = arguments.split()
    assert groma(verb, str(RECORDED), *options).code == 0
    assert groma("list", "jet_bcast_sample").code == 0
