"""A run directory of any size, as the engine and the front end leave it: what a scale benchmark reads.

Lines are made from a text of one record by putting in numbers: a million records take a minute.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.results.checksum import sealed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RANKS = 4
_OPERATIONS = (
    "pingpong",
    "exchange",
    "sendrecv",
    "allreduce",
    "bcast",
    "reduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
)
_SIZES = tuple(2**exponent for exponent in range(3, 23))
_MARK = "@"


def make_run(directory: Path, points: int, launches: int, samples: int, seed: int = 7) -> Path:
    """Write a complete run of this many points, launches and samples of a record; return its directory."""
    plan = list(itertools.islice(_points(), points))
    (directory / "launches").mkdir(parents=True)
    _write(directory / "run.json", _run_document(plan, launches, seed))
    lines = [_template(index, point) for index, point in enumerate(plan)]
    plan_text = json.dumps({"schema": 1, "order": "shuffled", "seed": seed, "points": plan})
    for number in range(1, launches + 1):
        folder = directory / "launches" / f"{number:03}"
        folder.mkdir()
        random = np.random.default_rng([seed, number])
        (folder / "plan.json").write_text(plan_text)
        _write(folder / "launch.json", _launch_document(number, len(plan)))
        _write(folder / "nodes.json", _NODES)
        with (folder / "points.jsonl").open("wb") as file:
            file.write(_sealed(json.dumps(_start(len(plan), seed))))
            for sequence, index in enumerate(random.permutation(len(plan)).tolist()):
                file.write(_sealed(_line(lines[index], sequence, _time_ns(plan[index]), samples, random)))
            file.write(_sealed(json.dumps(_end(len(plan)))))
    return directory


def _points() -> Iterator[dict[str, Any]]:
    """Yield points of ten operations at twenty sizes with more and more settings."""
    common = {
        "pattern": "all", "ranks": 0, "datatype": "byte", "reduction": "sum", "window": 64, "clock": "monotonic",
        "timing": "call", "sync": "dissemination", "reduce": "max", "root": "fixed", "root_rank": 0, "stop": "ci",
        "repetitions": 100, "min_repetitions": 10, "max_repetitions": 1000, "precision": 0.01, "slot_s": 0.05,
        "warmups": 10, "block": 0, "check": True, "limit_s": 60.0,
    }  # fmt: skip
    for alignment in itertools.count(1):
        for cache in ("warm", "rotate", "sweep", "flush"):
            for name, size in itertools.product(_OPERATIONS, _SIZES):
                own = {"operation": name, "bytes": size, "cache": cache, "buffers": "separate"}
                yield own | common | {"alignment": 64 * alignment, "receive_offset": 1088}


def _time_ns(point: dict[str, Any]) -> float:
    return 400.0 + int(point["bytes"]) / 8


def _template(index: int, point: dict[str, Any]) -> list[str]:
    """Return the text of a point's record in parts, between which its numbers stand."""
    record = {
        "schema": 1, "kind": "point", "index": index, "sequence": _MARK, "point": point,
        "members": list(range(RANKS)), "member_count": RANKS, "groups": 1, "group_ranks": RANKS,
        "message_bytes": point["bytes"], "hosts": 1, "first_call_ns": 30000, "warmup_ns": [3000, 2000, 1500, 1300],
        "samples_ns": _MARK, "repetitions_per_sample": 1, "divisor": 1, "bytes_moved": point["bytes"], "messages": 0,
        "algorithm_bytes": point["bytes"], "bus_factor": 1.5, "ranks_ns": None, "median_ns": _MARK,
        "half_width": 0.01, "stopped_by": "precision", "validated": True, "checked_elements": point["bytes"],
        "invalid": 0, "window_ns": None, "lead_ns": None, "skew_ns": None, "replaced": {}, "clock_error": None,
        "phases_ns": None, "grid": None, "elapsed_ns": 1000000, "state": "steady", "steady_from": 0, "segments": [],
        "discarded_ns": [], "calls": None, "verified": True, "block_short": False,
    }  # fmt: skip
    return json.dumps(record).split(json.dumps(_MARK))


def _line(parts: list[str], sequence: int, time_ns: float, samples: int, random: np.random.Generator) -> str:
    times = np.rint(time_ns * (1 + 0.03 * random.standard_normal(samples))).astype(np.int64)
    before, middle, after, end = parts
    return f"{before}{sequence}{middle}{times.tolist()}{after}{float(np.median(times))}{end}"


def _sealed(record: str) -> bytes:
    return sealed(record.encode()) + b"\n"


def _run_document(plan: list[dict[str, Any]], launches: int, seed: int) -> dict[str, Any]:
    return {
        "schema": 1, "name": "scale", "profile": None, "groma": "0.1.0", "created": "2026-01-02T03:04:05+00:00",
        "finished": "2026-01-02T05:05:01+00:00", "state": "complete", "command": ["groma", "run"], "host": "node01",
        "seed": seed, "launches": launches, "rank_counts": [RANKS], "plan": {"order": "shuffled", "points": plan},
        "library": {"name": "MPICH", "version": "5.0.2", "engine_path": "groma-engine", "launcher": "mpiexec"},
    }  # fmt: skip


def _launch_document(number: int, points: int) -> dict[str, Any]:
    return {
        "schema": 1, "number": number, "ranks": RANKS, "command": ["mpiexec", "groma-engine", "--plan", "plan.json"],
        "started": "2026-01-02T03:04:06+00:00", "finished": "2026-01-02T03:04:11+00:00", "exit_code": 0,
        "points": points, "wall_s": 70.0,
        "build": {"engine": "7d793037a0760186", "library": "5d41402abc4b2a76", "library_path": "/opt/libmpi.so.12"},
    }  # fmt: skip


def _start(points: int, seed: int) -> dict[str, Any]:
    handed = [{"ranks": [0, 1], "bytes": size, "ns": 64 + size / 38.0, "stream_ns": 4 + size / 38.0} for size in _SIZES]
    return {
        "schema": 1, "kind": "start", "engine": "0.1.0", "library": {"name": "MPICH", "version": "5.0.2"},
        "ranks": RANKS, "nodes": 1, "points": points, "order": "shuffled", "seed": seed, "arguments": [],
        "clocks": [{"name": "monotonic", "resolution_ns": 1.0, "read_ns": 20.0}],
        "harness": {"call_ns": 2.0, "block_ns": 0.5},
        "limits": {"line_bounce_ns": 60.0, "two_flags_ns": 140.0, "bounce_ranks": [0, 1], "handoff": handed},
    }  # fmt: skip


def _end(points: int) -> dict[str, Any]:
    load = [{"node": 0, "name": "node01", "foreign_cores": 0.02, "own_cores": 3.98}]
    return {"schema": 1, "kind": "end", "points": points, "failures": 0, "elapsed_ns": 68_000_000_000, "load": load}


_NODES = {
    "schema": 1,
    "nodes": [{"name": "node01", "ranks": RANKS, "kernel": "6.1", "cpu_model": "Example CPU", "cpus": RANKS}],
    "ranks": [{"rank": rank, "node": 0, "allowed_cpus": str(rank), "cpu": rank} for rank in range(RANKS)],
}


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document) + "\n")
