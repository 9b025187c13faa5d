"""Run directories as docs/contract.md states them, made from a seed: what the engine would leave, with known truth.

Every sample is `truth(operation, bytes)` times a launch effect, a drift, lognormal jitter and, rarely, an outlier.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZES = tuple(2**exponent for exponent in range(3, 23))
LATENCY_OPERATIONS = ("pingpong", "allreduce", "bcast", "alltoall")
WINDOW = 64
LIBRARY = "/opt/mpich/lib/libmpi.so.12"


@dataclass(frozen=True)
class Scenario:
    """What happens in a made run; the defaults are a quiet and complete `quick`."""

    seed: int = 7
    launches: int = 10
    ranks: int = 2
    samples: int = 100
    operations: tuple[str, ...] = ("pingpong", "stream", "message_rate", "allreduce", "bcast", "alltoall", "barrier")
    sizes: tuple[int, ...] = SIZES
    launch_effect: float = 0.02
    jitter: float = 0.03
    drift: float = 0.01
    outliers: float = 0.005
    disturbed: tuple[int, ...] = ()
    torn: tuple[int, ...] = ()
    ended_early: dict[int, int] = field(default_factory=dict)
    never_started: tuple[int, ...] = ()
    failed: dict[int, str] = field(default_factory=dict)
    oversubscribed: bool = False
    validated: bool = True
    pinned: bool = False
    clocked: bool = False
    clocked_sync: str = "roundtime"
    arrival_skew_ns: int = 55
    clock_valid: bool = True
    clock_bound_ns: float = 120.0
    invalid: int = 0
    state: str = "complete"
    notes: tuple[str, ...] = ()
    library: str | None = "5d41402abc4b2a76"  # checksum of the library's file; None: not recorded, as in older runs


def truth_ns(operation: str, size: int, ranks: int = 2) -> float:
    """Time of one repetition without any noise; point-to-point changes protocol above 64 KiB."""
    rounds = np.ceil(np.log2(ranks))
    one_way = 280 + size / 9.0 if size <= 65536 else 900 + size / 14.0
    per_repetition = {
        "pingpong": 2 * one_way,
        "stream": 400 + WINDOW * (110 + size / 11.0),
        "message_rate": 400 + WINDOW * (110 + size / 11.0) * ranks / 2,
        "allreduce": rounds * (420 + size / 5.0),
        "bcast": rounds * (240 + size / 10.0),
        "alltoall": (ranks - 1) * (520 + size / 6.0),
        "barrier": rounds * 380.0,
        "halo": 900 + size / 4.0,
    }
    return float(per_repetition[operation.partition("/")[0]])


def make_run(directory: Path, scenario: Scenario = Scenario()) -> Path:
    """Write the run directory and return it."""
    points = list(_points(scenario))
    directory.mkdir(parents=True)
    _write(directory / "run.json", _run_document(directory.name, scenario, points))
    for number in range(1, scenario.launches + 1):
        if number not in scenario.never_started:
            _launch(directory / "launches" / f"{number:03}", number, scenario, points)
    return directory


def _points(scenario: Scenario) -> Iterator[dict[str, Any]]:
    common = {"datatype": "byte", "clock": "monotonic", "cache": "warm", "buffers": "separate", "stop": "ci"}
    for operation in scenario.operations:
        paired = operation in {"pingpong", "stream", "message_rate"}
        shape: dict[str, Any] = {"pattern": "first_two" if paired else "all", "timing": "block" if paired else "call"}
        shape |= {"sync": "none" if paired else "dissemination", "reduce": "root" if paired else "max"}
        if scenario.clocked and not paired:
            shape["sync"] = scenario.clocked_sync
        if operation in {"stream", "message_rate"}:
            shape["window"] = WINDOW
        if operation == "barrier":
            yield {"operation": operation} | common | shape
        else:
            sizes = scenario.sizes[:2] if operation == "message_rate" else scenario.sizes
            yield from ({"operation": operation, "bytes": size} | common | shape for size in sizes)


def _run_document(name: str, scenario: Scenario, points: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": 1,
        "name": "quick",
        "profile": "quick",
        "groma": "0.1.0",
        "created": "2026-01-02T03:04:05+00:00",
        "finished": None if scenario.state == "running" else "2026-01-02T03:05:01+00:00",
        "state": scenario.state,
        "command": ["groma", "quick", "-o", f"runs/{name}"],
        "host": "node01",
        "seed": scenario.seed,
        "launches": scenario.launches,
        "rank_counts": [scenario.ranks],
        "budget_s": 60,
        "plan": {"order": "shuffled", "points": points},
        "library": {"name": "MPICH", "version": "5.0.2", "engine_path": "groma-engine", "launcher": "mpiexec"},
        "machine": {"cores": 2},
        "notes": list(scenario.notes),
    }


def _launch(folder: Path, number: int, scenario: Scenario, points: list[dict[str, Any]]) -> None:
    folder.mkdir(parents=True)
    random = np.random.default_rng([scenario.seed, number])
    records = _records(number, scenario, points, random)
    lines = [msgspec.json.format(msgspec.json.encode(record), indent=0).decode() for record in records]
    early = number in scenario.ended_early
    if early:
        lines = lines[: 1 + scenario.ended_early[number]]
    text = "".join(f"{line}\n" for line in lines)
    if number in scenario.torn:
        text = text[: -len(lines[-1]) // 2]
    (folder / "points.jsonl").write_text(text)
    _write(folder / "plan.json", {"schema": 1, "order": "shuffled", "seed": scenario.seed, "points": points})
    _write(folder / "nodes.json", _nodes(scenario))
    _write(
        folder / "launch.json",
        {
            "schema": 1,
            "number": number,
            "ranks": scenario.ranks,
            "command": ["mpiexec", "-n", str(scenario.ranks), "groma-engine", "--plan", "plan.json"],
            "build": None
            if scenario.library is None
            else {"engine": "7d793037a0760186", "library": scenario.library, "library_path": LIBRARY},
            "environment": {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1"} if scenario.oversubscribed else {},
            "started": "2026-01-02T03:04:06+00:00",
            "finished": None if early else "2026-01-02T03:04:11+00:00",
            "exit_code": 137 if early else 1 if number in scenario.failed else 0,
            "points": len(points),
        },
    )
    (folder / "stderr").write_text("")


def _records(
    number: int, scenario: Scenario, points: list[dict[str, Any]], random: np.random.Generator
) -> Iterator[dict[str, Any]]:
    yield _start(number, scenario, len(points), random)
    effects = {operation: np.exp(random.normal(0, scenario.launch_effect)) for operation in scenario.operations}
    for sequence, index in enumerate(random.permutation(len(points))):
        if index == 3 and number in scenario.failed:
            yield _failure(int(index), scenario.failed[number])
        else:
            effect = effects[points[index]["operation"]] * (1.2 if number in scenario.disturbed else 1.0)
            yield _point((int(index), sequence), points[index], scenario, effect, random)
    failures = int(number in scenario.failed)
    foreign = 0.62 if number in scenario.disturbed else 0.02
    load = [{"node": 0, "name": "node01", "foreign_cores": foreign, "own_cores": 1.98}]
    yield {"schema": 1, "kind": "end", "points": len(points) - failures, "failures": failures,
           "elapsed_ns": 4_800_000_000, "load": load, "noise": [],
           "global_clock": [_CLOCK_AT_THE_END] if scenario.clocked else []}  # fmt: skip


def _failure(index: int, reason: str) -> dict[str, Any]:
    messages = {
        "timeout": "rank 1 did not arrive within 10 s",
        "wrong_data": "rank 1, offset 17: expected 0x2a, found 0x00",
        "mpi_error": "MPI_ERR_TRUNCATE: message truncated",
    }
    return {"schema": 1, "kind": "failure", "index": index, "reason": reason, "message": messages[reason], "ranks": [1]}


def _start(number: int, scenario: Scenario, points: int, random: np.random.Generator) -> dict[str, Any]:
    noise = [
        {"rank": rank, "lost_share": round(float(random.uniform(1e-5, 2e-4)), 7),
         "longest_ns": int(random.uniform(2_000, 20_000)), "detours": int(random.integers(1, 6)),
         "observed_ns": 20_000_000}
        for rank in range(scenario.ranks)
    ]  # fmt: skip
    handed = [
        {"ranks": [0, 1], "bytes": size, "ns": round(64 + size / 38.0, 2), "stream_ns": round(4 + size / 38.0, 2)}
        for size in scenario.sizes
    ]
    bounce = round(64 * float(np.exp(random.normal(0, 0.01))), 1)
    return {
        "schema": 1,
        "kind": "start",
        "engine": "0.1.0",
        "compiler": "GNU 12.2.0",
        "abi": True,
        "library": {"name": "MPICH", "version": "5.0.2", "text": "MPICH Version: 5.0.2", "standard": "5.0"},
        "ranks": scenario.ranks,
        "nodes": 1,
        "points": points,
        "order": "shuffled",
        "seed": scenario.seed + number,
        "started_unix_ns": 1_767_323_046_000_000_000 + number * 6_000_000_000,
        "arguments": ["groma-engine", "--plan", "plan.json"],
        "oversubscribed": scenario.oversubscribed,
        "launcher": "hydra",
        "clocks": [
            {"name": "monotonic", "resolution_ns": 1.0, "read_ns": 22.1},
            {"name": "tsc", "refused": "the CPU does not say that its counter is invariant"},
        ],
        "harness": {"call_ns": 12.0, "block_ns": 0.4},
        "limits": {"line_bounce_ns": bounce, "two_flags_ns": 141.0, "bounce_ranks": [0, 1], "handoff": handed},
        "noise": noise,
        "global_clock": [_GLOBAL_CLOCK] if scenario.clocked else [],
        "memory": {"needed_bytes": 268_435_456, "available_bytes": 8_000_000_000},
    }


def _point(
    place: tuple[int, int], point: dict[str, Any], scenario: Scenario, effect: float, random: np.random.Generator
) -> dict[str, Any]:
    operation, size = point["operation"], point.get("bytes", 0)
    repetition_ns = truth_ns(operation, size, scenario.ranks) * effect
    repetitions = max(1, int(np.ceil(20_000 / repetition_ns))) if point["timing"] == "block" else 1
    n = scenario.samples
    factors = np.exp(random.normal(0, scenario.jitter, n)) * (1 + scenario.drift * np.linspace(-0.5, 0.5, n))
    factors *= np.where(random.random(n) < scenario.outliers, random.uniform(3, 30, n), 1.0)
    samples = np.maximum(1, np.rint(repetition_ns * repetitions * factors)).astype(int)
    divisor = 2 if operation == "pingpong" else 1
    moved, messages = _traffic(operation, size, scenario.ranks)
    return {
        "schema": 1,
        "kind": "point",
        "index": place[0],
        "sequence": place[1],
        "point": point,
        "members": list(range(min(scenario.ranks, 64))),
        "member_count": scenario.ranks,
        "hosts": 1,
        "first_call_ns": int(repetition_ns * 25),
        "warmup_ns": [int(repetition_ns * factor) for factor in (3.0, 1.6, 1.2, 1.05)],
        "samples_ns": samples.tolist(),
        "repetitions_per_sample": repetitions,
        "divisor": divisor,
        "bytes_moved": moved,
        "messages": messages,
        **_bus(operation, size, scenario.ranks),
        "median_ns": round(float(np.median(samples)) / repetitions / divisor, 3),
        "half_width": 0.01 if n >= 6 else None,
        "stopped_by": "precision",
        "validated": scenario.validated and operation != "barrier",
        "checked_elements": size,
        **_ranks_apart(operation, scenario),
        "elapsed_ns": int(samples.sum()) + 1_000_000,
    }


def _bus(operation: str, size: int, ranks: int) -> dict[str, Any]:
    """What algorithm and bus bandwidth are reckoned of."""
    known = {
        "bcast": (size, 1.0),
        "allreduce": (size, 2 * (ranks - 1) / ranks),
        "alltoall": (ranks * size, (ranks - 1) / ranks),
    }
    total, factor = known.get(operation, (None, None))
    return {"algorithm_bytes": total, "bus_factor": factor}


def _ranks_apart(operation: str, scenario: Scenario) -> dict[str, Any]:
    """What a global clock adds to the record of a collective."""
    if not scenario.clocked or operation in {"pingpong", "stream", "message_rate"}:
        return {"invalid": 0, "window_ns": None, "lead_ns": None, "skew_ns": None, "clock_error": None}
    skew = {
        "arrival": [10, 40, scenario.arrival_skew_ns, 800, 900],
        "completion": [300, 310, 320, 330, 340],
        "invariant_excess": 0,
    }
    error = {"before_ns": 70.0, "after_ns": 85.5, "limit_ns": 1000.0, "valid": scenario.clock_valid}
    error["bound_ns"] = scenario.clock_bound_ns
    return {
        "invalid": scenario.invalid,
        "window_ns": None,
        "lead_ns": 5200,
        "skew_ns": skew,
        "clock_error": error,
    }


def _traffic(operation: str, size: int, ranks: int) -> tuple[int, int]:
    return {
        "pingpong": (2 * size, 2),
        "stream": (WINDOW * size, WINDOW),
        "message_rate": (WINDOW * size * (ranks // 2), WINDOW * (ranks // 2)),
        "alltoall": ((ranks - 1) * size, 0),
        "barrier": (0, 0),
    }.get(operation, (size, 0))


def _nodes(scenario: Scenario) -> dict[str, Any]:
    cpus = scenario.ranks if not scenario.oversubscribed else max(1, scenario.ranks // 2)
    node = {
        "name": "node01",
        "ranks": scenario.ranks,
        "kernel": "6.1.0-18-amd64",
        "cpu_model": "Example CPU @ 2.60GHz",
        "cpus": cpus,
        "numa_nodes": 1,
        "memory_bytes": 16_000_000_000,
        "last_level_cache_bytes": 33_554_432,
        "governor": "performance",
        "smt": False,
        "clock_source": "tsc",
        "virtual_machine": False,
    }
    ranks = [
        {"rank": rank, "node": 0, "allowed_cpus": str(rank % cpus) if scenario.pinned else f"0-{cpus - 1}",
         "cpu": rank % cpus, "numa_node": 0}
        for rank in range(scenario.ranks)
    ]  # fmt: skip
    return {"schema": 1, "nodes": [node], "ranks": ranks}


_GLOBAL_CLOCK = {
    "clock": "monotonic",
    "method": "hca3",
    "shared_on_host": True,
    "bound_ns": 96.0,
    "offset_ns": 1250.0,
    "residual_ns": 60.0,
    "drift_ppm": 0.4,
    "messages_per_rank": 2000,
    "took_ns": 510_000_000,
}
_CLOCK_AT_THE_END = {"clock": "monotonic", "synchronised": 2, "offset_ns": 1252.0, "drift_ppm": -0.42}


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=1) + "\n")
