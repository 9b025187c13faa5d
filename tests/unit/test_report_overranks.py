"""Charts over numbers of ranks: whatever was measured with several, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import Groma
from planted_points import planted
from synthetic import Scenario, make_run

from groma.analysis import PointSummary, summarise
from groma.report.chartgroups import rank_charts
from groma.report.page import render
from groma.results import load_run


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[PointSummary]:
    sizes = (8, 64, 512, 4096, 32768, 262144)
    scenario = Scenario(launches=6, operations=("bcast", "barrier", "pingpong"), sizes=sizes)
    return summarise(load_run(make_run(tmp_path_factory.mktemp("ranks") / "run", scenario)))


def of_ranks(points: list[PointSummary], ranks: int, *, launched: int = 0) -> list[PointSummary]:
    return [planted(one, member_count=ranks, ranks=launched or ranks, time_ns=one.time_ns * ranks) for one in points]


def test_one_number_of_ranks_has_no_chart(measured: list[PointSummary]) -> None:
    assert rank_charts(measured) == []


def test_every_operation_has_one_with_a_curve_for_some_sizes(measured: list[PointSummary]) -> None:
    points = [one for ranks in (2, 4, 8) for one in of_ranks(measured, ranks)]
    charts = rank_charts(points)
    assert [chart.title for chart in charts] == ["bcast", "barrier", "pingpong"]
    bcast, barrier, _ = charts
    assert [key.name for key in bcast.keys] == ["8 B", "512 B", "4 KiB", "256 KiB"]
    assert [key.name for key in barrier.keys] == ["barrier"]
    smallest = next(one for one in measured if (one.operation, one.bytes) == ("bcast", 8))
    assert f"8 ranks: {smallest.time_ns * 8 / 1e3:.3g}"[:12] in str(bcast.drawing)


def test_some_of_a_launch_s_ranks_stand_behind_all_of_one(measured: list[PointSummary]) -> None:
    barriers = [one for one in measured if one.operation == "barrier"]
    half = [planted(one, time_ns=7e6) for one in of_ranks(barriers, 2, launched=4)]
    (chart,) = rank_charts([*half, *of_ranks(barriers, 2), *of_ranks(barriers, 4)])
    assert "7000" not in str(chart.drawing)


def test_the_page_of_a_run_with_several_numbers_of_ranks_has_them(groma: Groma) -> None:
    assert groma("run", "bcast", "barrier", "--bytes", "8,1K", "-n", "2,4", "--launches", "2", "-o", "out").code == 0
    page = render(load_run(Path("out")))
    assert "Over numbers of ranks" in page
    assert 'id="chart-ranks-1"' in page
    assert 'id="chart-ranks-2"' in page
