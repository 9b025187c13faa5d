"""Real programs' output is read as they print it, and ratios say which is slower."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wilcoxon

from benchmarks.fidelity import __main__ as fidelity
from benchmarks.fidelity.causes import Cause, cause_of, read_causes
from benchmarks.fidelity.document import explanations, measured_again, page, said_of
from benchmarks.fidelity.programs import PROGRAMS, Program, Start, sizes_of
from benchmarks.fidelity.rows import ALL_ROWS, Kept, ratio_of, rows_of, together, with_means
from groma.catalog import Catalog
from groma.plan import expand, read_profile
from groma.plan.method import methods_of

BY_NAME = {program.name: program for program in PROGRAMS}
OSU = BY_NAME["OSU Micro-Benchmarks"]


def start(program: str, name: str) -> Start:
    return Start(tuple(test for test in BY_NAME[program].tests if test.name == name), ("program",))


@pytest.mark.parametrize(("name", "test"), [("IMB-MPI1", "Allreduce"), ("IMB-NBC", "Iallreduce_pure")])
def test_imb_is_started_by_the_program_that_has_the_test(tmp_path: Path, name: str, test: str) -> None:
    (one,) = BY_NAME[name].starts(tmp_path, start(name, test).tests, [8], tmp_path)
    assert one.words[:2] == (str(tmp_path / name), test)


def test_imb_and_its_profile_have_their_messages_on_a_device(tmp_path: Path) -> None:
    name = "IMB-MPI1-GPU"
    (one,) = BY_NAME[name].starts(tmp_path, start(name, "PingPong").tests, [8], tmp_path)
    assert one.words[:2] == (str(tmp_path / name), "PingPong")
    assert one.words[-2:] == ("-mem_alloc_type", "device")
    assert one.settings == {"memory": "cuda", "allocation": "pages"}
    assert one.variables["I_MPI_OFFLOAD"] == "1"


@pytest.mark.parametrize("there", [True, False])
def test_without_a_device_its_program_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, *, there: bool
) -> None:
    for name in ("IMB-MPI1", "IMB-MPI1-GPU"):
        (tmp_path / name).touch()
    monkeypatch.setattr(fidelity, "has_driver", lambda _kind: there)
    found = [program.name for program in fidelity.programs_of(tmp_path, "imb,osu")]
    assert found == ["IMB-MPI1", *(["IMB-MPI1-GPU"] if there else [])]
    said = "IMB-MPI1-GPU is left out: it needs a device, and libcuda.so.1 can't be opened"
    assert (said in capsys.readouterr().err) is not there


@pytest.mark.parametrize(
    ("name", "program"), [("osu_allreduce", "OSU Micro-Benchmarks"), ("osu_get_latency", "OSU one-sided")]
)
def test_a_folder_with_one_program_has_that_part_of_osu(tmp_path: Path, name: str, program: str) -> None:
    (tmp_path / name).touch()
    assert [found.name for found in fidelity.programs_of(tmp_path, "osu")] == [program]


def test_osu_is_read_with_sizes_and_without() -> None:
    latency = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8        0.37\n1024     0.61\n"
    assert OSU.read(latency, start(OSU.name, "osu_latency")) == {("osu_latency", 8): 0.37, ("osu_latency", 1024): 0.61}
    barrier = "\n# OSU MPI Barrier Latency Test v7.4\n# Avg Latency(us)\n             0.43\n"
    assert OSU.read(barrier, start(OSU.name, "osu_barrier")) == {("osu_barrier", 0): 0.43}
    title = "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n# [ pairs: 1 ] [ window size: 64 ]\n"
    rate = f"{title}# Size                  MB/s        Messages/s\n8             146.79       18348627.72\n"
    assert OSU.read(rate, start(OSU.name, "osu_mbw_mr")) == {("osu_mbw_mr", 8): 146.79}


def test_imb_is_read_by_its_headings() -> None:
    text = """
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         0.37        21.45
        65536          640         4.87     13457.42

#---------------------------------------------------
# Benchmarking Uniband
       #bytes #repetitions   Mbytes/sec      Msg/sec
            8         1000       100.90     12612500

# Benchmarking Bcast
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         0.26         0.34         0.30

# Benchmarking Barrier
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         0.48         0.49         0.48

# All processes entering MPI_Finalize
"""
    assert BY_NAME["IMB-MPI1"].read(text, start("IMB-MPI1", "PingPong")) == {
        ("PingPong", 8): pytest.approx(8 / 21.45),
        ("PingPong", 65536): pytest.approx(65536 / 13457.42),
        ("Uniband", 8): 100.90,
        ("Bcast", 8): 0.30,
        ("Barrier", 0): 0.48,
    }


def test_skampi_is_read_between_its_marks() -> None:
    text = """# SKaMPI Version 6.0.0
# begin result "Bcast"
       8       0.5       0.0        8       0.2       0.5
    1024       1.2       0.1       16       1.1       1.2
# end result "Bcast"
# duration = 0.00 sec
"""
    assert BY_NAME["SKaMPI"].read(text, start("SKaMPI", "Bcast")) == {("Bcast", 8): 0.5, ("Bcast", 1024): 1.2}


def test_a_ratio_above_one_is_a_slower_profile_for_times_and_rates() -> None:
    rounds = [({("osu_latency", 8): 1.0, ("osu_bw", 8): 100.0}, {("osu_latency", 8): 1.2, ("osu_bw", 8): 80.0})] * 7
    latency, bandwidth = rows_of(OSU, "MPI", 2, rounds)
    assert (latency.test, latency.rounds, bandwidth.test) == ("osu_latency", 7, "osu_bw")
    assert (latency.ratio, bandwidth.ratio) == pytest.approx((1.2, 1.25))
    assert (latency.fastest, bandwidth.fastest) == pytest.approx((1.2, 1.25))
    assert latency.low == pytest.approx(1.2 * 0.995), "1.0 is printed in steps of 0.01"
    assert latency.verdict == "off"
    assert together([latency, bandwidth]).value == pytest.approx((1.2 * 1.25) ** 0.5)


def test_the_interval_is_that_of_the_signed_rank_test() -> None:
    logs = np.random.default_rng(7).normal(0.02, 0.1, 15)
    found = ratio_of(logs.tolist())
    assert found.interval is not None
    low, high = np.log([found.interval.low, found.interval.high])
    for end, inward in ((low, 1e-6), (high, -1e-6)):
        assert wilcoxon(logs - (end - inward)).pvalue <= 0.05 < wilcoxon(logs - (end + inward)).pvalue


@pytest.mark.parametrize(
    ("spread", "shift", "verdict"),
    [(0.01, 0.0, "same"), (0.01, 0.2, "off"), (0.01, -0.2, "off"), (0.3, 0.0, "not decided")],
)
def test_a_verdict_needs_the_whole_interval(spread: float, shift: float, verdict: str) -> None:
    logs = shift + spread * np.linspace(-1, 1, 9)
    assert ratio_of(logs.tolist()).verdict == verdict


def test_rounds_are_kept_for_another_day(tmp_path: Path) -> None:
    pair = {("osu_latency", 8): 1.0, ("osu_barrier", 0): 2.0}, {("osu_latency", 8): 1.5}
    Kept(tmp_path / "kept.json").add(OSU, "MPI", 2, pair)
    Kept(tmp_path / "kept.json").add(OSU, "MPI", 2, pair)
    assert Kept(tmp_path / "kept.json").rounds(OSU, "MPI", 2) == [pair, pair]
    assert Kept(tmp_path / "kept.json").rounds(OSU, "MPI", 4) == []
    assert Kept(None).rounds(OSU, "MPI", 2) == []


def test_reprompi_and_mpptest_are_read() -> None:
    text = """#@sync=MPI_Barrier
                 test        count total_nrep valid_nrep     median_sec
            MPI_Bcast            8       1000       1000   0.0000003310
            MPI_Bcast         1024       1000       1000   0.0000004405
"""
    assert BY_NAME["ReproMPI"].read(text, start("ReproMPI", "MPI_Bcast")) == {
        ("MPI_Bcast", 8): pytest.approx(0.331),
        ("MPI_Bcast", 1024): pytest.approx(0.4405),
    }
    curve = "#p0 p1 dist len ave time (us) rate\n0 1 1 8 0.134600 59.435e+6\n0 1 1 1024 0.200000 4e+9\nplot square\n"
    assert BY_NAME["Mpptest"].read(curve, start("Mpptest", "mpptest")) == {
        ("mpptest", 8): 0.1346,
        ("mpptest", 1024): 0.2,
    }


def test_what_only_one_side_measured_has_no_row_and_few_rounds_no_interval() -> None:
    rounds = [({("osu_latency", 8): 1.0}, {("osu_latency", 8): 1.0, ("osu_latency", 1024): 2.0})] * 2
    (row,) = rows_of(OSU, "MPI", 2, rounds)
    assert (row.bytes, row.low, row.verdict) == (8, None, "not decided")
    assert any("too few rounds" in line for line in said_of(with_means([row])))


def test_rows_that_are_off_are_explained_or_said_to_be_unknown() -> None:
    rounds = [({("osu_latency", 8): 1.0, ("osu_bw", 8): 1.0}, {("osu_latency", 8): 2.0, ("osu_bw", 8): 1.0})] * 6
    lines = with_means(rows_of(OSU, "MPI", 2, rounds))
    known = Cause(OSU.name, ("osu_lat*",), (8,), "*", "It differs.", "groma explain", "it differs", "program")
    assert cause_of(lines[0], [known]) is known
    assert explanations(lines, [known]) == ["* osu_latency 8 B: It differs. Measured by: `groma explain`."]
    assert explanations(lines, []) == ["* osu_latency 8 B: the cause is not known yet"]
    undecided = with_means(rows_of(OSU, "MPI", 2, rounds[:2]))
    assert explanations(undecided, [known]) == explanations(lines, [known])
    assert explanations(undecided, []) == []


def test_the_page_counts_rows_calls_and_what_their_causes_belong_to() -> None:
    rounds = [({("osu_bw", 8): 100.0, ("osu_bw", 64): 10.0}, {("osu_bw", 8): 120.0, ("osu_bw", 64): 10.0})] * 6
    calls = {("osu_bw", 8): (), ("osu_bw", 64): ("Isend against Send",)}
    lines = with_means(rows_of(OSU, "Open MPI 4", 2, rounds, calls=calls, machine="2 CPUs"))
    assert [(line.test, line.bytes) for line in lines[2:]] == [(ALL_ROWS, 8), (ALL_ROWS, 64), (ALL_ROWS, 0)]
    said = page(lines)
    text = said.text("fidelity", [])
    assert "**Of 2 rows, 1 rows are the same, 1 off, 0 not decided. MPI calls: the same in 1 of 2.**" in text
    assert said.rows == [[OSU.name, "Open MPI 4", "6", "1", "1", "0", "0.913 (0.91 to 0.91)", "1 of 2"]]
    assert "Rows are off by what programs do differently (1)" in text
    assert f"| 0.83 | {OSU.name} 1 | checks statuses and return codes |" in text
    same = page(with_means(rows_of(OSU, "Open MPI 4", 2, [({("osu_bw", 8): 1.0}, {("osu_bw", 8): 1.0})] * 6)))
    assert "No row is off." in same.text("fidelity", [])
    assert "of 2 ranks. Not compared: OSU one-sided, IMB-MPI1" in " ".join(text.split())


def test_the_page_names_cpus_that_are_not_those_of_most_rows() -> None:
    rounds = [({("osu_bw", 8): 1.0}, {("osu_bw", 8): 1.0})] * 6
    machines = {"MPICH 4": "2 CPUs of Intel(R) Xeon(R) Processor", "MPICH 5": "2 CPUs of Intel Xeon"}
    machines["Open MPI 4"] = "2 CPUs of AMD EPYC Processor"
    sections = (with_means(rows_of(OSU, library, 2, rounds, machine=own)) for library, own in machines.items())
    said = page([line for section in sections for line in section])
    text = " ".join(said.text("fidelity", []).split())
    assert f"on 2 CPUs of Intel Xeon; {OSU.name} on Open MPI 4 on 2 CPUs of AMD EPYC." in text


@pytest.mark.parametrize("name", ["osu_fop_latency", "osu_cas_latency", "osu_barrier", "osu_put_latency"])
def test_programs_of_one_length_are_started_without_others(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    (program,) = (one for one in PROGRAMS if name in {test.name for test in one.tests})
    (one,) = program.starts(tmp_path, start(program.name, name).tests, [8, 64], tmp_path)
    of_one = name != "osu_put_latency"
    assert one.words == (str(tmp_path / name), *([] if of_one else ["-m", "8:64"]))
    assert sizes_of(one.tests[0], [8, 64]) == ({"osu_barrier": [0]}.get(name, [1]) if of_one else [8, 64])


def test_sections_that_were_not_measured_again_stay() -> None:
    rounds = [({("osu_latency", 8): 1.0}, {("osu_latency", 8): 1.0})]
    first, other = (with_means(rows_of(OSU, library, 2, rounds * 6)) for library in ("MPI", "Other"))
    again = with_means(rows_of(OSU, "MPI", 2, rounds * 7))
    assert measured_again([*first, *other], again) == [*again, *other]
    assert measured_again(first, other) == [*first, *other]


def test_causes_name_programs_and_tests_that_exist() -> None:
    names = {program.name: {test.name for test in program.tests} for program in PROGRAMS}
    for cause in read_causes():
        rows = [row for row in names[cause.program] for pattern in cause.tests if row.startswith(pattern.rstrip("*"))]
        assert rows, cause


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.profile)
def test_the_profile_measures_every_test_of_its_program(program: Program, catalog: Catalog) -> None:
    plan = expand(read_profile(program.profile, catalog), catalog)
    for test in program.tests:
        ways = methods_of(plan, test.operation, None, catalog)
        assert any(all(way[name] == value for name, value in test.settings.items()) for way in ways), test
