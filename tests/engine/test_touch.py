"""Messages that are changed before each send and read after each receive arrive right, and wrong bytes are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import pytest
from engine.disassembly import timed_loops
from engine.launches import launch_plan
from engine.test_operations import catalogue, crashes

from engine import preloaded

BYTES = 1016  # no traffic of the engine's own has this length
WAYS = {"write": {"write"}, "read": {"read"}, "both": {"write", "read"}}
IN_CALLS = ("pingpong", "exchange", "stream", "bcast", "scatter", "allreduce", "iallreduce", "alltoall", "scan")


def touched(library: beds.Library) -> list[str]:
    """Return the operations whose blocks can have touched messages, without those that the library lacks."""
    operations = catalogue(library)["operations"]
    return [one["name"] for one in operations if one["touches"] and not one["lacks"]]


def times(record: dict[str, Any]) -> dict[str, list[int]]:
    """Return what touching takes by ways, as far as it is recorded."""
    return {way: record[f"touch_{way}_ns"] for way in ("write", "read") if f"touch_{way}_ns" in record}


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_touched_messages_arrive_right(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    blocks: list[dict[str, Any]] = [
        {"operation": name, "bytes": size, "touch": way, "check": True, "timing": "block", "reduce": "max"}
        for name in touched(library)
        for size, way in ((1, "both"), (200_003, "both"), (1000, "write"), (1000, "read"))
    ]
    doubles = {"datatype": "double", "bytes": 4000, "touch": "both", "check": True}
    calls: list[dict[str, Any]] = [
        {"operation": name, "timing": "call", "sync": sync, **doubles}
        for name in IN_CALLS
        for sync in ("barrier", "roundtime")
    ]
    blocks = [point for point in blocks if not crashes(library, point)]
    calls += [{**point, "root": "rotate"} for point in calls if point["operation"] in ("bcast", "scatter")]
    launch = launch_plan(library, ranks, tmp_path, blocks + calls)
    assert launch.result.exit_code == 0, launch.report()
    records = launch.of_kind("point")
    assert len(records) == len(blocks + calls)
    assert all(record["checked_elements"] > 0 for record in records)
    for record in records[: len(blocks)]:
        assert times(record).keys() == WAYS[record["point"]["touch"]]
        assert all(0 <= one[0] <= one[2] <= one[4] for one in times(record).values()), record
    assert not any(map(times, records[len(blocks) :]))


@pytest.mark.mpi
@pytest.mark.parametrize("timing", ["call", "block"])
@pytest.mark.parametrize(("operation", "rank"), [("pingpong", 1), ("pingping", 0)])
def test_a_wrong_byte_of_a_touched_message_is_found(
    library: beds.Library, tmp_path: Path, timing: str, operation: str, rank: int
) -> None:
    planted = {
        "GROMA_FAULT": "corrupt",
        "GROMA_FAULT_CALL": "MPI_Recv",
        "GROMA_FAULT_RANK": str(rank),
        "GROMA_FAULT_BYTES": str(BYTES),
        "GROMA_FAULT_OFFSET": "512",  # the first byte of a line, where a sender changes it
    }
    point = {"operation": operation, "bytes": BYTES, "touch": "both", "timing": timing, "sync": "barrier"}
    fault = preloaded.build(library, "fault", tmp_path)
    launch = launch_plan(library, 2, tmp_path, [point], preload=fault, variables=planted)
    assert launch.result.exit_code == 1, launch.report()
    (failure,) = launch.of_kind("failure")
    assert (failure["reason"], failure["ranks"]) == ("wrong_data", [rank])
    assert "offset 512" in failure["message"]


@pytest.mark.bed("objdump")
def test_touching_adds_no_call_to_a_loop(library: beds.Library) -> None:
    loops = {(loop.kind, loop.operation, loop.method): loop for loop in timed_loops(library.engine)}
    with_touch = {key: loop for key, loop in loops.items() if key[1].startswith("groma::Touched<")}
    names = {name for _, name, _ in with_touch}
    assert len(names) == len([one for one in catalogue(library)["operations"] if one["touches"]])
    for (kind, name, method), loop in with_touch.items():
        plain = loops[kind, name.removeprefix("groma::Touched<").removesuffix(">").rstrip(), method]
        assert loop.offences == plain.offences == []
        assert set(loop.calls) == set(plain.calls), name


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("bcast", "--timing", "block"), "touch=both of bcast needs timing=call"),
        (("stream", "--bytes", "64"), "touch=both of stream needs timing=call"),
        (("barrier",), "touch=both of barrier has no message to act on"),
        (("pingpong", "--timing", "call"), "touch=both of pingpong with timing=call needs ranks that meet"),
        (("pingpong", "--buffers", "same"), "touch=both of pingpong needs buffers=separate"),
    ],
)
def test_what_cannot_be_touched_is_refused(library: beds.Library, words: tuple[str, ...], says: str) -> None:
    asked = [str(library.engine), "--check", "--ranks", "2", *words, "--touch", "both"]
    refused = beds.run(asked, environment=library.environment())
    assert refused.exit_code == 2
    assert says in refused.errors
    assert len(refused.errors.splitlines()) == 1
