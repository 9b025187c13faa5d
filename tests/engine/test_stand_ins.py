"""Programs named osu_latency, IMB-MPI1, ... that are started as ranks, on real MPI libraries."""

from __future__ import annotations

import re
from pathlib import Path

import beds
import pytest
from standing import PYTHON_PATH, written

from groma.programs.files import File
from groma.programs.imb.printed import IMPORTER as IMB
from groma.programs.osu.printed import IMPORTER as OSU
from groma.programs.printed import Importer, Output
from groma.programs.tables import read_tables
from groma.results import load_run

pytestmark = pytest.mark.mpi

OPTIONS = ("-m", "8", "-x", "10", "-i", "100", "-c")
TESTS = {"osu_latency": ("D", "D"), "osu_bw": ("D", "D"), "osu_allreduce": (), "osu_alltoall": ()}


def started(library: beds.Library, ranks: int, program: Path, *arguments: str, **changed: str) -> beds.Result:
    return library.run(ranks, *arguments, engine=program, variables=PYTHON_PATH | changed)


def read(result: beds.Result, importer: Importer) -> Output:
    assert result.exit_code == 0, result.output + result.errors
    return read_tables(File("output", "", result.output.splitlines(), is_whole=True), importer)


def test_what_a_site_starts_and_reads_is_what_the_original_would_print(library: beds.Library, tmp_path: Path) -> None:
    folder = written(library, tmp_path / "bin")
    for name, places in TESTS.items():
        result = started(library, 2, folder / name, *OPTIONS, *places)
        output = read(result, OSU)
        assert [(line.test, line.size, line.checked) for line in output.lines] == [
            (name, size, True) for size in (1, 2, 4, 8)
        ]
        assert not output.lost
        assert re.search(r"^8.*Pass", result.output, re.MULTILINE)
        assert float(re.findall(r"^8\s+(\S+)", result.output, re.MULTILINE)[0]) > 0


def test_wrong_options_and_help_end_every_rank_and_start_nothing(library: beds.Library, tmp_path: Path) -> None:
    folder = written(library, tmp_path / "bin")
    wrong = started(library, 2, folder / "osu_latency", "-z")
    assert wrong.exit_code == 2
    assert wrong.output == ""
    assert wrong.errors.count("osu_latency: option -z not recognized; osu_latency -h lists") == 1
    helped = started(library, 2, folder / "osu_bcast", "-h")
    assert helped.exit_code == 0
    assert helped.output.count("osu_bcast: Groma measures as") == 1


def test_ranks_end_where_groma_cannot_start(embedded: beds.Library, tmp_path: Path) -> None:
    folder = written(embedded, tmp_path / "bin")
    broken = tmp_path / "broken" / "groma"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError\n")
    result = started(embedded, 2, folder / "osu_latency", *OPTIONS, PYTHONPATH=str(broken.parent))
    assert result.exit_code != 0
    assert result.output == ""


def test_a_run_is_kept_of_every_call(embedded: beds.Library, tmp_path: Path) -> None:
    folder = written(embedded, tmp_path / "bin", "--keep", str(tmp_path / "runs"))
    for _ in range(2):
        assert started(embedded, 2, folder / "osu_latency", *OPTIONS).exit_code == 0
    kept = [load_run(path) for path in sorted((tmp_path / "runs").iterdir())]
    assert [(run.meta.state, run.meta.profile, run.missing()) for run in kept] == [("complete", "osu", [])] * 2
    assert {launch.start.ranks for run in kept for launch in run.launches if launch.start} == {2}


def test_imb_goes_through_the_numbers_of_processes(embedded: beds.Library, tmp_path: Path) -> None:
    folder = written(embedded, tmp_path / "bin")
    names = ("PingPong", "Allreduce", "-msglog", "3:4", "-iter", "20")
    output = read(started(embedded, 3, folder / "IMB-MPI1", *names), IMB)
    assert [(line.test, line.ranks, line.size) for line in output.lines] == [
        (test, ranks, size)
        for test, ranks in (("PingPong", 2), ("Allreduce", 2), ("Allreduce", 3))
        for size in (0, 8, 16)
    ]
    assert {line.repetitions for line in output.lines} == {20}
