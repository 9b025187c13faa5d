"""One-sided operations: what they deliver in windows of every kind, and faults in what they deliver."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import catalogue, fails_alone

from benchmarks.fidelity import calls
from benchmarks.fidelity.shared import build
from engine import preloaded

pytestmark = pytest.mark.mpi

WINDOWS = ("created", "allocated", "shared", "dynamic")
RANKS = [2, 3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]


def reaching(library: beds.Library) -> list[dict[str, Any]]:
    """Return the operations with a window that the library has."""
    return [one for one in catalogue(library)["operations"] if "rma_window" in one["uses"] and not one["lacks"]]


def is_sound(library: beds.Library, operation: str, window: str) -> bool:
    """Tell whether the library itself does an operation in a window of this kind.

    Open MPI 4.1.4 crashes in one; MPICH 4.0 reaches another rank in windows of 8 bytes.
    """
    if window != "allocated":
        return True
    kind = operation.partition("/")[0]
    wrong = {
        "fetch_and_op": ["small_window_alone"],
        "compare_and_swap": ["small_window_alone", "compare_and_swap_alone"],
    }
    return not any(fails_alone(library.name, program, 2) for program in wrong.get(kind, ()))


def payload(operation: dict[str, Any]) -> dict[str, Any]:
    """Return a message that an operation can have, in few repetitions; several calls in an epoch where it can."""
    few: dict[str, Any] = {"stop": "reps", "repetitions": 4}
    if "bytes" in operation["uses"] and operation["defaults"].get("datatype") != "int64":
        few["bytes"] = 1008  # MPICH 4.0 reaches another rank in windows that are no multiple of 16 bytes
    if "epoch_calls" not in operation["uses"]:
        return few
    own_places = {} if "compare_and_swap" in operation["name"] else {"epoch_source": "separate"}
    return few | {"epoch_calls": 3} | own_places | ({"epoch_lock": "exclusive"} if has_lock(operation) else {})


def has_lock(operation: dict[str, Any]) -> bool:
    """Tell whether the epoch of an operation is one of MPI_Win_lock."""
    return bool(operation["name"].endswith("/lock"))


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("window", WINDOWS)
def test_every_window_delivers_the_right_bytes(library: beds.Library, tmp_path: Path, window: str, ranks: int) -> None:
    operations = [one for one in reaching(library) if is_sound(library, one["name"], window)]
    points = [{"operation": one["name"], "rma_window": window, "check": True, **payload(one)} for one in operations]
    launch = launch_plan(library, ranks, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    measured = {record["index"]: record for record in launch.of_kind("point")}
    assert sorted(measured) == list(range(len(points)))
    checked = {one["name"]: bool(one["validation"]) for one in operations}
    assert all(record["validated"] is checked[record["point"]["operation"]] for record in measured.values())


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", RANKS)
def test_a_missing_element_is_caught_in_every_call(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    able = [one for one in reaching(library) if one["validation"]]
    assert len(able) > 40
    points = [{"operation": one["name"], **payload(one)} for one in able]
    launch = launch_plan(library, ranks, tmp_path, points, preload=preloaded.build(library, "one_sided", tmp_path))
    assert launch.result.exit_code == 1, launch.report()
    caught = {failure["index"]: failure["reason"] for failure in launch.of_kind("failure")}
    missed = [able[at]["name"] for at in range(len(able)) if caught.get(at) != "wrong_data"]
    assert not missed
    assert launch.of_kind("point") == []


@pytest.mark.one_case
@pytest.mark.parametrize("operation", ["put/flush", "get/flush", "accumulate/flush", "get_accumulate/flush"])
@pytest.mark.parametrize(("source", "places"), [("one", 1), ("separate", 3)])
def test_calls_of_an_epoch_read_one_message_or_one_each(
    library: beds.Library, tmp_path: Path, operation: str, source: str, places: int
) -> None:
    point = {"operation": operation, "epoch_calls": 3, "epoch_source": source, "bytes": 1008, "check": True}
    preload, variables = build(library.mpicc, calls.SOURCE, tmp_path), {"GROMA_CALLS": str(tmp_path / "rank")}
    launch = launch_plan(library, 2, tmp_path, [point], preload=preload, variables=variables)
    assert launch.result.exit_code == 0, launch.report()
    called = operation.partition("/")[0].capitalize()
    (kind,) = (one for one in calls.read((tmp_path / "rank.0").read_text()) if one.function == called)
    assert kind.calls >= 3 * 3
    assert kind.facts["receive buffers" if operation.startswith("get/") else "send buffers"] == places


@pytest.mark.one_case
def test_places_under_rotation_are_in_one_window(library: beds.Library, tmp_path: Path) -> None:
    rotated = {"cache": "rotate", "timing": "call", "stop": "reps", "repetitions": 50, "check": True, "bytes": 1 << 16}
    points = [
        {"operation": operation, "rma_window": window, **rotated}
        for operation in ("put/flush", "get/flush", "accumulate/fence")
        for window in WINDOWS
    ]
    launch = launch_plan(library, 2, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    assert len(launch.of_kind("point")) == len(points)


LATE_NS = 3e6


@pytest.mark.parametrize(
    ("operation", "late", "parts"),
    [
        ("phases/put/fence", "none", ()),
        ("phases/put/fence", "close", ("late",)),
        ("phases/put/pscw", "post", ("open", "close")),  # a library may wait for the post in either
        ("phases/put/lock", "close", ("late",)),
        ("phases/put_from_one/pscw", "post", ("open", "close")),
        ("phases/put_to_one/pscw", "wait", ("late",)),
        ("phases/put_to_one/pscw", "close", ("close",)),
        ("phases/put_to_one/pscw_test", "close", ("close",)),
    ],
)
def test_a_late_call_is_seen_in_one_part(
    library: beds.Library, tmp_path: Path, operation: str, late: str, parts: tuple[str, ...]
) -> None:
    point = {"operation": operation, "late_call": late, "late_us": LATE_NS / 1e3, "stop": "reps", "repetitions": 20}
    launch = launch_plan(library, 2, tmp_path, [point])
    assert launch.result.exit_code == 0, launch.report()
    (record,) = launch.of_kind("point")
    phases = record["phases_ns"]
    assert list(phases) == ["open", "calls", "late", "close"]
    assert all(map(operator.le, map(sum, zip(*phases.values(), strict=True)), record["samples_ns"]))
    least = {name: min(times) for name, times in phases.items()}  # a busy machine may delay any of them
    late_ns = map(sum, zip(*(phases[name] for name in parts), strict=True))
    assert max(late_ns, default=0) >= 0.9 * LATE_NS * bool(parts)
    assert all(time < LATE_NS / 2 for name, time in least.items() if name not in parts), least


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("put/flush", "--rma_window", "allocated", "--cache", "flush", "--timing", "call"),
            "cache=flush of put/flush",
        ),
        (("put/flush", "--touch", "write"), "touch=write of put/flush can't be: another rank may reach the array"),
        (("accumulate/fence", "--reduction", "null"), "reduction=null of accumulate/fence can't be"),
        (("fetch_and_op/flush", "--bytes", "16"), "fetch_and_op/flush acts on one element; use bytes=8 with"),
        (("put/flush", "--epoch_lock", "exclusive"), "epoch_lock=exclusive of put/flush can't be: its epoch is not"),
        (("compare_and_swap/flush", "--epoch_calls", "2", "--epoch_source", "separate"), "its calls take turns with"),
        (
            ("put/flush", "--epoch_calls", "2", "--epoch_source", "separate", "--cache", "rotate", "--timing", "call"),
            "epoch_source=separate of put/flush needs cache=warm",
        ),
        (("put/flush", "--timing", "cycle", "--sync", "barrier"), "timing=cycle of put/flush needs sync=none"),
        (("compare_and_swap/lock", "--datatype", "double"), "compare_and_swap is defined for whole numbers"),
    ],
)
def test_what_cannot_be_is_refused(embedded: beds.Library, words: tuple[str, ...], says: str) -> None:
    checked = beds.run([str(embedded.engine), "--check", "--ranks", "2", *words])
    assert checked.exit_code == 2
    assert says in checked.errors
