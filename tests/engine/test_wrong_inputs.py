"""Wrong inputs end every rank with exit code 2 and one message that says what, where and what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import beds
import pytest

pytestmark = pytest.mark.mpi

RANK_COUNTS = (1, 4)
PREFIX = "groma-engine: "  # launchers add lines of their own to stderr

# What is asked on the command line, and what the one message must say.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "unknown operation": (["allredcue"], r"allredcue.*did you mean.*\ballreduce\b"),
    "unknown option": (["bcast", "--byte", "8"], r"--byte.*did you mean.*\bbytes\b"),
    "unknown choice": (["bcast", "--datatype", "doubel"], r"datatype=doubel.*did you mean.*\bdouble\b"),
    "cold block": (["bcast", "--timing", "block", "--cache", "flush"], r"cache=flush needs timing=call"),
    "window of blocks": (["bcast", "--timing", "block", "--sync", "window"], r"sync=window of bcast needs timing=call"),
    "arrivals without starts": (["bcast", "--sync", "barrier", "--arrival", "linear"], r"use sync=roundtime"),
    "bad size": (["bcast", "--bytes", "8Q"], r"bytes=8Q.*not a size"),
    "negative size": (["bcast", "--bytes", "-8"], r"bytes=-8"),
    "not a number": (["bcast", "--repetitions", "many"], r"repetitions=many.*not a whole number"),
    "not divisible by the type": (["allreduce", "--bytes", "12", "--datatype", "double"], r"12.*multiple of the 8"),
    "unequal segments": (["bcast_segmented", "--bytes", "8", "--segments", "3"], r"segments=3.*a divisor of 8"),
    "empty size range": (["bcast", "--bytes", "1M:8"], r"1M:8.*empty range"),
    "too few ranks": (["pingpong", "--ranks", "1"], r"pingpong needs at least 2 ranks.*launch"),
    "root out of range": (["bcast", "--root_rank", "4"], r"root_rank=4.*out of range"),
    "one node": (
        ["pingpong", "--pattern", "farthest"],
        r"at least 2 ranks|all are on one; launch on more nodes",
    ),
    "seedless": (["barrier", "--pattern", "random"], r"random.*needs a value"),
    "rank out of range": (["bcast", "--pattern", "list=0,9"], r"9.*rank"),
    "more memory than there is": (["alltoall", "--bytes", "100G", "--datatype", "double"], r"107374182400|memory"),
    "illegal reduction": (["allreduce", "--datatype", "float", "--reduction", "band"], r"band.*float.*not legal"),
    "between nodes of one": (
        ["pingpong", "--pattern", "internode"],
        r"pattern=internode of pingpong needs.* at least 2 nodes|pingpong needs at least 2 ranks",
    ),
    "across the cut of one node": (
        ["targets", "--pattern", "bisection"],
        r"pattern=bisection|targets needs at least 2",
    ),
    "more ranks than a node has": (["bcast", "--ranks_per_node", "64"], r"ranks_per_node=64 of bcast needs more ranks"),
    "more targets than ranks": (
        ["targets", "--targets", "9"],
        r"targets=9 of .*use targets=3|at least 2 ranks",
    ),
    "phases of a block": (["overlap", "--timing", "block"], r"timing=block of overlap|overlap needs at least 2 ranks"),
    "a train of one request": (["request_trains", "--window", "1"], r"window=1 of request_trains|at least 2 ranks"),
    "no delay for a reply": (
        ["request_trains", "--compute", "0.5"],
        r"compute=0\.5 of request_trains|at least 2 ranks",
    ),
    "nothing asked": ([], r"no operation"),
    "no such plan": (["--plan", "/nonexistent/plan.json"], r"/nonexistent/plan\.json.*No such file"),
    "unwritable output": (["barrier", "--out", "/nonexistent/points.jsonl"], r"/nonexistent/points\.jsonl"),
    "output is a folder": (["barrier", "--out", "/"], r"/.*directory"),
}

# What only enough ranks can be refused for.
SWAPS: dict[str, tuple[list[str], str]] = {
    "swap that can hang": (
        ["swap/simple", "--swap_order", "simple"],
        r"swap_order=simple.*can hang.*swap_order=ordered",
    ),
    "late swap that can hang": (["swap/simple_sync", "--swap_order", "delayed"], r"delayed.*can hang"),
    "swap without overlap": (
        ["swap/synchronous", "--swap_overlap", "true"],
        r"swap/synchronous has nothing to overlap",
    ),
    "uneven swap": (["swap/ready", "--bytes", "1K", "--swap_messages", "3"], r"swap_messages=3.*1024 elements"),
}

BARRIER = {"operation": "barrier"}
PLANS: dict[str, tuple[str | dict[str, Any], str]] = {
    "torn": ('{"schema": 1, "points": [', r"plan\.json"),
    "empty file": ("", r"plan\.json"),
    "a list": ("[]", r"plan\.json"),
    "no schema": ({"points": [BARRIER]}, r"schema"),
    "unknown schema": ({"schema": 99, "points": [BARRIER]}, r"schema"),
    "no points": ({"schema": 1, "points": []}, r"points"),
    "unknown key": ({"schema": 1, "sede": 3, "points": [BARRIER]}, r"sede.*did you mean.*seed"),
    "unknown field": ({"schema": 1, "points": [BARRIER, {**BARRIER, "warmup": 3}]}, r"warmup.*did you mean.*warmups"),
    "wrong type": ({"schema": 1, "points": [{"operation": "bcast", "bytes": [8]}]}, r"bytes"),
    "no operation": ({"schema": 1, "points": [{"bytes": 8}]}, r"operation"),
    "a late fault": ({"schema": 1, "points": [BARRIER, {"operation": "bcast", "root_rank": 99}]}, r"root_rank=99"),
}


def refused(library: beds.Library, ranks: int, arguments: list[str | Path], saying: str) -> None:
    result = library.run(ranks, *arguments)
    messages = [line for line in result.errors.splitlines() if line.startswith(PREFIX)]
    assert result.exit_code == 2, result
    assert len(messages) == 1, result.errors
    assert re.search(saying, messages[0]), messages[0]
    assert result.output == ""


@pytest.mark.parametrize("ranks", RANK_COUNTS)
@pytest.mark.parametrize("case", COMMANDS)
def test_wrong_command_line(library: beds.Library, ranks: int, case: str) -> None:
    arguments, saying = COMMANDS[case]
    refused(library, ranks, [*arguments], saying)


@pytest.mark.parametrize("case", SWAPS)
def test_illegal_swap(library: beds.Library, case: str) -> None:
    arguments, saying = SWAPS[case]
    refused(library, 2, [*arguments], saying)


@pytest.mark.parametrize("ranks", RANK_COUNTS)
@pytest.mark.parametrize("case", PLANS)
def test_malformed_plan(library: beds.Library, tmp_path: Path, ranks: int, case: str) -> None:
    document, saying = PLANS[case]
    plan = tmp_path / "plan.json"
    plan.write_text(document if isinstance(document, str) else json.dumps(document))
    refused(library, ranks, ["--plan", plan, "--out", tmp_path / "points.jsonl"], saying)
    assert not (tmp_path / "points.jsonl").exists()


def test_memory_of_the_node_is_counted(library: beds.Library) -> None:
    total_bytes = int(re.findall(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text())[0]) * 1024
    per_rank_bytes = min(total_bytes // 3 // 8 * 8, (2**31 - 1) * 8)  # each rank alone would fit
    arguments: list[str | Path] = ["allreduce", "--datatype", "double", "--bytes", str(per_rank_bytes)]
    refused(library, 4, arguments, r"memory")


@pytest.mark.parametrize("ranks", RANK_COUNTS)
@pytest.mark.parametrize(
    "library_and_launcher", ["embedded openmpi", "intel openmpi", "openmpi mpich", "openmpi embedded"]
)
def test_singletons_of_a_wrong_launcher(library_and_launcher: str, ranks: int) -> None:
    names = library_and_launcher.split()
    for name in names:
        beds.need(name)
    library, launcher = (beds.libraries()[name] for name in names)
    result = beds.run(
        [launcher.mpiexec, "-n", str(ranks), str(library.engine), "barrier"],
        environment=launcher.environment(library.variables),
    )
    if ranks == 1 and result.exit_code == 0:
        return  # one process alone is what was asked for, and some libraries give it
    if "unsupported PMI version" in result.errors:
        assert result.exit_code != 0, result
        assert result.output == "", "MPICH refuses this launcher itself, before the engine can"
        return
    messages = [line for line in result.errors.splitlines() if line.startswith(PREFIX)]
    assert result.exit_code == 2, result
    assert len(messages) == 1, result.errors
    assert re.search(r"launcher.*mpiexec", messages[0])


@pytest.mark.parametrize("ranks", RANK_COUNTS)
def test_full_disk_under_the_records(library: beds.Library, ranks: int) -> None:
    result = library.run(ranks, "barrier", "--out", "/dev/full")
    messages = [line for line in result.errors.splitlines() if line.startswith(PREFIX)]
    assert result.exit_code == 1, result
    assert len(messages) == 1, result.errors
    assert re.search(r"/dev/full.*No space left on device", messages[0])


def test_full_disk_under_stdout(library: beds.Library) -> None:
    # A launcher would stand between the engine and its stdout: one rank starts without.
    command = f"exec {library.engine} noop >/dev/full"
    result = beds.run(["sh", "-c", command], environment=library.environment())
    assert result.exit_code == 1, result
    assert "No space left on device" in result.errors
