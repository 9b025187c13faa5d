"""A run that the engine recorded (tests/recorded): engine and analysis work out the same figures from its samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.analysis import summarise
from groma.analysis.launchpoint import LaunchPoint, launch_point
from groma.report.page import render
from groma.results import Run, load_run
from groma.results.records import Point
from groma.tables import load

RECORDED = Path(__file__).parents[1] / "recorded" / "two-launches"


@pytest.fixture(scope="module")
def run() -> Run:
    return load_run(RECORDED)


def points(run: Run) -> list[tuple[Point, LaunchPoint]]:
    return [(record, launch_point(launch, record)) for launch in run.launches for record in launch.points]


def test_it_is_complete(run: Run) -> None:
    assert run.missing() == []
    assert len(points(run)) == 2 * 7


def test_the_median_is_that_of_the_engine(run: Run) -> None:
    for record, figure in points(run):
        assert figure.median_ns == pytest.approx(record.median_ns, rel=1e-9)


def test_the_interval_of_one_launch_is_not_narrower_than_that_of_the_engine(run: Run) -> None:
    """That engine knew the correlation of neighbours alone; tests/engine compares with the engine of today."""
    compared = 0
    for record, figure in points(run):
        if record.half_width is not None and figure.interval is not None:
            assert figure.interval.half_width(figure.median_ns) >= record.half_width - 1e-9
            compared += 1
    assert compared >= 10


def test_it_has_figures_a_table_and_a_page(run: Run) -> None:
    assert [summary.operation for summary in summarise(run)][::2] == ["pingpong", "stream", "allreduce", "barrier"]
    assert load(RECORDED)["median_ns"].null_count() == 0
    assert "stream" in render(run)
