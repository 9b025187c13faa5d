"""Charts: few lines each, none left out, each named by what distinguishes it in its chart."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_points import planted
from synthetic import Scenario, make_run

from groma.analysis import Series, series, summarise
from groma.report.chartgroups import bandwidth_lines, chart_groups, time_lines
from groma.report.portions import MOST, portions
from groma.results import load_run

RECORDED = Path(__file__).parents[1] / "recorded"


@pytest.fixture(scope="module")
def pingpong(tmp_path_factory: pytest.TempPathFactory) -> Series:
    run = load_run(make_run(tmp_path_factory.mktemp("portions") / "run", Scenario(launches=1, samples=10)))
    return next(curve for curve in series(summarise(run)) if curve.operation.name == "pingpong")


def like(curve: Series, operation: str = "pingpong", **fields: object) -> Series:
    """Return the curve with other settings."""
    settings = {"datatype": "byte", "layout": "contiguous", "receive_offset": 1088, "operation": operation} | fields
    points = [planted(point, point=point.point | settings) for point in curve.points]
    return Series(operation, points)


def test_few_curves_stand_on_one_chart_under_their_operations(pingpong: Series) -> None:
    (portion,) = portions([pingpong, like(pingpong, "pingpong_synchronous")])
    assert (portion.title, portion.names) == ("", ["pingpong", "pingpong_synchronous"])


def test_names_say_what_differs_and_no_default(pingpong: Series) -> None:
    (portion,) = portions([like(pingpong), like(pingpong, receive_offset=1089), like(pingpong, layout="vector")])
    assert portion.names == ["pingpong", "pingpong · receive_offset=1089", "pingpong · layout=vector"]


def test_a_setting_that_follows_from_another_is_not_said(pingpong: Series) -> None:
    (portion,) = portions([like(pingpong), like(pingpong, datatype="double", layout="vector")])
    assert portion.names == ["pingpong", "pingpong · layout=vector"]


def test_whole_operations_share_a_chart_as_long_as_their_curves_are_few(pingpong: Series) -> None:
    layouts = ("contiguous", "vector", "indexed", "struct")
    names = ("pingpong", "pingpong_synchronous", "pingpong_any_source")
    found = portions([like(pingpong, name, layout=layout) for name in names for layout in layouts])
    assert [portion.title for portion in found] == ["pingpong and pingpong_synchronous", "pingpong_any_source"]
    assert found[1].names[1:] == ["layout=vector", "layout=indexed", "layout=struct"]


def test_an_operation_with_many_curves_is_divided_by_one_of_its_settings(pingpong: Series) -> None:
    layouts = ("contiguous", "vector", "indexed", "struct")
    curves = [
        like(pingpong, layout=layout, receive_offset=offset, datatype=datatype)
        for offset in (0, 64, 1089)
        for layout in layouts
        for datatype in ("byte", "double")
    ]
    found = portions(curves)
    assert [portion.title for portion in found] == [f"pingpong · receive_offset={offset}" for offset in (0, 64, 1089)]
    assert [curve for portion in found for curve in portion.curves] == curves


@pytest.mark.parametrize("name", ["alcf", "commtest", "mpptest", "imb"])
def test_no_curve_of_a_real_run_is_left_out_and_no_name_stands_twice(name: str) -> None:
    curves = series(summarise(load_run(RECORDED / name)))
    several = [curve for curve in curves if len({point.bytes for point in curve.points}) > 1]
    assert several
    sized = [curve for curve in several if curve.operation.family != "harness"]
    groups = chart_groups(curves, [])
    for group in groups:
        for chart in group.charts:
            names = [key.name for key in chart.keys]
            assert len(set(names)) == len(names) <= MOST
    drawn = {group.title: [key for chart in group.charts for key in chart.keys] for group in groups}
    timed = len(drawn.get("Latency", [])) + len(drawn.get("Collectives", []))
    windows = [line for line in time_lines(sized) if "window" in line.curve.operation.uses]
    windows = [line for line in windows if line.curve.operation.family == "point_to_point"]
    assert timed == len(time_lines(sized)) - len(windows)
    paired = [curve for curve in sized if curve.operation.family == "point_to_point"]
    assert len(drawn.get("Bandwidth", [])) == len(bandwidth_lines(paired))
