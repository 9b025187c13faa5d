"""Nothing that fewer than six launches give calls itself a 95% interval, wherever it is printed."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from edited_records import write_records
from rich.console import Console
from synthetic import Scenario, make_run
from synthetic_swaps import make_swap_run

from groma.analysis import series, summarise
from groma.analysis.advice.costs import costs
from groma.analysis.advice.placement import best_placements
from groma.analysis.advice.text import costs_table
from groma.analysis.otherruns import other_runs_of
from groma.programs.answers import read_style, study_of
from groma.programs.sheet import sheet_of
from groma.report import print_run
from groma.report.page import render
from groma.report.tables import columns, interval_notes
from groma.results import Run, load_run
from groma.tables import summary

# What may be said of 95% where there is none: that there is none, and why.
DENIALS = re.compile(r"too few for (a )?95% intervals?|95% interval, which needs 6|need 6")


@pytest.fixture(params=[2, 5])
def few(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    scenario = Scenario(launches=request.param, operations=("pingpong", "stream", "bcast", "barrier"), sizes=(8, 1024))
    return load_run(make_run(tmp_path / "few", scenario))


def terminal(run: Run) -> str:
    out = StringIO()
    print_run(run, Console(file=out, width=160, color_system=None))
    return out.getvalue()


def test_the_terminal_says_min_max(few: Run) -> None:
    said = " ".join(terminal(few).split())
    assert "min-max" in said
    assert "95%" not in DENIALS.sub("", said)
    assert said.count("\u00b1") == len(re.findall(r"\u00b1[0-9.]+% min-max", said)) > 0


def test_a_headline_without_an_interval_says_so(tmp_path: Path) -> None:
    scenario = Scenario(launches=1, samples=2, operations=("pingpong",), sizes=(8,))
    headline = next(
        line for line in terminal(load_run(make_run(tmp_path / "one", scenario))).splitlines() if "Latency" in line
    )
    assert "no interval" in headline
    assert "95%" not in headline


def test_the_page_says_min_max(few: Run) -> None:
    page = render(few).partition('<section id="definitions">')[0]
    shown = re.sub(r' title="[^"]*"|<style>.*?</style>|<script>.*?</script>', "", page, flags=re.DOTALL)
    said = re.sub(r"\s+", " ", shown)
    assert said.count(">min-max</a>") >= 6, "headline figures and tables"
    assert "95%" not in DENIALS.sub("", re.sub(r"[\d.]95%|p95", "", said))
    assert 'id="coverage"' not in page
    assert "\u00b1" not in said


def test_tables_for_programs_say_range(few: Run) -> None:
    table = summary(few.path, everything=True)
    assert set(table["interval_kind"]) == {"range"}
    assert table["next_run_low"].null_count() == table.height


@pytest.mark.parametrize("style", ["osu", "imb", "mpbench", "pmb", "skampi"])
def test_other_programs_layouts_say_why_there_is_none(few: Run, style: str) -> None:
    text = sheet_of(few, read_style(style)).text()
    assert "too few for 95% intervals" in text
    assert "95%" not in DENIALS.sub("", text)
    assert "\u00b1" not in text


def test_advice_has_neither_interval_nor_verdict(few: Run) -> None:
    for records in few.path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in [line for line in lines if line["kind"] == "point" and line["point"]["operation"] == "pingpong"]:
            twin = record["point"] | {"operation": "pingpong_any_source"}
            slow = [3 * time for time in record["samples_ns"]]
            lines.insert(-1, record | {"index": record["index"] + 100, "point": twin, "samples_ns": slow})
        write_records(records, lines)
    summaries = summarise(load_run(few.path))
    found = costs(summaries)
    assert found
    table = costs_table(found)
    for row in table.rows:
        cells = [cell for heading, cell in zip(table.headings, row, strict=True) if heading == "95% interval"]
        assert cells == ["\u2013", "\u2013"]
        assert "not decided" in row
    assert best_placements(summaries) == []


@pytest.mark.one_case
@pytest.mark.parametrize("launches", [2, 5])
def test_the_study_of_swaps_has_ratios_without_intervals(tmp_path: Path, launches: int) -> None:
    run = load_run(
        make_swap_run(tmp_path / "swaps", lambda way, messages, _: (1 + way.number) * messages * 1e-5, launches)
    )
    study = study_of(run, summarise(run))
    assert study is not None
    said = [*study.sentences, *(cell for table in study.tables for row in table.rows for cell in row)]
    assert len(said) > 20
    for text in said:
        assert "95%" not in text
        assert "\u00b1" not in text
        assert not re.search(r"\d \([0-9.]+ to [0-9.]+\) times", text)


def test_three_runs_of_one_launch_foretell_nothing(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2), ("c", 3)):
        make_run(tmp_path / name, Scenario(seed=seed, launches=1, operations=("bcast",), sizes=(8,)))
    run = load_run(tmp_path / "a")
    assert len(other_runs_of(run).names) == 2
    assert other_runs_of(run).spread(summarise(run)[0]).next_run is None


@pytest.mark.parametrize(("lacking", "usual"), [(("8",), "95% interval"), (("8", "64", "512"), "min-max")])
def test_the_mark_says_what_the_marked_bounds_are(tmp_path: Path, lacking: tuple[str, ...], usual: str) -> None:
    path = make_run(tmp_path / "run", Scenario(launches=6, operations=("bcast",), sizes=(8, 64, 512, 4096)))
    records = path / "launches/006/points.jsonl"
    kept = [line for line in records.read_text().splitlines() if str(_bytes(line)) not in lacking]
    records.write_text("".join(f"{line}\n" for line in kept))
    (curve,) = series(summarise(load_run(path)))
    cells = columns(curve)[usual]
    marked = "min-max" if usual == "95% interval" else "a 95% interval"
    assert [cell.endswith("*") for cell in cells] == [(size in lacking) == (marked == "min-max") for size in
                                                     ("8", "64", "512", "4096")]  # fmt: skip
    assert interval_notes(curve)[-1] == f"* from other launches than the other points: {marked}."


def _bytes(line: str) -> int | None:
    record = json.loads(line)
    return record["point"].get("bytes") if record["kind"] == "point" else None
