"""The list of an acceptance test: what is measured on how many ranks and hosts, and its table, with limits if any."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import Groma

from groma.analysis import summarise
from groma.catalog import Catalog
from groma.plan import Draft, Written, expand, read_profile
from groma.programs.acceptance.study import LIST, study
from groma.results import load_run
from groma.text.tables import Table

RECORDED = Path(__file__).parents[1] / "recorded" / "acceptance"
MEASURED_ALONE = {
    *("latency, 8 B", "bandwidth, 1 MiB, one way", "bandwidth, 1 MiB, both ways"),
    *("message rate, 16 KiB, all ranks", "allreduce, 8 B", "allreduce, 25 MB", "alltoall, 1 MiB, all ranks"),
}


@pytest.mark.parametrize(("counts", "odd"), [((2,), [3]), ((3,), [0]), ((4,), [3]), ((128,), [127]), ((4, 5), [3, 0])])
def test_odd_is_the_largest_odd_number_of_ranks(catalog: Catalog, counts: tuple[int, ...], odd: list[int]) -> None:
    draft = Draft("odd", [{"operation": Written("alltoall"), "ranks": Written("odd")}], rank_counts=counts)
    assert [point["ranks"] for point in expand(draft, catalog).points] == odd


def test_every_line_has_its_point_in_the_profile(catalog: Catalog) -> None:
    """On an even number of ranks each of the points is of one line of the list."""
    draft = read_profile("acceptance", catalog)
    draft.rank_counts = (64,)
    points = [catalog.resolve(point) for point in expand(draft, catalog).points]
    lines = [[asked.title for asked in LIST if asked.is_of(point, 64)] for point in points]
    assert sorted(line for (line,) in lines) == sorted(asked.title for asked in LIST)
    assert {point["optional"] for point in points} == {True}


def table_of(path: str | Path) -> Table:
    run = load_run(path)
    found = study(run, summarise(run))
    assert found is not None
    (table,) = found.tables
    return table


def test_what_needs_more_is_said_to_be_not_measured() -> None:
    """A recorded run of two ranks on one host, which lacks nothing that it could have measured."""
    assert not load_run(RECORDED).missing()
    table = table_of(RECORDED)
    assert {row[0] for row in table.rows if row[1] != "not measured"} == MEASURED_ALONE
    assert len(table.headings) == 3, "there are no limits"
    nodes, one_each, odd, _ = table.notes
    assert nodes.endswith(": it needs ranks on at least 2 nodes, and all are on one.")
    assert one_each.startswith("Not measured: message rate, 16 KiB, one rank of each node: it needs at least 2 ranks")
    assert odd == "Not measured: alltoall, 1 MiB, an odd number of ranks: it takes 3 ranks or more."


def test_of_an_odd_number_all_ranks_stand_for_both_lines(groma: Groma) -> None:
    assert groma("run", "--profile", "acceptance", "-n", "3", "--launches", "1", "-o", "out").code == 0
    rows = {row[0]: row[1:] for row in table_of("out").rows}
    assert rows["alltoall, 1 MiB, an odd number of ranks"] == rows["alltoall, 1 MiB, all ranks"]
    assert sum(point.operation == "alltoall" for point in summarise(load_run("out"))) == 1, "measured once"


def test_limits_of_the_site_stand_beside_the_list(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROMA_CONFIG", "config")
    Path("config").mkdir()
    Path("config/limits.toml").write_text(
        "limit = [\n"
        '  {operation = "pingpong", bytes = 8, pattern = "first_last", value = 1e6, upper = 0.1, unit = "us"},\n'
        '  {operation = "allreduce", bytes = 25000000, value = 1, upper = 0.1, unit = "ns"},\n'
        '  {operation = "scan", bytes = 8, value = 1, upper = 0.1, unit = "us"},\n'
        "]\n"
    )
    assert groma("run", "--profile", "acceptance", "--launches", "8", "-o", "out").code == 0
    rows = {row[0]: row[1:] for row in table_of("out").rows}
    assert rows["latency, 8 B"][2:] == ["at most 1.1e+06 us", "pass"]
    assert rows["allreduce, 25 MB"][2:] == ["at most 1.1 ns", "fail"]
    assert rows["allreduce, 8 B"][3] == "no limit"
    said = " ".join(groma("show", "out").out.split())
    assert "Outside its limits: out by config/limits.toml, 1 of 2 limits not kept: allreduce 23.84 MiB" in said


def test_on_several_hosts_all_of_it_is_planned(groma: Groma) -> None:
    """Jobs: tests/unit/test_allocation.py plans every profile in one."""
    said = groma("run", "--profile", "acceptance", "-n", "8", "--hosts", "a,b", "--dry-run")
    assert "# points: 14, ranks: 8, launches of each: 12" in said.out
    assert "# 8 ranks: a: ranks 0-3; b: ranks 4-7" in said.out
    assert "operation=alltoall ranks=7 bytes=1048576" in said.out
    for pattern in ("first_last bytes=8", "farthest bytes=8", "bisection bytes=16777216"):
        assert f"pattern={pattern}" in said.out
