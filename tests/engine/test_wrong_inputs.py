"""Wrong inputs end every rank with exit code 2 and one message that says what, where and what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path

import beds
import pytest

pytestmark = pytest.mark.mpi

RANK_COUNTS = (1, 4)
PREFIX = "groma-engine: "  # launchers add lines of their own to stderr

# One case of every stage of a launch that can refuse: reading the words, judging the plan, judging it on the hosts, and
# opening what it writes. The messages themselves are in engine/tests/unit/wrong_inputs.cpp.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "unknown operation": (["allredcue"], r"allredcue.*did you mean.*\ballreduce\b"),
    "rank out of range": (["bcast", "--pattern", "list=0,9"], r"9.*rank"),
    "one node": (
        ["pingpong", "--pattern", "farthest"],
        r"at least 2 ranks|all are on one; launch on more nodes",
    ),
    "no such plan": (["--plan", "/proc/nowhere/plan.json"], r"/proc/nowhere/plan\.json.*No such file"),
    "unwritable output": (["barrier", "--out", "/proc/nowhere/points.jsonl"], r"/proc/nowhere/points\.jsonl"),
    "output is a folder": (["barrier", "--out", "/"], r"/.*directory"),
}


def refused(library: beds.Library, ranks: int, arguments: list[str | Path], saying: str) -> None:
    result = library.run(ranks, *arguments)
    messages = [line for line in result.errors.splitlines() if line.startswith(PREFIX)]
    assert result.exit_code == 2, result
    assert len(messages) == 1, result.errors
    assert re.search(saying, messages[0]), messages[0]
    assert result.output == ""


@pytest.mark.parametrize("case", COMMANDS)
def test_wrong_command_line(library: beds.Library, case: str) -> None:
    arguments, saying = COMMANDS[case]
    refused(library, 4, [*arguments], saying)


def test_one_rank_alone_is_told_too(library: beds.Library) -> None:
    refused(library, 1, ["pingpong"], r"pingpong needs at least 2 ranks.*launch")


@pytest.mark.parametrize("ranks", RANK_COUNTS)
def test_malformed_plan(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    plan = tmp_path / "plan.json"
    barrier, late = {"operation": "barrier"}, {"operation": "bcast", "root_rank": 99}
    plan.write_text(json.dumps({"schema": 1, "points": [barrier, late]}))
    refused(library, ranks, ["--plan", plan, "--out", tmp_path / "points.jsonl"], r"root_rank=99")
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
