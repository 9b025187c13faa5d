"""The ALCF tables of a made run: rows and columns of the slides, figures that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from fakes import Groma
from synthetic import Scenario, make_run

from groma.alcf import Peaks, tables
from groma.alcf.tables import Table
from groma.analysis import PointSummary, summarise
from groma.report.numbers import DASH
from groma.results import Run, load_run
from groma.results.records import Handoff, Limits

LAUNCH_NS = 1000.0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    scenario = Scenario(launches=1, ranks=4, samples=20, operations=("bcast",), sizes=(8,))
    return load_run(make_run(tmp_path_factory.mktemp("alcf") / "run", scenario))


def made(
    run: Run,
    time_ns: float = LAUNCH_NS,
    members: int = 4,
    moved: int = 0,
    messages: int = 0,
    **fields: Any,  # noqa: ANN401 - of a point
) -> PointSummary:
    """Return a point with these fields and this time, whatever else it was."""
    (point,) = summarise(run)
    launches = [replace(launch, bytes_moved=moved, messages=messages, divisor=1) for launch in point.launches]
    usual = {"window": 1, "targets": 1, "ranks_per_node": 0, "layout": "contiguous", "bytes": 0}
    return replace(point, point=point.point | usual | fields, time_ns=time_ns, member_count=members, launches=launches)


def table(found: list[Table], title: str) -> Table:
    (one,) = (table for table in found if table.title == title)
    return one


def test_rates_are_those_of_one_node_in_millions(run: Run) -> None:
    near: dict[str, Any] = {"pattern": "intranode", "bytes": 0}
    points = [
        made(run, operation="targets", messages=8, ranks_per_node=0, **near),
        made(run, operation="targets", messages=4, ranks_per_node=2, members=2, **near),
        made(run, 2000.0, operation="targets_any_source", messages=8, **near),
        made(run, operation="targets", messages=16, window=2, **near),
    ]
    found = tables(run, summaries=points)
    rates = table(found, "Messaging rate within a node")
    assert rates.headings == ["RPN", "def", "any_src"]
    assert rates.rows == [["2", "4.00", DASH], ["4", "8.00", "4.00"]]
    windows = table(found, "Messaging rate within a node, by window")
    assert [row[:2] for row in windows.rows] == [["1", "8.00"], ["2", "16.0"]]


def test_peak_and_efficiency_are_rows_where_the_peak_is_known(run: Run) -> None:
    bulk: dict[str, Any] = {"operation": "targets", "pattern": "internode", "bytes": 512 * 1024}
    points = [made(run, moved=18_000, **bulk), made(run, moved=9_000, ranks_per_node=2, members=2, **bulk)]
    without = table(tables(run, summaries=points), "Single node aggregate bandwidth between nodes")
    assert without.rows == [["2", "9.00"], ["4", "18.0"]]
    given = table(tables(run, Peaks(node=36.0), points), "Single node aggregate bandwidth between nodes")
    assert given.rows[-2:] == [["Peak", "36.0"], ["of peak", "50%"]]
    assert "as given" in given.notes[-1]
    low = table(tables(run, Peaks(node=12.0), points), "Single node aggregate bandwidth between nodes")
    assert low.rows[-1] == ["of peak", "150%"]
    assert "Above the peak: it was given too low" in low.notes[-1]


def test_above_what_cores_hand_over_the_cause_is_said(run: Run) -> None:
    (launch,) = run.launches
    assert launch.start is not None
    handed = [Handoff([0, 1], 512 * 1024, ns=600_000.0, stream_ns=512 * 1024 / 2.0)]
    start = msgspec.structs.replace(launch.start, limits=Limits(handoff=handed))
    known = replace(run, launches=[replace(launch, start=start)])
    bulk: dict[str, Any] = {"operation": "targets", "pattern": "intranode", "bytes": 512 * 1024}
    for moved, said in (
        (6_000, "Peak: messages handed from core to core"),
        (18_000, "Above the peak: a timed"),
    ):
        points = [made(run, moved=moved, **bulk)]
        found = table(tables(known, summaries=points), "Single node aggregate bandwidth within a node")
        assert found.notes[-1].startswith(said), found.rows


def test_a_message_crosses_the_cut_once(run: Run) -> None:
    # 2 ranks of 2 nodes send 9 kB each way in 1 us: 18 GB/s cross the cut, and each node sends and receives 18 GB/s.
    bulk: dict[str, Any] = {"operation": "targets", "bytes": 512 * 1024, "moved": 36_000, "members": 2}
    points = [replace(made(run, pattern=pattern, **bulk), hosts=2) for pattern in ("bisection", "internode")]
    found = tables(run, Peaks(bisection=36.0), points)
    cut = table(found, "Bi-section bandwidth")
    assert [row[1] for row in cut.rows] == ["18.0", "36.0", "50%"]
    assert table(found, "Single node aggregate bandwidth between nodes").rows[0][1] == "18.0"


def test_collectives_have_a_table_for_each_communicator_and_their_ratio(run: Run) -> None:
    points = [
        made(run, time_ns, operation="barrier", communicator=communicator, members=members)
        for time_ns, communicator, members in ((3000.0, "world", 4), (1500.0, "half", 2))
    ]
    found = tables(run, summaries=points)
    assert [table.title for table in found] == [
        "Collective operations: World",
        "Collective operations: Half World",
        "Collective operations: Half over World",
    ]
    assert found[0].headings == ["MPI ranks per node", "4"]
    assert found[0].rows[0] == ["Barrier", "3.00"]
    assert found[2].rows[0] == ["Barrier", "0.500"]


@pytest.mark.parametrize("peak", ["node", "node=0", "nodes=36", "node=fast"])
def test_a_wrong_peak_is_refused_with_what_to_write(groma: Groma, run: Run, peak: str) -> None:
    said = groma("show", str(run.path), "--style", "alcf", "--peak", peak)
    assert said.code == 2
    assert "write --peak node=36" in said.err


def test_a_peak_without_its_style_is_refused(groma: Groma, run: Run) -> None:
    said = groma("show", str(run.path), "--peak", "node=36")
    assert said.code == 2
    assert "--style alcf" in said.err


def test_a_run_without_habits_says_what_to_do(groma: Groma, run: Run) -> None:
    said = groma("advice", str(run.path))
    assert said.code == 1
    assert "--profile alcf" in said.err
