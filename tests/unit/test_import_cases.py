"""`groma import` of files as people have them: a figure or a line that is named, and an exit code that says which."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes import Groma

from groma.analysis import summarise
from groma.analysis.validity import checks
from groma.results import Run, load_run
from groma.results.records import Imported, Printed

CASES = Path(__file__).resolve().parents[1] / "recorded" / "printed" / "cases"


@dataclass(frozen=True)
class Case:
    """What becomes of a file: figures in us by operation, bytes and members, failures by bytes, what is said."""

    name: str
    figures: dict[tuple[str, int, int], float]
    says: tuple[str, ...] = ()
    failures: dict[int, str] = field(default_factory=dict)
    code: int = 0
    options: tuple[str, ...] = ()
    launches: int = 1


def pair(**figures: float) -> dict[tuple[str, int, int], float]:
    """Return figures of a ping-pong of two ranks by `b` and the bytes."""
    return {("pingpong", int(size[1:]), 2): figure for size, figure in figures.items()}


def window(size: int, rate: float, both: int = 2) -> float:
    """Return the time in us of a window of 64 messages of this rate in MB/s."""
    return 64 * both * size / rate


FOUR = ("-n", "4")
READ = (
    Case("ansi", pair(b1=0.21, b2=0.21, b4=0.22)),
    Case("barrier", {("barrier", 0, 4): 1.90}, options=FOUR),
    Case("bom", pair(b1=0.21, b2=0.21)),
    Case("ddt_real", pair(b1=0.21, b1024=0.61), says=("a derived datatype (-D), whose layout is not printed",)),
    Case("fork_version", pair(b0=0.22, b1=0.24)),
    Case(
        "host_and_cuda",
        pair(b1=3.00, b2=2.99),
        says=("MPI-CUDA osu_latency was skipped: it does not say which buffers are on the device",),
    ),
    Case("cuda_only", {("allreduce", 16777216, 4): 8630.58}, options=FOUR),
    Case(
        "cuda_sides",
        {("pingpong", 8, 2): 1.75, ("stream", 8, 2): window(8, 10.5, 1)},
        says=("line 8: MPI-CUDA osu_latency was skipped: it does not say which buffers",),
    ),
    Case("imb_gpu", pair(b0=152.11, b8=152.40)),
    Case("imb2018", pair(b0=2.17, b1=2.16, b2=2.15, b4194304=4194304 / 11425.40)),
    Case("imb2019", pair(b0=2.17, b1=2.16)),
    Case(
        "imb_defects",
        {("allreduce", 4, 4): 0.92},
        says=("(wrong data): Allreduce at 8 bytes (the program's own check of line 14: defects is 3.00)",),
        failures={8: "wrong_data"},
        code=1,
    ),
    Case(
        "imb_interleaved",
        {("allreduce", 0, 4): 0.05, ("allreduce", 4, 4): 0.95, ("allreduce", 8, 4): 0.97, ("allreduce", 16, 4): 1.01},
        says=('4 lines of other text between rows: line 19 "----', 'line 20 "WARNING: three lines of the library"'),
    ),
    Case("imb_map", pair(b0=2.17, b1=2.16), says=("PingPong is of ranks 0, 2.",)),
    Case(
        "imb_multi",
        {("pingpong", 0, 4): 0.52, ("pingpong", 1, 4): 0.53},
        says=("PingPong is of 2 groups of 2 ranks at once.",),
    ),
    Case(
        "imb_tail",
        {("sendrecv", 262144, 2): 32.24, ("sendrecv", 4194304, 2): 2165.94},
        says=('line 14 "1048576 40 164.35 258.68 217.49 8107.16 ..." is no whole row',),
        failures={1048576: "unread"},
        code=1,
    ),
    Case(
        "imb_timeout",
        {("alltoall", 0, 64): 0.05, ("alltoall", 1024, 64): 40.95},
        says=("Alltoall at 1048576 bytes (the program says time-out.; the time limit is over)",),
        failures={1048576: "given_up", 4194304: "given_up"},
        code=1,
    ),
    Case(
        "interleaved",
        {("bistream", size, 2): window(size, rate) for size, rate in ((1, 2.6), (2, 5.23), (8, 20.88), (16, 41.02))},
        says=(
            'osu_bibw at 4 bytes (line 6 "4 10.46[node1:1] a line of the ..." is no whole row)',
            "1 line of other text",
        ),
        failures={4: "unread"},
        code=1,
    ),
    Case(
        "latency_then_put",
        pair(b0=22.54, b1=22.61, b2=22.76)
        | {("put/flush", size, 2): us for size, us in ((1, 39.13), (2, 39.23), (4, 39.43))},
    ),
    Case(
        "one_sided_syncs",
        {("put/lock", 8, 2): 2.70, ("put/lock", 16, 2): 2.52, ("put/fence", 8, 2): 1.85, ("put/fence", 16, 2): 1.72}
        | {("accumulate/pscw", 8, 2): 1.52, ("accumulate/pscw", 16, 2): 1.46}
        | {("get_accumulate/flush", 8, 2): 1.88, ("get_accumulate/flush", 16, 2): 1.86}
        | {("get_accumulate/lock", 8, 2): 4.81, ("get_accumulate/lock", 16, 2): 4.78}
        | {("fetch_and_op/lock", 1, 2): 2.47, ("compare_and_swap/lock_all", 1, 2): 2.53}
        | {("put/flush_local", 8, 2): window(8, 10.93, 1), ("put/flush_local", 16, 2): window(16, 24.60, 1)}
        | {("biput/fence", 8, 2): window(8, 101.88), ("biput/fence", 16, 2): window(16, 175.20)},
    ),
    Case(
        "nan",
        {("allreduce", 4, 4): 1.21},
        says=("3 rows without a figure (no figure)", "line 5 prints nan", "line 6 prints inf", "line 7 prints -0.00"),
        failures={8: "no_figure", 16: "no_figure", 32: "no_figure"},
        code=1,
        options=FOUR,
    ),
    Case(
        "np4",
        {("allreduce", 4, 4): 2.21},
        says=("the table of osu_allreduce is there 2 times", "singletons, each of one rank"),
        options=FOUR,
        launches=2,
    ),
    Case("quoted", pair(b1=3.34, b2=3.34)),
    Case(
        "repro_trunc",
        {("bcast", 1, 4): 1.25},
        says=('2 rows could not be read: line 9 "MPI_Bcast 1 1 0.00000115[node2:2]', 'line 10 "MPI_Bcast 2 1 0.00009"'),
        code=1,
    ),
    Case(
        "singletons",
        {("barrier", 0, 4): 0.05},
        says=("the table of osu_barrier is there 2 times", "singletons, each of one rank"),
        options=FOUR,
        launches=2,
    ),
    Case("skampi_barrier", {("barrier", 0, 2): 6.6, ("barrier", 0, 4): 16.6}),
    Case("srun_l", pair(b0=1.03, b1=1.05)),
    Case("tabs", pair(b1=0.21, b2=0.21)),
    Case("tagged", {("allreduce", 4, 1440): 12.05}),
    Case(
        "truncated",
        pair(b1=0.21, b2=0.21, b1048576=123.45),
        says=('osu_latency at 2097152 bytes (line 7 "2097152 2" is no whole row)',),
        failures={2097152: "unread"},
        code=1,
    ),
    Case(
        "val_fail",
        {**pair(b1=3.30, b2=3.30), ("alltoall", 1, 2): 12.46},
        says=("osu_alltoall at 2 bytes (the program's own check of line 11: Validation is Fail)",),
        failures={2: "wrong_data"},
        code=1,
        options=("-n", "2"),
    ),
    Case("val_latency", pair(b1=3.34, b2=3.34, b4=3.35, b8=3.34, b4096=4.89)),
)
REFUSED = {
    "openacc": "line 1: MPI-OPENACC Latency was skipped: such buffers on devices are not read yet",
    "imb_p2p": "line 6: MPI-P2P PingPong was skipped: all pairs of its ranks run at once",
    "neg": "osu_allgather at 1 bytes (line 5 prints -3.00). 2 rows without a figure (unread): osu_allgather at 2",
}


def figures(run: Run) -> dict[tuple[str, int, int], float]:
    """Return the figures in us of the first launch by operation, bytes (0: none) and members."""
    points = [point for point in run.launches[0].points if isinstance(point, Printed)]
    return {(str(one.point["operation"]), one.message_bytes, one.member_count): one.figure_ns / 1e3 for one in points}


def test_every_case_is_here() -> None:
    assert {case.name for case in READ} | set(REFUSED) == {path.stem for path in CASES.glob("*.txt")}


@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_a_file_that_is_read(groma: Groma, case: Case) -> None:
    said = groma("import", str(CASES / f"{case.name}.txt"), *case.options, "-o", "run")
    assert (said.code, said.last_line) == (case.code, "run")
    run = load_run("run")
    assert figures(run) == {key: pytest.approx(figure) for key, figure in case.figures.items()}
    assert len(run.launches) == case.launches
    points = run.launches[0].plan.points if run.launches[0].plan else []
    assert {points[one.index]["bytes"]: one.reason for one in run.launches[0].failures} == case.failures
    for text in case.says:
        assert text in said.err
    assert bool(said.err) == bool(case.says), "nothing is said of a whole file"
    assert (run.meta.state, bool(run.missing())) == (("partial", True) if case.code else ("complete", False))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_without_a_figure_is_refused_with_what_it_has(groma: Groma, name: str) -> None:
    groma("import", str(CASES / f"{name}.txt"), "-n", "4").refuses("has no figures of", REFUSED[name])


@pytest.mark.parametrize(
    ("name", "version"),
    [("fork_version", "7.0-lrbison3"), ("imb2018", "2018"), ("imb2019", "2019 Update 6"), ("skampi_barrier", "5.0")],
)
def test_the_version_is_kept(groma: Groma, name: str, version: str) -> None:
    assert groma("import", str(CASES / f"{name}.txt"), "-o", "run").code == 0
    start = load_run("run").launches[0].start
    assert isinstance(start, Imported)
    assert start.version == version


def test_who_took_part_and_what_was_sent_is_in_the_points(groma: Groma) -> None:
    for name in ("imb_map", "imb_multi", "ddt_real"):
        groma("import", str(CASES / f"{name}.txt"), "-o", name)
    mapped, multi, derived = (load_run(name).launches[0].points[-1] for name in ("imb_map", "imb_multi", "ddt_real"))
    assert (mapped.point["pattern"], mapped.members) == ("list=0,2", [0, 2])
    assert (multi.point["pattern"], multi.groups, multi.group_ranks) == ("neighbours", 2, 2)
    assert (derived.point["layout"], derived.bytes_moved) == ("derived", 2 * 512)
    groma("import", str(CASES / "tabs.txt"), "-o", "contiguous")
    groma("compare", "contiguous", "ddt_real").refuses("layout is contiguous in contiguous and derived in ddt_real")


def test_kinds_of_memory_are_in_the_points(groma: Groma) -> None:
    for name in ("cuda_only", "cuda_sides", "imb_gpu"):
        groma("import", str(CASES / f"{name}.txt"), "-n", "2", "-o", name)
    reduced, latency, stream, imb = (load_run(name).launches[0].points[at] for name, at in _OF_MEMORY)
    assert (reduced.point["memory"], latency.point["memory"], imb.point["memory"]) == ("cuda", "cuda", "device")
    assert (stream.point["send_memory"], stream.point["receive_memory"]) == ("hip", "host")


_OF_MEMORY = (("cuda_only", 0), ("cuda_sides", 0), ("cuda_sides", 1), ("imb_gpu", 0))


def test_a_failed_check_of_the_program_makes_the_run_not_trustworthy(groma: Groma) -> None:
    groma("import", str(CASES / "val_fail.txt"), "-n", "2", "-o", "run")
    shown = groma("show", "run")
    assert shown.code == 1
    assert "✗ data check" in shown.out
    assert "alltoall at 2 B failed (wrong data)" in shown.out
    point = next(one for one in load_run("run").launches[0].points if one.point["operation"] == "alltoall")
    assert point.validated


def osu(*figures: float) -> str:
    """Return an output of osu_latency with these figures from 1 byte on."""
    rows = "".join(f"{1 << place:<10}{figure:18.2f}\n" for place, figure in enumerate(figures))
    return f"# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n{rows}"


def test_copies_of_a_file_are_one_launch(groma: Groma) -> None:
    Path("a.txt").write_text(osu(0.21))
    Path("b.txt.gz").write_bytes(gzip.compress(osu(0.21).encode()))
    said = groma("import", "a.txt", "b.txt.gz", "-o", "run")
    assert (said.code, said.err) == (0, "b.txt.gz is a copy of a.txt: they are one launch.\n")
    assert len(load_run("run").launches) == 1


def test_standard_input_and_utf_16_are_read(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(osu(0.21, 0.22).encode("utf-16"))))
    assert groma("import", "-", "-o", "run").code == 0
    assert figures(load_run("run")) == {
        ("pingpong", 1, 2): pytest.approx(0.21),
        ("pingpong", 2, 2): pytest.approx(0.22),
    }


def test_a_packed_file_that_is_cut_is_refused(groma: Groma) -> None:
    Path("cut.gz").write_bytes(gzip.compress(osu(*range(1, 20)).encode())[:-20])
    groma("import", "cut.gz").refuses("cut.gz cannot be read")


def test_launches_that_form_two_groups_are_told(groma: Groma) -> None:
    for place in range(12):
        Path(f"{place}.txt").write_text(osu(2.0 + place % 6 / 100 + 4 * (place // 6)))
    assert groma("import", *(f"{place}.txt" for place in range(12)), "-o", "run").code == 0
    run = load_run("run")
    assert [check.name for check in checks(run, summarise(run)) if "two groups" in check.text] == ["peaks"]


def test_a_row_that_is_lost_does_not_move_those_of_the_next_launch(groma: Groma) -> None:
    Path("two.txt").write_text(osu(1.0, 2.0, 3.0).replace("2.00", "2.00[x]") + osu(4.0, 5.0, 6.0))
    assert groma("import", "two.txt", "-o", "run").code == 1
    first, second = ([one.message_bytes for one in launch.points] for launch in load_run("run").launches)
    assert (first, second) == ([1, 4], [1, 2, 4])


@pytest.mark.parametrize(
    ("prefix", "suffix"),
    [
        ("[1,0]<stdout>:", ""),
        ("[node-1234@1,0]<stdout>: ", ""),
        ("[0] ", ""),
        (" 0: ", ""),
        ("> ", ""),
        ("Fri Nov 27 10:00:00 2026<stdout>: ", ""),
        ('<stdout rank="0">', "&#010;</stdout>"),
    ],
)
def test_what_launchers_put_around_lines_is_taken_off(groma: Groma, prefix: str, suffix: str) -> None:
    text = osu(0.21, 0.22) if not suffix else osu(0.21, 0.22).replace("(", "&#040;")
    Path("file.txt").write_text("".join(f"{prefix}{line}{suffix}\n" for line in text.splitlines()))
    assert groma("import", "file.txt", "-o", "run").err == ""
    assert len(load_run("run").launches[0].points) == 2


@pytest.mark.parametrize(
    ("version", "unit"),
    [
        ("(R) MPI Benchmark Suite V3.2.4", 2**20),
        (" (R) MPI Benchmarks 4.0 Update 2", 2**20),
        ("(R) MPI Benchmarks 2017", 1e6),
    ],
)
def test_mbytes_of_imb_are_those_of_its_version(groma: Groma, version: str, unit: float) -> None:
    time = 0.1846
    rate = f"{8 / time * 1e6 / unit:13.2f}"
    Path("imb.txt").write_text(
        f"#    Intel{version}, MPI-1 part\n# Benchmarking PingPong\n# #processes = 2\n"
        f"       #bytes #repetitions      t[usec]   Mbytes/sec\n            8         1000{time:13.2f}{rate}\n"
    )
    assert groma("import", "imb.txt", "-o", "run").code == 0
    assert figures(load_run("run"))["pingpong", 8, 2] == pytest.approx(time, rel=2e-4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "# nccl-tests version 2.13\n#  size count type redop\n",
            "is of nccl-tests, which Groma cannot read; Groma reads",
        ),
        ('{"version":2,"args":[],"nccl_version":22809}\n', "is of nccl-tests, which Groma cannot read"),
        ("START mpiGraph v1.5\n", "is of mpiGraph, which Groma cannot read; Groma reads the Intel MPI Benchmarks"),
        ("fzj-linktest 2.1\n", "is of LinkTest, which Groma cannot read"),
    ],
)
def test_other_programs_are_refused_by_their_names(groma: Groma, text: str, says: str) -> None:
    Path("other.txt").write_text(text)
    groma("import", "other.txt").refuses(says)


def test_a_table_without_rows_is_named(groma: Groma) -> None:
    Path("two.txt").write_text(osu(0.2) + osu().replace("Latency Test", "Bandwidth Test"))
    said = groma("import", "two.txt", "-o", "run")
    assert (said.code, said.err) == (1, "two.txt: no rows below the title of osu_bw (line 5).\n")


def test_a_title_that_is_printed_twice_is_one(groma: Groma) -> None:
    Path("twice.txt").write_text(f"# OSU MPI Latency Test v7.4\n{osu(0.2)}")
    assert (groma("import", "twice.txt", "-o", "run").code, len(load_run("run").launches)) == (0, 1)


def test_groups_that_are_printed_one_by_one_are_skipped(groma: Groma) -> None:
    text = (CASES / "imb_multi.txt").read_text()
    head, rows = text.split("       #bytes")
    rows = rows.replace(" Mbytes/sec\n", " Mbytes/sec\n            0")
    Path("groups.txt").write_text(f"{head}        Group       #bytes{rows}")
    groma("import", "groups.txt").refuses(
        "has no figures of the Intel MPI Benchmarks", "Multi-PingPong of group 0 was skipped"
    )


def test_columns_are_read_by_their_headings(groma: Groma) -> None:
    text = "# OSU MPI Latency Test v7.4\n# Size   Iterations   Max Latency(us)   Avg Latency(us)\n1  100  0.30  0.21\n"
    Path("order.txt").write_text(text)
    Path("none.txt").write_text(text.replace("Avg Latency(us)", "P50 Tail Lat(us)"))
    assert groma("import", "order.txt", "-o", "run").code == 0
    point = load_run("run").launches[0].points[0]
    assert isinstance(point, Printed)
    assert point.figure_ns == pytest.approx(210)
    assert (point.repetitions, point.others) == (100, {"Max Latency(us)": 0.3})
    groma("import", "none.txt").refuses('osu_latency at 1 bytes (line 3 "1 100 0.30 0.21" is no whole row)')
