"""`groma reproduce`: which points become a C program, which are refused, and that the program stays short."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from fakes import Groma

from groma.reproduce.commands import launcher_words
from groma.reproduce.method import (
    CLOCKS,
    ESTIMATORS,
    OPERATIONS,
    OUTLIERS,
    REDUCES,
    REDUCTIONS,
    SYNCS,
    TYPES,
    Method,
    source,
)

HEAD = ["a line"] * 10


def method(**changed: object) -> Method:
    values: dict[str, object] = {
        "operation": "allreduce",
        "ranks": 4,
        "launched": 4,
        "elements": 16,
        "datatype": "float",
        "reduction": "sum",
        "root": 0,
        "same_array": False,
        "mpi_allocates": False,
        "alignment": 4096,
        "receive_offset": 1088,
        "clock": "monotonic",
        "sync": "roundtime",
        "reduce": "span",
        "in_blocks": False,
        "calls": 1,
        "samples": 100,
        "warmup": 1000,
        "lead_ns": 3000,
        "divisor": 1,
        "estimator": "median",
        "outliers": "keep",
    }
    return Method(**(values | changed))  # type: ignore[arg-type]


def test_every_program_is_shorter_than_a_hundred_lines() -> None:
    longest = 0
    for operation, sync, reduce, clock in itertools.product(OPERATIONS, SYNCS, REDUCES, CLOCKS):
        for estimator, outliers, in_blocks in itertools.product(ESTIMATORS, OUTLIERS, (False, True)):
            same = bool(OPERATIONS[operation].same)
            chosen = method(
                operation=operation,
                sync=sync,
                reduce=reduce,
                clock=clock,
                estimator=estimator,
                outliers=outliers,
                in_blocks=in_blocks,
                same_array=same,
                launched=8,
            )
            text = source(chosen, HEAD)
            lines = text.splitlines()
            assert len(lines) < 100, (operation, sync, reduce, estimator)
            assert max(map(len, lines)) <= 140
            assert text.count("{") == text.count("}")
            longest = max(longest, len(lines))
    assert longest > 90, "the bound is close: what is added has to go somewhere else"


def test_arrays_of_mpi_have_no_place_of_their_own() -> None:
    for operation in OPERATIONS:
        text = source(method(operation=operation, mpi_allocates=True, launched=8), HEAD)
        assert len(text.splitlines()) < 100
        assert "ALIGNMENT" not in text
        assert "OFFSET" not in text
        assert ("MPI_Alloc_mem(" in text) == ("ALIGNMENT" in source(method(operation=operation), HEAD))


def test_the_numbers_are_those_of_the_method() -> None:
    text = source(method(operation="pingpong", in_blocks=True, calls=17, divisor=2, reduce="root", sync="none"), HEAD)
    assert "CALLS = 17" in text
    assert "figure / (2e3 * CALLS)" in text
    assert "MPI_Send(to_send, COUNT, MPI_FLOAT, 1, 0, comm);" in text
    for datatype, (in_c, in_mpi) in TYPES.items():
        text = source(method(datatype=datatype), HEAD)
        assert f"typedef {in_c} element;" in text
        assert f"MPI_Allreduce(to_send, received, COUNT, {in_mpi}, MPI_SUM, comm);" in text
    for reduction, (in_mpi, _) in REDUCTIONS.items():
        assert f"MPI_FLOAT, {in_mpi}, comm" in source(method(reduction=reduction), HEAD)


@pytest.fixture
def run(groma: Groma) -> Groma:
    asked = ("pingpong", "bcast", "barrier", "stream", "--bytes", "8,64K", "--launches", "2", "--set", "sync=barrier")
    assert groma("run", *asked, "-o", "made").code == 0
    return groma


def test_a_point_becomes_a_program_and_a_script(run: Groma) -> None:
    said = run("reproduce", "made", "pingpong", "64", "KiB", "-o", "folder")
    assert (said.code, said.last_line) == (0, "folder/pingpong-65536.c")
    text = Path(said.last_line).read_text()
    assert "pingpong of 64 KiB among 2 ranks" in text
    assert "COUNT = 65536" in text
    assert "(run made)" in text
    script = Path("folder/pingpong-65536.sh")
    assert os.access(script, os.X_OK)
    assert "seq 2" in script.read_text(), "as often as there were launches"
    assert f"./{script.stem}; done" in script.read_text()
    said = run("reproduce", "made", "barrier")
    assert said.last_line == "barrier.c", said.err


def test_a_bundle_is_enough(run: Groma) -> None:
    assert run("bundle", "made").code == 0
    assert run("reproduce", "made.groma.zip", "pingpong", "8").code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("pingpnog", "8"), "has not measured 'pingpnog'; did you mean 'pingpong'?"),
        (("pingpong", "16"), "has not measured pingpong at 16 B; it has 8 B, 64 KiB"),
        (("pingpong", "many"), "'many' is not a size"),
        (("pingpong",), "2 points of made are meant: pingpong 8 B, pingpong 64 KiB; name one by its size"),
        (("pingpong", "8", "-n", "4"), "no pingpong of made matches; there are pingpong 8 B"),
        (("pingpong", "8", "--set", "sync=none"), "no pingpong of made matches"),
        (("stream", "8"), "stream cannot be written as a short C program; these can: pingpong,"),
    ],
)
def test_what_is_not_meant_clearly_is_refused(run: Groma, words: tuple[str, ...], says: str) -> None:
    said = run("reproduce", "made", *words)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--set", "cache=flush"), "cache=flush"),
        (("--set", "sync=window"), "sync=window"),
        (("--set", "root=rotate"), "root=rotate"),
        (("--set", "layout=vector", "--set", "datatype=float"), "layout=vector"),
        (("--set", "clock=tsc"), "clock=tsc"),
        (("--set", "timing=cycle", "--set", "sync=none"), "timing=cycle"),
        (("--set", "reduce=post_arrival", "--set", "sync=roundtime"), "reduce=post_arrival"),
        (("--set", "estimator=p95"), "estimator=p95"),
    ],
)
def test_methods_beyond_a_short_program_are_refused_with_the_reason(
    groma: Groma, options: tuple[str, ...], says: str
) -> None:
    made = groma("run", "bcast", "--bytes", "8", "--launches", "1", *options, "-o", "made")
    assert made.code == 0, made.err
    said = groma("reproduce", "made", "bcast")
    said.refuses(says, "is beyond a short C program; measure it without, or hand on the run itself (groma bundle)")
    assert not list(Path().glob("*.c"))


def test_an_imported_point_is_refused(groma: Groma) -> None:
    printed = Path(__file__).resolve().parents[1] / "recorded" / "printed" / "imb.txt"
    assert groma("import", str(printed), "-o", "theirs").code == 0
    said = groma("reproduce", "theirs", "pingpong", "8")
    said.refuses("was imported")


def test_the_launcher_is_that_of_the_run() -> None:
    command = ["/opt/bin/mpiexec", "-n", "4", "-bind-to", "core", "/opt/groma-engine", "--plan", "plan.json"]
    assert launcher_words(command, 4) == ["/opt/bin/mpiexec", "-n", "4", "-bind-to", "core"]
    assert launcher_words([], 4) == ["mpiexec", "-n", "4"]
