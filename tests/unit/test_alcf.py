"""The ALCF tables of a made run: rows and columns of the slides, figures that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from fakes import Groma
from planted_points import planted
from synthetic import Scenario, make_run

from groma.analysis import PointSummary, summarise
from groma.programs.alcf.reference import beside
from groma.programs.alcf.table import SuiteTable
from groma.programs.alcf.tables import tables
from groma.results import Run, load_run
from groma.results.instruments import Handoff, Limits
from groma.text.numbers import DASH

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
    launches = [planted(launch, bytes_moved=moved, messages=messages, divisor=1) for launch in point.launches]
    usual = {"window": 1, "targets": 1, "ranks_per_node": 0, "layout": "contiguous", "bytes": 0}
    return planted(point, point=point.point | usual | fields, time_ns=time_ns, member_count=members, launches=launches)


def on_nodes(run: Run, nodes: dict[int, int]) -> Run:
    """Return the run with a launch of each number of ranks on a number of nodes."""
    (launch,) = run.launches
    assert launch.start is not None
    starts = [msgspec.structs.replace(launch.start, ranks=ranks, nodes=count) for ranks, count in nodes.items()]
    return replace(run, launches=[replace(launch, start=start) for start in starts])


def table(found: list[SuiteTable], title: str) -> SuiteTable:
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


def test_rates_say_how_many_targets_a_rank_has_and_have_a_table_of_them(run: Run) -> None:
    near: dict[str, Any] = {"operation": "targets", "pattern": "intranode", "bytes": 0}
    points = [made(run, messages=4 * targets, targets=targets, **near) for targets in (2, 3)]
    points.append(made(run, messages=16, targets=2, window=2, **near))
    found = tables(run, summaries=points)
    rest = "zero-byte messages; every message counts once, where it was sent."
    for title, rows, same in (
        ("", [["4", "8.00", DASH]], "Window 1, 2 targets a rank"),
        (", by window", [["1", "8.00", DASH], ["2", "16.0", DASH]], "2 targets a rank"),
        (", by targets", [["2", "8.00", DASH], ["3", "12.0", DASH]], "Window 1"),
    ):
        shown = table(found, f"Messaging rate within a node{title}")
        assert (shown.rows, list(shown.notes)) == (rows, [f"{same}, {rest}"])


def test_peak_and_efficiency_are_rows_where_the_peak_is_known(run: Run) -> None:
    bulk: dict[str, Any] = {"operation": "targets", "pattern": "internode", "bytes": 512 * 1024}
    points = [made(run, moved=18_000, **bulk), made(run, moved=9_000, ranks_per_node=2, members=2, **bulk)]
    without = table(tables(run, summaries=points), "Single node aggregate bandwidth between nodes")
    assert without.rows == [["2", "9.00"], ["4", "18.0"]]
    given = table(tables(run, {"node": 36.0}, points), "Single node aggregate bandwidth between nodes")
    assert given.rows[-2:] == [["Peak", "36.0"], ["of peak", "50%"]]
    assert "as given" in given.notes[-1]
    low = table(tables(run, {"node": 12.0}, points), "Single node aggregate bandwidth between nodes")
    assert low.rows[-1] == ["of peak", "150%"]
    assert "Above the peak: the given peak is too low" in low.notes[-1]


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
    several = [made(run, moved=18_000, members=2, ranks_per_node=2, **bulk), made(run, moved=6_000, **bulk)]
    found = table(tables(known, summaries=several), "Single node aggregate bandwidth within a node")
    assert [row[0] for row in found.rows] == ["2", "4", "Peak", "of peak"]
    two, _, peak, share = (row[1] for row in found.rows)
    assert share == f"{float(two) / (float(peak) / 2):.0%} (2 RPN)", "the best share is not of the peak that is shown"


def test_a_message_crosses_the_cut_once(run: Run) -> None:
    # 2 ranks of 2 nodes send 9 kB each way in 1 us: 18 GB/s cross the cut, and each node sends and receives 18 GB/s.
    bulk: dict[str, Any] = {"operation": "targets", "bytes": 512 * 1024, "moved": 36_000, "members": 2}
    points = [planted(made(run, pattern=pattern, **bulk), hosts=2) for pattern in ("bisection", "internode")]
    found = tables(run, {"bisection": 36.0}, points)
    cut = table(found, "Bi-section bandwidth")
    assert [row[1] for row in cut.rows] == ["18.0", "36.0", "50%"]
    assert table(found, "Single node aggregate bandwidth between nodes").rows[0][1] == "18.0"


def test_the_cut_has_a_column_for_every_number_of_nodes_with_a_peak_of_its_own(run: Run) -> None:
    bulk: dict[str, Any] = {"operation": "targets", "pattern": "bisection", "bytes": 512 * 1024}
    points = [
        planted(made(run, moved=20_000, **bulk), ranks=4, hosts=2),
        planted(made(run, moved=30_000, members=8, **bulk), ranks=8, hosts=4),
        planted(made(run, moved=24_000, ranks_per_node=1, **bulk), ranks=8, hosts=4),
    ]
    peaks = {"bisection": 20.0, "bisection@2": 40.0}
    cut = table(tables(on_nodes(run, {4: 2, 8: 4}), peaks, points), "Bi-section bandwidth")
    assert cut.headings == ["RPN", "Nodes: 2", "Nodes: 4"]
    assert cut.rows == [
        ["1", DASH, "12.0"],
        ["2", "10.0", "15.0"],
        ["Peak", "40.0", "20.0"],
        ["of peak", "25%", "75%"],
    ]
    largest = table(tables(on_nodes(run, {4: 2, 8: 4}), {"bisection": 20.0}, points), "Bi-section bandwidth")
    assert largest.rows[-2:] == [["Peak", DASH, "20.0"], ["of peak", DASH, "75%"]]


def test_launches_on_other_numbers_of_nodes_have_tables_of_their_own(run: Run) -> None:
    world: dict[str, Any] = {"operation": "barrier", "communicator": "world"}
    points = [
        planted(made(run, 3000.0, **world), ranks=4),
        planted(made(run, 5000.0, members=8, **world), ranks=8),
    ]
    found = tables(on_nodes(run, {4: 2, 8: 4}), summaries=points)
    for nodes, time_us in ((2, "3.00"), (4, "5.00")):
        own = table(found, f"Collective operations: World, {nodes} nodes")
        assert (own.headings[1:], own.rows[0][1:]) == (["2"], [time_us])
        (published,), _ = beside("here", [own], ["Blue Gene/Q Mira"])
        assert published.headings[1:3] == ["2", "Blue Gene/Q Mira 1 RPN"]
        assert published.rows[0][1:3] == [time_us, "2.25"]


def test_no_published_rates_stand_beside_those_by_targets(run: Run) -> None:
    near: dict[str, Any] = {"operation": "targets", "pattern": "intranode", "bytes": 0}
    found = tables(run, summaries=[made(run, messages=4, targets=targets, **near) for targets in (1, 2)])
    published, _ = beside("here", found, ["Blue Gene/Q Mira"])
    assert [table.title.partition(", in")[0] for table in published] == ["Messaging rate within a node"]


def test_fewer_ranks_of_a_node_have_a_column_of_world_by_a_launch_of_their_own(run: Run) -> None:
    shared: dict[str, Any] = {"operation": "barrier", "communicator": "copy"}
    points = [
        made(run, 3000.0, operation="barrier", communicator="world"),
        made(run, 3100.0, **shared),
        made(run, 2100.0, ranks_per_node=1, members=2, **shared),
    ]
    lacking = table(tables(on_nodes(run, {4: 2}), summaries=points), "Collective operations: World")
    assert lacking.headings == ["MPI ranks per node", "2"]
    assert "launches of their own" in lacking.notes[-1]
    points.append(planted(made(run, 2000.0, operation="barrier", communicator="world", members=2), ranks=2))
    whole = table(tables(on_nodes(run, {4: 2, 2: 2}), summaries=points), "Collective operations: World")
    assert (whole.headings[1:], whole.rows[0][1:]) == (["1", "2"], ["2.00", "3.00"])
    assert len(whole.notes) == 1


def test_the_launch_of_all_its_ranks_speaks_before_one_in_which_ranks_sat_by(run: Run) -> None:
    near: dict[str, Any] = {"operation": "pingpong", "pattern": "intranode", "bytes": 8, "communicator": "copy"}
    points = [
        planted(made(run, 9000.0, members=2, **near), ranks=4, members=(0, 1)),
        planted(made(run, 1000.0, members=2, **near), ranks=2, members=(0, 1)),
    ]
    latency = table(tables(on_nodes(run, {4: 1, 2: 1}), summaries=points), "Ping-pong latency")
    assert latency.rows == [["intranode", "1.00"]]
    assert latency.notes[-1] == "Ranks: intranode 0-1."
    crowded = table(tables(on_nodes(run, {4: 1}), summaries=points[:1]), "Ping-pong latency")
    assert crowded.notes[-1] == "Ranks: intranode 0-1 of 4."


def test_datatypes_have_a_row_for_every_collective_and_communicator(run: Run) -> None:
    doubles: dict[str, Any] = {"datatype": "double", "bytes": 2048}
    points = [
        made(run, time_ns, operation=operation, communicator=communicator, layout=layout, **doubles)
        for operation in ("bcast", "allreduce")
        for communicator in ("world", "half")
        for layout, time_ns in (("contiguous", 1000.0), ("struct", 3000.0))
    ]
    found = table(tables(run, summaries=points), "User-defined datatypes")
    assert found.headings == ["doubles", "contiguous", "struct"]
    assert [row[0] for row in found.rows] == [
        f"{operation} 2 KiB, {name}" for operation in ("bcast", "allreduce") for name in ("World", "Half World")
    ]
    assert {tuple(row[1:]) for row in found.rows} == {("1.00", "3.00")}
    plain = table(tables(run, summaries=points), "Collective operations: World")
    assert plain.rows[-1] == ["Allreduce 256", "1.00"], "other layouts have no place there"


def test_applications_have_a_row_each(run: Run) -> None:
    points = [
        made(run, 2000.0, operation="app/halo", dimensions=2, bytes=4096),
        made(run, 5000.0, operation="app/transpose", bytes=65536),
    ]
    found = table(tables(run, summaries=points), "Small applications")
    assert found.headings == ["", "4 KiB", "64 KiB"]
    assert found.rows == [["halo with work, 2-D", "2.00", DASH], ["transposition", DASH, "5.00"]]


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


@pytest.mark.parametrize("peak", ["node", "node=0", "nodes=36", "node=fast", "node@2=1", "bisection@=1"])
def test_a_wrong_peak_is_refused_with_what_to_write(groma: Groma, run: Run, peak: str) -> None:
    said = groma("show", str(run.path), "--style", "alcf", "--peak", peak)
    said.refuses("write --peak node=36")


def test_a_peak_without_its_style_is_refused(groma: Groma, run: Run) -> None:
    said = groma("show", str(run.path), "--peak", "node=36")
    said.refuses("--style alcf")


def test_a_run_without_anti_patterns_says_what_to_do(groma: Groma, run: Run) -> None:
    said = groma("advice", str(run.path))
    assert said.code == 1
    assert "--profile alcf" in said.err
