"""One row per point: what a person and a program read first of a run, on a screen, in a file, in a paper."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import polars as pl
import pytest
from fakes import Groma
from synthetic import Scenario, make_run

import groma as package
from groma.analysis import summarise
from groma.results import load_run
from groma.text.tables import Table, latex_lines

RECORDED = Path(__file__).parents[1] / "recorded"
FIRST = ["operation", "bytes", "figure", "interval_low", "interval_high", "unit"]
SIX = Scenario(launches=6, samples=30, operations=("pingpong", "stream", "barrier"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", SIX)


def test_a_summary_is_operation_size_figure_and_interval(path: Path) -> None:
    table, points = package.summary(path), summarise(load_run(path))
    assert table.columns == FIRST
    assert table["operation"].to_list() == [point.operation for point in points]
    assert table["bytes"].to_list() == [point.bytes for point in points]
    assert table.filter(pl.col("operation") == "barrier")["bytes"].to_list() == [None], "a barrier has no size"
    assert (table["interval_low"] <= table["figure"]).all()
    assert package.summary(path, everything=True).columns[: len(FIRST)] == FIRST
    assert "p95_ns" in package.summary(path, everything=True).columns


def test_a_setting_in_which_points_of_an_operation_differ_has_a_column() -> None:
    assert package.summary(RECORDED / "ladder").columns == [*FIRST[:2], "variant", *FIRST[2:]]
    table = package.summary(RECORDED / "commtest")
    assert {"timing", "cache"} < set(table.columns)
    keys = [name for name in table.columns if name not in FIRST[2:]]
    assert table.select(keys).is_unique().all()


def test_an_interval_that_is_not_over_launches_says_so() -> None:
    table = package.summary(RECORDED / "two-launches")
    assert table["interval_kind"].to_list() == ["range"] * 7


@pytest.mark.parametrize("polars", [True, False])
def test_a_summary_fits_eighty_columns(path: Path, monkeypatch: pytest.MonkeyPatch, polars: bool) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("POLARS_TABLE_WIDTH", "80")
    if not polars:
        for name in ("polars", "pandas"):
            monkeypatch.setitem(sys.modules, name, None)
    lines = repr(package.summary(path)).splitlines()
    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if "operation" in line)
    assert re.findall(r"\w+", head) == FIRST, "all of them, and nothing is cut"


def test_a_long_mapping_says_how_many_rows_are_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("polars", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    assert repr(package.summary(RECORDED / "commtest")).splitlines()[-1] == "... and 74 more rows"


@pytest.mark.parametrize("to", ["csv", "json", "parquet"])
def test_exported_points_are_the_summary(groma: Groma, path: Path, to: str) -> None:
    said = groma("export", str(path), "--points", "--to", to)
    target = Path(said.last_line)
    assert target.name == f"figures.{to}"
    if to == "csv":
        with target.open(encoding="utf-8", newline="") as file:
            rows = [[float(row["figure"]), row["unit"]] for row in csv.DictReader(file)]
    elif to == "json":
        rows = [[row["figure"], row["unit"]] for row in json.loads(target.read_text())["rows"]]
    else:
        rows = [[row["figure"], row["unit"]] for row in pl.read_parquet(target).to_dicts()]
    assert rows == [[row["figure"], row["unit"]] for row in package.summary(path).to_dicts()]


def test_markdown_and_latex_have_sizes_and_figures_as_people_write_them(groma: Groma, path: Path) -> None:
    markdown = Path(groma("export", str(path), "--to", "markdown").last_line)
    assert markdown.name == "figures.md"
    head, _, first, *_ = markdown.read_text(encoding="utf-8").splitlines()
    assert head == "| operation | size | figure | low | high | unit |"
    figure = package.summary(path)["figure"][0]
    assert re.fullmatch(rf"\| pingpong \| 8 B \| {figure:.4g}[\d.]* \| [\d.]+ \| [\d.]+ \| \u00b5s \|", first)
    latex = Path(groma("export", str(path), "--to", "latex").last_line)
    assert latex.name == "figures.tex"
    assert _rows(latex.read_text(encoding="utf-8"))[1][:2] == ["pingpong", "8 B"]


def test_latex_has_nothing_that_it_would_take_for_its_own() -> None:
    marks = "a_b & 5% $x$ #1 {y} \\n ~z ^q <p> |r| \u00b5s \N{EN DASH} \N{MULTIPLICATION SIGN}"
    text = "\n".join(latex_lines(Table("", ["what"], [[marks]])))
    row = _rows(text)[1][0]
    assert row == (
        r"a\_b \& 5\% \$x\$ \#1 \{y\} \textbackslash{}n \textasciitilde{}z \textasciicircum{}q $<$p$>$ $|$r$|$ $\mu$s "
        r"-- $\times$"
    )
    assert text.isascii()


def _rows(latex: str) -> list[list[str]]:
    """Return the cells of a tabular, after its groups and rules are found balanced."""
    match = re.search(r"\\begin\{tabular\}\{([lr]+)\}\n\\toprule\n(.*)\\bottomrule\n\\end\{tabular\}", latex, re.DOTALL)
    assert match is not None
    bare = re.sub(r"\\[{}]", "", latex)
    assert bare.count("{") == bare.count("}")
    lines = match[2].replace("\\midrule\n", "").removesuffix("\\\\\n").split(" \\\\\n")
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)&", line)] for line in lines]
    assert {len(row) for row in rows} == {len(match[1])}
    return rows
