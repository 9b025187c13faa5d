"""`groma import`: what other programs print becomes a run that says no more than they did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from fakes import Groma
from planted_runs import change_document

from groma.results import load_run
from groma.results.records import Imported, Printed

PRINTED = Path(__file__).resolve().parents[1] / "recorded" / "printed"


def recorded(*names: str) -> list[str]:
    return [str(PRINTED / f"{name}.txt") for name in names]


def figures(run: str) -> dict[tuple[str, int | None, int], list[float]]:
    """Return the figures in ns by operation, bytes and ranks that took part, of all launches."""
    found: dict[tuple[str, int | None, int], list[float]] = {}
    for launch in load_run(run).launches:
        for point in launch.points:
            assert isinstance(point, Printed)
            size = point.point["bytes"] if "barrier" not in str(point.point["operation"]) else None
            found.setdefault((point.point["operation"], size, point.member_count), []).append(point.figure_ns)
    return found


def test_osu_needs_the_ranks_that_it_does_not_print(groma: Groma) -> None:
    said = groma("import", *recorded("osu-allreduce"))
    said.refuses("does not say how many ranks osu_allreduce had; say it with -n RANKS")
    assert groma("import", *recorded("osu-latency"), "-o", "pair").code == 0, "two ranks have a latency"


def test_osu_is_imported_with_its_units(groma: Groma) -> None:
    names = ("osu-latency", "osu-allreduce", "osu-bw", "osu-mbw", "osu-rs", "osu-barrier")
    said = groma("import", *recorded(*names), "-n", "2", "-o", "run")
    assert (said.code, said.err, said.last_line) == (0, "", "run")
    found = figures("run")
    assert found["pingpong", 64, 2] == [pytest.approx(190)]
    assert found["allreduce", 8, 2] == [pytest.approx(290)]
    assert found["stream", 8, 2] == [pytest.approx(64 * 8 * 1e3 / 89.34)], "a window of 64 messages a figure"
    assert found["message_rate", 16, 2] == [pytest.approx(64 * 16 * 1e3 / 175.53)]
    assert found["reduce_scatter", 2, 2] == [pytest.approx(320)], "OSU counts the whole vector of 4 bytes"
    assert found["barrier", None, 2] == [pytest.approx(270)]
    shown = groma("show", "run").out
    assert "89.34" in shown
    assert "unknown MPI library" in shown
    assert "its samples are unknown" in shown


def test_what_osu_prints_in_full_is_kept(groma: Groma) -> None:
    assert groma("import", *recorded("osu-full"), "-n", "2", "-o", "run").code == 0
    point = load_run("run").launches[0].points[0]
    assert isinstance(point, Printed)
    assert (point.repetitions, point.others) == (1000, {"Min Latency(us)": 0.55, "Max Latency(us)": 0.56})
    assert point.rounding == pytest.approx(0.005 / 0.56)
    assert point.point["datatype"] == "char"
    assert not {"stop", "warmups"} & point.point.keys(), "nobody said how many"


def test_nonblocking_collectives_of_imb_are_imported_if_nothing_is_inside(groma: Groma) -> None:
    said = groma("import", *recorded("imb-nbc"), "-o", "run")
    assert said.code == 0
    found = figures("run")
    assert found["ibcast", 8, 2] == [pytest.approx(1570)]
    assert found["ireduce_scatter", 8, 2] == [pytest.approx(1560)], "the size is one rank's part"
    assert {operation for operation, *_ in found} == {"ibcast", "ibarrier", "ireduce_scatter"}
    assert "Ibcast was skipped: work inside an exchange is not read yet." in said.err


def test_one_sided_calls_of_imb_are_imported_if_each_is_completed_by_itself(groma: Groma) -> None:
    said = groma("import", *recorded("imb-rma"), "-o", "run")
    assert said.code == 0
    assert figures("run") == {
        ("biget/flush", 0, 2): [180],
        ("biget/flush", 8, 2): [6180],
        ("biget/flush", 16, 2): [pytest.approx(16 / 26.89 * 1e3)],
        ("put/flush_local", 0, 2): [170],
        ("put/flush_local", 8, 2): [pytest.approx(8 / 16.17 * 1e3)],
        ("put/flush_local", 16, 2): [pytest.approx(16 / 35.68 * 1e3)],
        ("fetch_and_op/flush", 4, 2): [pytest.approx(4 / 7.51 * 1e3)],
        ("compare_and_swap/flush", 4, 2): [pytest.approx(4 / 5.12 * 1e3)],
    }
    for name in ("Bidir_get AGGREGATE", "All_put_all", "Truly_passive_put"):
        assert f"{name} was skipped" in said.err
    assert {point["rma_window"] for point in (one.point for one in load_run("run").launches[0].points)} == {"created"}


def test_osu_s_windows_and_locks_are_those_that_it_names(groma: Groma) -> None:
    source = Path(__file__).resolve().parents[1] / "recorded" / "printed" / "cases" / "one_sided_syncs.txt"
    assert groma("import", str(source), "-o", "run").code == 0
    points = [one.point for one in load_run("run").launches[0].points]
    exclusive = {point["operation"] for point in points if point["epoch_lock"] == "exclusive"}
    assert exclusive == {"get_accumulate/lock", "fetch_and_op/lock"}
    created = {point["operation"] for point in points if point["rma_window"] == "created"}
    assert created == {"get_accumulate/lock", "get_accumulate/flush", "put/flush_local"}


def test_persistent_and_neighbourhood_collectives_of_osu_are_imported_unless_titles_are_alike(groma: Groma) -> None:
    table = "# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n8                      {}\n"
    titles = ("Allreduce Persistent", "Neighborhood All-to-Allv", "All-to-Allw Personalized Exchange")
    texts = [f"# OSU MPI {title} Latency Test v7.4\n{table.format(at)}\n" for at, title in enumerate(titles, start=1)]
    Path("osu.txt").write_text("".join(texts))
    said = groma("import", "osu.txt", "-n", "4", "-o", "run")
    assert figures("run") == {("allreduce_init", 8, 4): [1000], ("neighbor_alltoallv", 8, 4): [2000]}
    assert "osu_alltoallw and osu_neighbor_alltoallw print the same title" in said.err


def test_imb_says_ranks_and_date(groma: Groma) -> None:
    assert groma("import", *recorded("imb"), "-o", "run").code == 0
    found = figures("run")
    assert found["pingpong", 8, 2] == [pytest.approx(8 / 43.61 * 1e3)], "MB/s have more digits than 0.18 us"
    assert found["allreduce", 65536, 2] == [pytest.approx(23410)]
    assert found["message_rate", 8, 2] == [pytest.approx(256 * 8 * 1e3 / 102.71)]
    run = load_run("run")
    assert run.meta.created.startswith("2026-11-23T02:10:55")
    start = run.launches[0].start
    assert isinstance(start, Imported)
    assert (start.program, start.version, start.ranks) == ("the Intel MPI Benchmarks", "2021.11", 2)
    assert start.facts["MPI Version"] == "3.1"


def test_processes_that_wait_were_launched_too(groma: Groma) -> None:
    assert groma("import", *recorded("imb-four"), "-o", "run").code == 0
    run = load_run("run")
    assert run.launches[0].ranks == 4
    assert {key for key in figures("run") if key[0] == "bcast"} == {
        ("bcast", size, ranks) for size in (8, 1024, 65536) for ranks in (2, 4)
    }
    assert ("pingpong", 8, 2) in figures("run")


@pytest.mark.parametrize("ranks", [2, 3, 8])
@pytest.mark.parametrize(
    ("version", "whole"),
    [
        *((old, True) for old in ("4.1", "2017 update 2", "2018 Update 1", "2019")),
        *((new, False) for new in ("2019 Update 1", "2019 Update 6", "2021.11")),
    ],
)
def test_older_imb_prints_the_size_of_reduce_scatters_whole_vector(
    groma: Groma, version: str, whole: bool, ranks: int
) -> None:
    rows = [f"{size:13d}{1000:13d}{7.5:13.2f}{8.5:13.2f}{8:13.2f}" for size in (4, 24 * 1024)]
    text = f"""#    Intel(R) MPI Benchmarks {version}, MPI-1 part

#-----------------------------------------------------------------
# Benchmarking Reduce_scatter
# #processes = {ranks}
#-----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
"""
    Path("imb.txt").write_text("\n".join([text + rows[0], rows[1], "", ""]))
    said = groma("import", "imb.txt", "-o", "run")
    sizes = {size for _, size, _ in figures("run")}
    assert sizes == ({24 * 1024 // ranks} if whole else {4, 24 * 1024})
    assert ("in unequal parts" in said.err + said.out) == whole


def test_skampi_counts_round_trips(groma: Groma) -> None:
    assert groma("import", *recorded("skampi"), "-o", "run").code == 0
    found = figures("run")
    assert found["pingpong", 1024, 2] == [pytest.approx(1050)], "2.1 us there and back"
    assert found["allreduce", 4096, 2] == [pytest.approx(4600)], "the name and the count before the size are no figures"
    assert found["barrier", None, 2] == [pytest.approx(500)]
    assert groma("show", "run").code == 0


def test_reprompi_has_medians_or_every_call(groma: Groma) -> None:
    assert groma("import", *recorded("reprompi-medians"), "-o", "medians").code == 0
    assert figures("medians")["bcast", 1024, 2] == [pytest.approx(401)]
    assert groma("import", *recorded("reprompi-calls"), "-o", "calls").code == 0
    point = load_run("calls").launches[0].points[0]
    assert point.point["operation"] == "bcast"
    assert np.array_equal(point.samples_ns, [1372, 791, 3526, 371, 340])
    start = load_run("calls").launches[0].start
    assert isinstance(start, Imported)
    assert start.facts["operation"] == "MPI_BOR", "for which the profile has MPI_BAND"


def test_files_are_launches_and_repeated_tests_too(groma: Groma, tmp_path: Path) -> None:
    latency = (PRINTED / "osu-latency.txt").read_text()
    faster = latency.replace("64                      0.19", "64                      0.15")
    assert faster != latency
    (tmp_path / "twice.txt").write_text(latency + faster)
    assert groma("import", "twice.txt", *recorded("osu-latency"), "-o", "run").code == 0
    run = load_run("run")
    assert [launch.number for launch in run.launches] == [1, 2, 3]
    assert figures("run")["pingpong", 64, 2] == [pytest.approx(one) for one in (190, 150, 190)]
    shown = groma("show", "run").out
    assert "min-max" in shown, "three launches have no 95 % interval"
    assert run.missing() == []


def test_one_launch_has_no_interval(groma: Groma) -> None:
    groma("import", *recorded("imb"), "-o", "run")
    shown = groma("show", "run", "--checks").out
    assert "All points have fewer than 6 launches, too few for a 95% interval." in shown
    assert "no interval" in shown


def test_every_verb_reads_an_imported_run(groma: Groma, tmp_path: Path) -> None:
    groma("import", *recorded("imb"), "-o", "runs/imb", "--library", "Open MPI 4.1.4")
    assert groma("report", "runs/imb").code == 0
    page = (tmp_path / "runs/imb/report.html").read_text()
    assert "Open MPI 4.1.4" in page
    assert "imb-imported on" not in page, "nobody said where"
    assert "0 hosts" not in page
    assert "imb.txt" in page
    assert groma("export", "runs/imb", "--to", "json", "-o", "imb.json").code == 0
    rows = json.loads((tmp_path / "imb.json").read_text())["rows"]
    assert {row["samples"] for row in rows} == {None}
    assert {row["median_ns"] for row in rows} == {None}
    assert "imb" in groma("runs").out
    assert groma("baseline", "set", "spring", "runs/imb").code == 0
    groma("compare", "spring", "runs/imb").refuses(
        "spring/001-imb (spring) and runs/imb (imb) are one run and its copy"
    )
    change_document(tmp_path / "runs/imb", id="another")
    said = groma("compare", "spring", "runs/imb", "--margin", "2%")
    assert said.code == 0, said.err
    assert "0 slower, 0 faster" in said.out
    assert "prints its figure in steps too coarse for this margin" in said.out
    assert groma("show", "runs/imb", "--style", "imb").code == 2
    said = groma("run", "--resume", "runs/imb")
    said.refuses("was imported")


def test_an_imported_run_is_compared_with_one_of_the_profile(groma: Groma) -> None:
    for place, factor in enumerate((1.0, 1.01, 0.99, 1.02, 0.98, 1.003)):
        lines = "".join(f"{size:<10}{factor * figure:18.2f}\n" for size, figure in ((1024, 50.0), (2048, 60.0)))
        text = f"# OSU MPI Broadcast Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n{lines}"
        Path(f"{place}.txt").write_text(text)
    groma("import", *(f"{place}.txt" for place in range(6)), "-n", "2", "-o", "theirs")
    assert groma("run", "--profile", "osu", "bcast", "--launches", "6", "-o", "ours").code == 0
    said = groma("compare", "theirs", "ours")
    assert said.code == 0, said.err
    assert said.out.startswith("ours against theirs, 2 points: 0 slower, 2 faster"), "the fake engine is fast"
    assert "Printed figures are rounded" in said.out


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("", (), "is not the output of a known program; Groma reads the Intel MPI Benchmarks, IMB-RMA of the "),
        ("nothing", ("--from", "imb"), "has no figures of the Intel MPI Benchmarks"),
        ("nothing", ("--from", "ibm"), "no program 'ibm' can be imported; did you mean 'imb'?"),
        ("# OSU MPI Fancy Test v7.4\n# Size   Latency (us)\n1  2\n", ("-n", "2"), "(line 1: MPI Fancy was skipped: no"),
        ("# OSU MPI Latency Test v7.4\n# Size   Latency (us)\n1  2\n", ("-n", "1"), "says that 2 ranks took part"),
        ("# OSU MPI Latency Test v7.4\n# Size   Latency (us)\n1  2\n", ("--date", "May"), "'May' is not a date"),
    ],
)
def test_what_cannot_be_imported_is_said_in_a_sentence(
    groma: Groma, text: str, options: tuple[str, ...], says: str
) -> None:
    Path("output.txt").write_text(text)
    said = groma("import", "output.txt", *options)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert len(said.err.splitlines()) == 1
    assert not Path("runs").exists()


def test_files_of_two_programs_are_two_runs(groma: Groma) -> None:
    said = groma("import", *recorded("imb", "osu-latency"))
    said.refuses("import them as two runs")
    said = groma("import", "missing.txt")
    assert (said.code, said.err) == (
        2,
        "groma: missing.txt cannot be read (No such file or directory); name the output of a program\n",
    )


def test_tests_without_an_operation_are_named(groma: Groma) -> None:
    text = (PRINTED / "osu-latency.txt").read_text()
    Path("both.txt").write_text(text + "\n# OSU MPI Multi-threaded Latency Test v7.4\n# Size   Latency (us)\n1  2\n")
    Path("all.txt").write_text(text + "\n# OSU MPI Fancy Test v7.4\n# Size   Latency (us)\n1  2\n")
    for name, test in (("both", "MPI Multi-threaded Latency"), ("all", "MPI Fancy")):
        said = groma("import", f"{name}.txt", "-o", name)
        assert (said.code, said.err) == (0, f"{name}.txt: line 13: {test} was skipped: no operation stands for it.\n")
        assert len(load_run(name).launches) == 1
