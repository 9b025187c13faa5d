"""Styles of one-sided calls, threads and files: as programs with tables of their own print them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edited_records import write_records
from synthetic import Scenario, make_run, truth_ns
from unit.test_styles import QUIET, row

from groma.errors import InputError
from groma.programs.answers import read_style
from groma.programs.imb_rma.printed import IMPORTER as IMB_RMA
from groma.programs.sheet import sheet_of
from groma.results import load_run


def measured_as(tmp_path: Path, operation: str, **fields: object) -> Path:
    """Return a run of pairs whose points are of another operation with these fields."""
    path = make_run(tmp_path / "run", Scenario(**(vars(QUIET) | {"operations": ("pingpong",), "sizes": (8, 64)})))
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point":
                record["point"] |= {"operation": operation, **fields}
                record |= {"divisor": 1, "bytes_moved": record["point"]["bytes"]}
        write_records(records, lines)
    return path


ALLOCATED = {"rma_window": "allocated", "epoch_calls": 1}


@pytest.mark.parametrize(
    ("operation", "fields", "title", "heading"),
    [
        ("put/flush", ALLOCATED, "MPI_Put Latency", "Latency (us)"),
        ("get/flush", ALLOCATED, "MPI_Get latency", "Latency (us)"),
        ("accumulate/flush", ALLOCATED, "MPI_Accumulate latency", "Latency (us)"),
        ("get_accumulate/lock", ALLOCATED, "MPI_Get_accumulate latency", "Latency (us)"),
        ("fetch_and_op/flush", ALLOCATED, "MPI_Fetch_and_op latency", "Latency (us)"),
        ("compare_and_swap/flush", ALLOCATED, "MPI_Compare_and_swap latency", "Latency (us)"),
        ("put/flush", ALLOCATED | {"epoch_calls": 64}, "MPI_Put Bandwidth", "Bandwidth (MB/s)"),
        ("put/lock", ALLOCATED, "MPI_Put Latency", "Latency (us)"),
        ("accumulate/fence", ALLOCATED, "MPI_Accumulate latency", "Latency (us)"),
        ("biput/pscw", ALLOCATED | {"epoch_calls": 64}, "MPI_Put Bi-directional Bandwidth", "Bandwidth (MB/s)"),
    ],
)
def test_osu_prints_one_sided_calls(
    tmp_path: Path, operation: str, fields: dict[str, object], title: str, heading: str
) -> None:
    made = sheet_of(load_run(measured_as(tmp_path, operation, **fields)), read_style("osu"))
    time_us = truth_ns("pingpong", 8) / 1e3
    figure = time_us if "Latency" in heading else 8 / time_us
    assert row(made, f"# OSU {title} Test v7.4", 8) == [8, pytest.approx(figure, rel=0.02)]
    assert "# Window creation: MPI_Win_allocate" in made.lines
    words = {"pscw": "post/start/complete/wait", "lock": "lock/unlock", "fence": "fence", "flush": "flush"}
    assert f"# Synchronization: MPI_Win_{words[operation.partition('/')[2]]}" in made.lines
    assert any(line.startswith("# Size") and line.endswith(heading) for line in made.lines)


@pytest.mark.parametrize("operation", [test.operation for test in IMB_RMA.told.tests])
def test_imb_prints_one_sided_calls_that_are_completed_one_by_one(tmp_path: Path, operation: str) -> None:
    name = next(test.name for test in IMB_RMA.told.tests if test.operation == operation)
    window = {"rma_window": "created", "epoch_calls": 1}
    made = sheet_of(load_run(measured_as(tmp_path, operation, **window)), read_style("imb"))
    time_us = truth_ns("pingpong", 8) / 1e3
    printed = row(made, f"# Benchmarking {name}", 8)
    assert printed[0] == 8
    assert printed[2:] == [pytest.approx(time_us, rel=0.02), pytest.approx(8 / time_us, rel=0.02)]
    assert "#    Intel(R) MPI Benchmarks 2021.11, MPI-RMA part" in made.lines
    assert "#    MODE: NON-AGGREGATE" in made.lines


def test_imb_has_no_mode_whose_calls_have_places_of_their_own(tmp_path: Path) -> None:
    path = measured_as(tmp_path, "put/flush", rma_window="created", epoch_calls=64)
    with pytest.raises(InputError, match="has nothing that the Intel MPI Benchmarks prints"):
        sheet_of(load_run(path), read_style("imb"))


def test_osu_prints_ping_pongs_by_threads_of_one_communicator(tmp_path: Path) -> None:
    path = measured_as(tmp_path / "tag", "threads/pingpong", threads=2, thread_channel="tag")
    made = sheet_of(load_run(path), read_style("osu"))
    expected = [8, pytest.approx(truth_ns("pingpong", 8) / 1e3, rel=0.02)]
    assert row(made, "# OSU MPI Multi-threaded Latency Test v7.4", 8) == expected
    assert {"# Number of Sender threads: 2", "# Number of Receiver threads: 2"} <= set(made.lines)
    own = measured_as(tmp_path / "own", "threads/pingpong", threads=2, thread_channel="communicator")
    (lacking,) = sheet_of(load_run(own), read_style("osu")).lacking
    assert lacking.endswith("--set thread_channel=tag --set threads=2")


@pytest.mark.parametrize(("operation", "name"), [("file_write_at", "P_Write_Expl"), ("file_read_all", "C_Read_Indv")])
def test_imb_prints_files_by_the_size_of_all_messages(tmp_path: Path, operation: str, name: str) -> None:
    path = make_run(tmp_path / "run", Scenario(**(vars(QUIET) | {"operations": ("allreduce",), "sizes": (8, 64)})))
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point":
                record["point"] |= {"operation": operation, "file_parts": 1, "file_folder": ""}
                record["point"] |= {"file_sync": True} if "write" in operation else {"file_cold": False}
                record["ranks_ns"] = [record["samples_ns"]] * record["member_count"]
        write_records(records, lines)
    made = sheet_of(load_run(path), read_style("imb"))
    ranks = QUIET.ranks
    size, _, least, most, mean, rate = row(made, f"# Benchmarking {name}", 8 * ranks)
    assert (size, least, most) == (8 * ranks, mean, mean)
    assert rate == pytest.approx(8 * ranks / mean, rel=0.02)
    assert ("#    MODE: NON-AGGREGATE" in made.lines) is ("write" in operation)
