"""Near, between nodes, and across the cut, on two virtual hosts of two ranks: different figures, names of their own."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import beds
import hosts
import pytest

from groma.analysis import summarise
from groma.programs.alcf.tables import tables
from groma.programs.answers import study_of
from groma.results import Run, load_run

pytestmark = [pytest.mark.mpi, pytest.mark.bed("hosts")]

PLAN = """
name = "nodes"
launches = 1
rank_counts = [4]

[defaults]
optional = true
slot_s = 0.05
min_repetitions = 10

[[points]]
operation = "pingpong"
pattern = ["intranode", "internode", "farthest"]
bytes = 8

[[points]]
operation = "targets"
pattern = ["intranode", "internode", "bisection"]
ranks_per_node = [0, 1]
window = 1
bytes = ["0", "512K"]

[[points]]
operation = "barrier"
communicator = ["world", "copy", "half"]
ranks_per_node = [0, 1]
"""


def run_of(folder: Path, variables: dict[str, str], *words: str) -> Run:
    environment = dict(os.environ) | variables
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(folder / "cache")}
    command = ["-c", "from groma.cli import main; main()", "run", *words, "-o", "run"]
    ended = beds.run(["env", "-C", str(folder), sys.executable, *command], environment)
    assert ended.exit_code == 0, ended.output + ended.errors
    return load_run(folder / "run")


@pytest.mark.slow
@pytest.mark.bed("embedded")
def test_places_come_out_different_and_under_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "nodes.toml").write_text(PLAN)
    beside = Path(sys.executable).parent
    with hosts.virtual_hosts(2) as bed:
        run = run_of(tmp_path, bed.environment(beside / "mpiexec", per_host=2), "nodes.toml")
    records = run.launches[0].points
    placement = run.launches[0].nodes
    assert placement is not None
    node = [rank.node for rank in placement.ranks]
    found: dict[tuple[str, str, int], set[int]] = {}
    for record in records:
        point = record.point
        nodes = {node[member] for member in record.members}
        found[point["operation"], point["pattern"], point["ranks_per_node"]] = nodes
        assert record.hosts == len(nodes)
    assert found["pingpong", "intranode", 0] == {0}
    assert found["pingpong", "internode", 0] == found["pingpong", "farthest", 0] == {0, 1}
    assert ("targets", "intranode", 1) not in found, "one rank a node has no target on it"
    assert found["targets", "bisection", 1] == {0, 1}
    shown = {table.title: table for table in tables(run)}
    assert [row[0] for row in shown["Ping-pong latency"].rows] == ["intranode", "internode", "farthest"]
    assert shown["Bi-section bandwidth"].headings == ["RPN", "Nodes: 2"]
    assert [row[0] for row in shown["Bi-section bandwidth"].rows] == ["1", "2"]
    assert [row[0] for row in shown["Single node aggregate bandwidth within a node"].rows[:1]] == ["2"]
    assert [row[0] for row in shown["Single node aggregate bandwidth between nodes"].rows] == ["1", "2"]
    assert shown["Collective operations: Copy"].headings == ["MPI ranks per node", "1", "2"]
    assert shown["Collective operations: World"].headings == ["MPI ranks per node", "2"]


@pytest.mark.slow
@pytest.mark.bed("openmpi")
def test_a_cut_of_known_width_gets_no_more_through_than_it_has(tmp_path: Path) -> None:
    library = beds.libraries()["openmpi"]
    mbit_each_way = 400.0
    plan = 'name = "cut"\nlaunches = 1\nrank_counts = [2]\n[[points]]\noperation = "targets"\npattern = "bisection"\n'
    (tmp_path / "cut.toml").write_text(plan + 'bytes = "512K"\nwindow = 8\nslot_s = 1\n')
    with hosts.virtual_hosts(2) as bed:
        for host in range(2):
            bed.slow_down(host, mbit_per_s=mbit_each_way)
        launcher = {"GROMA_MPIEXEC": shlex.join([library.mpiexec, *bed.openmpi(per_host=1)])}
        run = run_of(tmp_path, dict(library.variables) | launcher | {"GROMA_ENGINE": str(library.engine)}, "cut.toml")
    (cut,) = [table for table in tables(run) if table.title == "Bi-section bandwidth"]
    width_gb_s = 2 * mbit_each_way / 8e3  # both directions
    # The queue lets a burst through at once, and headers take their part.
    assert 0.4 * width_gb_s < float(cut.rows[0][1]) < 1.1 * width_gb_s


@pytest.mark.slow
@pytest.mark.bed("openmpi")
def test_launches_on_two_and_on_four_hosts_have_columns_of_their_own(tmp_path: Path) -> None:
    library = beds.libraries()["openmpi"]
    (tmp_path / "cut.toml").write_text(
        'name = "cut"\nlaunches = 1\nrank_counts = [4, 8]\n'
        '[defaults]\nstop = "reps"\nrepetitions = 3\nwarmups = 1\nblock = 1\n'
        '[[points]]\noperation = "targets"\npattern = "bisection"\nbytes = "512K"\nwindow = 1\n'
        '[[points]]\noperation = "barrier"\ncommunicator = "world"\n'
    )
    with hosts.virtual_hosts(4) as bed:
        launcher = {"GROMA_MPIEXEC": shlex.join([library.mpiexec, *bed.openmpi(per_host=2)])}
        run = run_of(tmp_path, dict(library.variables) | launcher | {"GROMA_ENGINE": str(library.engine)}, "cut.toml")
    shown = {table.title: table for table in tables(run)}
    assert set(shown) == {"Bi-section bandwidth", *(f"Collective operations: World, {count} nodes" for count in (2, 4))}
    cut = shown["Bi-section bandwidth"]
    assert cut.headings == ["RPN", "Nodes: 2", "Nodes: 4"]
    ((per_node, *figures),) = cut.rows
    assert per_node == "2"
    assert all(float(figure) > 0 for figure in figures)


@pytest.mark.slow
@pytest.mark.bed("openmpi")
def test_placements_decide_how_many_ranks_a_host_has_and_stand_beside_published_figures(tmp_path: Path) -> None:
    library = beds.libraries()["openmpi"]
    with hosts.virtual_hosts(2) as bed:
        launcher = {"GROMA_MPIEXEC": shlex.join([library.mpiexec, *bed.openmpi(per_host=2)])}
        variables = dict(library.variables) | launcher | {"GROMA_ENGINE": str(library.engine)}
        brief = ("--launches", "1", "--set", "stop=reps", "--set", "repetitions=5")
        placed = ("-n", "2,4", "--placement", "by-slot,by-node")
        run = run_of(tmp_path, variables, "barrier", "--profile", "alcf", *placed, *brief)
    study = study_of(run, summarise(run), ["mira"])
    assert study is not None
    title, beside = "Collective operations: World", "in microseconds, beside published figures"
    found = {table.title: list(table.headings[1:]) for table in study.tables if beside in table.title}
    published = [f"Blue Gene/Q Mira {count} RPN" for count in (1, 4, 8, 16, 64)]
    assert {name: headings for name, headings in found.items() if name.startswith(title)} == {
        f"{title}, 1 node, {beside} \u00b7 by-slot": ["2", *published],
        f"{title}, 2 nodes, {beside} \u00b7 by-slot": ["2", *published],
        f"{title}, {beside} \u00b7 by-node": ["1", "2", *published],
    }


@pytest.mark.slow
@pytest.mark.bed("openmpi")
def test_the_whole_suite_on_two_hosts_has_every_table_of_the_seed(tmp_path: Path) -> None:
    library = beds.libraries()["openmpi"]
    with hosts.virtual_hosts(2) as bed:
        launcher = {"GROMA_MPIEXEC": shlex.join([library.mpiexec, *bed.openmpi(per_host=2)])}
        engine = {"GROMA_ENGINE": str(library.engine)}
        words = ("--profile", "alcf", "-n", "4", "--launches", "1", "--set", "slot_s=0.02")
        run = run_of(tmp_path, dict(library.variables) | launcher | engine, *words)
    shown = {table.title: table for table in tables(run)}
    places = ("within a node", "between nodes")
    assert set(shown) >= {
        *(f"Messaging rate {place}{window}" for place in places for window in ("", ", by window")),
        "Ping-pong latency",
        *(f"Single node aggregate bandwidth {place}" for place in places),
        "Bi-section bandwidth",
        *(f"Collective operations: {which}" for which in ("World", "Copy", "World less one rank", "Half World")),
        "User-defined datatypes",
        *(f"Halo exchange, {dimensions}-D" for dimensions in (1, 2, 3)),
        "Small applications",
        *(f"Communication/computation overlap {place}" for place in places),
    }
    assert all(table.rows for table in shown.values())
