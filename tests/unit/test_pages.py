"""The pages of the benchmarks: made of rows in CSV files, short, and never different from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from benchmarks import page
from benchmarks.chart import Dot, curves, strips
from benchmarks.csvrows import read_rows, write_rows
from benchmarks.page import DOCS, STUDIES, Page, Study, main, study_of
from groma.text.charts.axes import even

MOST_WORDS, MOST_OF_ALL = 450, 5000


@dataclass(frozen=True)
class Row:
    name: str
    count: int
    share: float
    width: float | None
    holds: bool


ROWS = [Row("a, b", 1, 1 / 3, None, holds=True), Row('"c"', -2, 1050083.5, 2.0, holds=False)]


def made(rows: list[Row]) -> Page:
    dots = [Dot(row.name, "one", row.share, "x < y") for row in rows]
    return Page(
        chart=strips(dots, even("share", 0, 1), "Shares & more", (0.2, 0.4)),
        headings=["name", "count"],
        rows=[[row.name, str(row.count)] for row in rows],
        words={"count": len(rows)},
    )


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.csv", Row, ROWS)
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[:2] == ["name,count,share,width,holds", '"a, b",1,0.333333333,,yes']
    first, second = read_rows(tmp_path / "rows.csv", Row)
    assert second == ROWS[1]
    assert first == replace(ROWS[0], share=0.333333333)


def test_a_file_with_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("name,count\na,1\n")
    with pytest.raises(ValueError, match="has the columns name, count, not name, count, share, width, holds"):
        read_rows(tmp_path / "rows.csv", Row)


def test_a_study_writes_rows_page_and_chart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "small.md").write_text("# A study\n\n**{count} rows.**\n\n{table}\n\n{data}\n")
    monkeypatch.setattr(page, "TEXTS", tmp_path / "texts")
    study = Study("small", {"small": Row}, made)
    assert not study.exists(tmp_path)
    study.publish([ROWS], None)
    assert not study.exists(tmp_path)
    study.publish([ROWS], tmp_path)
    text = (tmp_path / "small.md").read_text()
    assert capsys.readouterr().out.count("# A study") == 2
    assert text.startswith("# A study\n\n**2 rows.**\n\n| name | count |\n| --- | --: |\n")
    assert "All rows: [small.csv](data/small.csv)." in text
    assert study.files(tmp_path)[tmp_path / "small.md"] == text


def test_charts_are_svg_that_needs_nothing_beside_it() -> None:
    lines = {"one": [(1.0, 0.0), (2.0, 1.0)], "two & three": [(1.0, 1.0), (2.0, 0.5)]}
    for chart in (
        strips([Dot("a < b", "same", 0.5, "said", 0.1, 2.0)], even("x", 0, 1), "In words"),
        curves(lines, even("x", 1, 2), even("y", 0, 1), "In words", limit=[(1.0, 0.5), (2.0, 0.5)]),
    ):
        root = ET.fromstring(chart)  # noqa: S314 - made here
        marks = {mark.get("id") for mark in root.iter("{http://www.w3.org/2000/svg}path")}
        used = {mark.get("href", "")[1:] for mark in root.iter("{http://www.w3.org/2000/svg}use")}
        assert used
        assert used <= marks
        assert "script" not in chart
        assert "In words" in chart


def test_more_kinds_than_colours_are_refused() -> None:
    with pytest.raises(ValueError, match="9 kinds of dots, 8 have a colour"):
        strips([Dot("row", str(number), 0.5) for number in range(9)], even("x", 0, 1), "")


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_is_what_the_writer_makes_of_its_rows(name: str) -> None:
    for path, text in study_of(name).files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path} differs: python -m benchmarks.page {name}"


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_is_one_screen_and_its_links_lead_somewhere(name: str) -> None:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert words(text) <= MOST_WORDS
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert f"data/{name}.svg" in links
    assert all((DOCS / link).exists() for link in links)


def test_all_pages_together_are_short() -> None:
    assert sum(words((DOCS / f"{name}.md").read_text(encoding="utf-8")) for name in STUDIES) <= MOST_OF_ALL


def words(text: str) -> int:
    """Return how many words there are, without the borders of tables."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


def test_every_file_of_the_data_belongs_to_a_page() -> None:
    studies = [study_of(name) for name in STUDIES]
    charts = {path.name for study in studies for path in study.files() if path.suffix == ".svg"}
    known = {f"{table}.csv" for study in studies for table in study.tables} | charts
    assert {path.name for path in (DOCS / "data").iterdir()} == known | {"README.md"}


def test_every_file_of_the_data_says_what_its_rows_are() -> None:
    assert (DOCS / "data" / "README.md").read_text(encoding="utf-8") == page.readme()


def test_pages_are_made_again_without_measuring(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in study_of("cost").tables:
        (tmp_path / "data" / f"{name}.csv").write_bytes((DOCS / "data" / f"{name}.csv").read_bytes())
    assert CliRunner().invoke(main, ["cost", "--docs", str(tmp_path)]).exit_code == 0
    assert (tmp_path / "cost.md").read_bytes() == (DOCS / "cost.md").read_bytes()
