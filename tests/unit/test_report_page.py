"""The page: one small offline file whose tables hold every figure."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from edited_records import write_records
from synthetic import Scenario, make_run

from groma.analysis import Series, headlines, series, summarise
from groma.errors import OutputError
from groma.report.chartgroups import chart_groups
from groma.report.definitions import FIGURES, HEADINGS, page
from groma.report.environment import environment
from groma.report.figures import figure
from groma.report.page import render, write_report
from groma.report.pictures import samples, thin
from groma.report.tables import QUANTILES, columns, further_columns, search_note
from groma.results import Run, load_run
from groma.text.numbers import DASH, microseconds

SMALL = Scenario(launches=6, samples=30, operations=("pingpong", "stream", "allreduce", "barrier"), sizes=(8, 65536))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load_run(make_run(tmp_path_factory.mktemp("page") / "run", SMALL))


@pytest.fixture(scope="module")
def html(run: Run) -> str:
    return render(run)


def test_the_pairs_that_a_pattern_found_are_named() -> None:
    def curve(pattern: str, *pairs: tuple[int, int]) -> Series:
        launches = [SimpleNamespace(launch=number, members=pair) for number, pair in enumerate(pairs)]
        return Series("pingpong", [SimpleNamespace(point={"pattern": pattern}, launches=launches)])  # type: ignore[list-item]

    assert search_note(curve("first_two", (0, 1))) == ""
    assert search_note(curve("slowest", (0, 2), (0, 2))) == "The slowest pair: ranks 0 and 2."
    changing = search_note(curve("farthest", (0, 9), (4, 7), (0, 9)))
    assert changing == "The farthest pair: ranks 0 and 9 (2 launches), ranks 4 and 7 (1 launch)."


def test_the_page_is_one_file_below_two_megabytes(run: Run, tmp_path: Path) -> None:
    target = write_report(run, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == [target]
    assert target.stat().st_size < 2_000_000


def test_nothing_on_the_page_points_to_the_network(html: str) -> None:
    markup = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href|action)\s*=\s*(?!["'](?:#|data:))|url\(""", markup)
    assert "@import" not in markup
    assert "default-src 'none'" in markup


def test_every_figure_stands_in_a_table(run: Run, html: str) -> None:
    cells = [re.sub(r"\s|\u2007|\u2008", "", cell) for cell in re.findall(r"<td>(.*?)</td>", html)]
    for summary in summarise(run):
        assert microseconds(summary.time_ns) in cells


def test_every_command_on_the_page_names_its_run(run: Run, html: str) -> None:
    commands = re.findall(r'<code class="command">(.*?)</code>', html)
    commands += [line for block in re.findall(r"<pre>(.*?)</pre>", html, re.DOTALL) for line in block.splitlines()]
    mine = [shlex.split(unescape(command)) for command in commands]
    assert ["groma", "report", str(run.path)] in mine
    assert ["groma", "export", str(run.path), "--to", "csv"] in mine


def test_the_first_launch_is_printed_so_that_running_it_overwrites_nothing(tmp_path: Path) -> None:
    path = make_run(tmp_path / "a run", SMALL)
    document = path / "launches" / "001" / "launch.json"
    words = ["mpiexec", "-n", "2", "groma-engine", "--plan", "elsewhere/plan.json", "--out", "p", "--nodes", "n"]
    document.write_text(json.dumps(json.loads(document.read_text()) | {"command": words, "environment": {"A": "1 2"}}))
    command = environment(load_run(path))["launch_command"]
    plan = str(path / "launches" / "001" / "plan.json")
    assert shlex.split(command) == ["A=1 2", "mpiexec", "-n", "2", "groma-engine", "--plan", plan]


def test_the_placement_names_core_cache_and_socket_of_ranks_whose_are_known(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", SMALL)
    assert environment(load_run(path))["places"].headings == ["rank", "host", "allowed CPUs", "on CPU", "NUMA node"]
    file = path / "launches" / "001" / "nodes.json"
    nodes = json.loads(file.read_text())
    nodes["ranks"][0] |= {"core": 8, "cache": 0}
    file.write_text(json.dumps(nodes))
    shown = environment(load_run(path))
    headings = ["rank", "host", "allowed CPUs", "on CPU", "core", "last-level cache", "NUMA node"]
    assert shown["places"].headings == headings, "no rank has a socket"
    assert [row[4:6] for row in shown["places"].rows] == [("of CPU 8", "of CPU 0"), (DASH, DASH)]
    assert "of CPU 8" in render(load_run(path))


def test_names_from_the_run_are_escaped(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", SMALL)
    document = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(document | {"host": "<script>alert(1)</script>"}))
    assert "<script>alert" not in render(load_run(path))


def test_a_page_that_cannot_be_written_is_an_output_error(run: Run, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_report(run, tmp_path / "nowhere" / "report.html")


@pytest.mark.parametrize(
    "scenario",
    [
        replace(SMALL, launches=1, never_started=(1,)),
        replace(SMALL, launches=1, ended_early={1: 0}),
        replace(SMALL, launches=1, samples=1),
        replace(SMALL, operations=("barrier",)),
        replace(SMALL, operations=("allreduce",), sizes=(8,)),
        replace(SMALL, failed={1: "mpi_error", 2: "timeout"}, state="partial"),
        replace(SMALL, ranks=5, oversubscribed=True),
    ],
)
def test_poor_runs_have_a_page_too(tmp_path: Path, scenario: Scenario) -> None:
    text = render(load_run(make_run(tmp_path / "run", scenario)))
    assert "NaN" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert "<h2" in text


@pytest.mark.slow
def test_a_large_run_still_has_a_small_page(tmp_path: Path) -> None:
    sizes = tuple(8 + 8 * number for number in range(90))
    scenario = replace(SMALL, launches=10, samples=100, operations=("pingpong", "allreduce", "bcast"), sizes=sizes)
    text = render(load_run(make_run(tmp_path / "run", scenario)))
    assert len(text.encode()) < 2_000_000
    assert "of 270 points, evenly spread over the plan" in text


@pytest.mark.slow
def test_a_run_with_the_times_of_many_processes_has_a_small_page_too(tmp_path: Path) -> None:
    sizes = tuple(8 + 8 * number for number in range(20))
    path = make_run(
        tmp_path / "run", replace(SMALL, launches=3, samples=200, operations=("bcast",), sizes=sizes, ranks=48)
    )
    random = np.random.default_rng(4)
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point":
                record["ranks_ns"] = np.rint(1e4 * random.lognormal(0, 1, (48, 200))).astype(int).tolist()
        write_records(records, lines)
    text = render(load_run(path))
    assert len(text.encode()) < 2_000_000
    assert "first all together, then the first 32." in text


def test_thinning_keeps_every_edge_and_all_of_a_short_series() -> None:
    times = np.random.default_rng(1).lognormal(size=1000) * 1e3
    thinned = np.array(thin(times, 20))
    assert thinned.shape == (20, 3)
    assert thinned[:, 0].min() == pytest.approx(times.min() / 1e3, rel=1e-3)
    assert thinned[:, 2].max() == pytest.approx(times.max() / 1e3, rel=1e-3)
    assert thinned[:, 1] == pytest.approx([np.median(part) / 1e3 for part in np.array_split(times, 20)], rel=1e-3)
    uneven = thin(times[:987], 20)
    assert [row[1] for row in uneven] == pytest.approx(
        [np.median(part) / 1e3 for part in np.array_split(times[:987], 20)], rel=1e-3
    )
    assert thin(np.array([3000.0, 1000.0, 2000.0]), 20) == [[3, 3, 3], [1, 1, 1], [2, 2, 2]]


def test_one_unit_for_each_quantity(run: Run) -> None:
    headings = " ".join(HEADINGS.values())
    for headline in headlines(summarise(run)):
        assert figure(headline).unit in {"\u00b5s", "MB/s", "million/s"}
        assert figure(headline).unit in headings
    groups = chart_groups(series(summarise(run)), [])
    assert {chart.y.partition(",")[0] for group in groups for chart in group.charts} == {
        "\u00b5s",
        "MB/s",
        "time as a multiple of the hardware minimum",
    }


def test_every_column_has_a_definition(run: Run) -> None:
    for curve in series(summarise(run)):
        for term in columns(curve) | further_columns(curve):
            assert term in HEADINGS or term in QUANTILES or term in {"size", "launches", "samples"}


def test_the_committed_page_of_definitions_is_current() -> None:
    committed = Path(__file__).parents[2] / "docs" / "figures.md"
    assert committed.read_text() == page(), "make it again with: python -m groma.report > docs/figures.md"
    assert len({figure.term for figure in FIGURES}) == len(FIGURES)


def test_histograms_hold_all_but_the_slowest_samples_and_completion_needs_a_global_clock(
    tmp_path: Path,
) -> None:
    run = load_run(make_run(tmp_path / "run", Scenario(launches=3, operations=("allreduce", "pingpong"), clocked=True)))
    by_operation = {summary.operation: samples(summary, 10) for summary in summarise(run)}
    for picture in by_operation.values():
        drawn = picture.histogram
        assert 0.97 * 300 <= sum(drawn.counts) <= 300
        assert len(drawn.edges) == len(drawn.counts) + 1
        assert sum(share for _, share in drawn.peaks) == pytest.approx(1, abs=0.01)
    assert [launch.done for launch in by_operation["allreduce"].launches] == [[0.3, 0.31, 0.32, 0.33, 0.34]] * 3
    assert not any(launch.done for launch in by_operation["pingpong"].launches)
