"""Every operation of the catalogue runs and delivers the right bytes, at every rank count, on every MPI library."""

from __future__ import annotations

import functools
import itertools
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan
from engine.preloaded import build

pytestmark = pytest.mark.mpi

RANK_COUNTS = (1, 2, 3, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (4, 5)))
# One element, few that no rank count divides, an odd number beyond the eager limits; every datatype.
Lengths = tuple[tuple[str, int], ...]
LENGTHS: Lengths = (
    ("byte", 1),
    ("char", 13),
    ("int32", 28),
    ("float", 44),
    ("double", 56),
    ("int64", 104),
    ("complex", 104),
    ("double_complex", 208),
    ("2int", 104),
    ("double_int", 208),
    ("byte", 200_003),
)
# Forms have the arguments of their blocking operation, which has all lengths.
FORM_LENGTHS: Lengths = (("char", 13), ("double", 56), ("byte", 200_003))
ELEMENT_BYTES = {"byte": 1, "char": 1, "int32": 4, "int64": 8, "float": 4, "double": 8}
ELEMENT_BYTES |= {"complex": 8, "double_complex": 16, "2int": 8, "double_int": 16}
REDUCTIONS = {
    "byte": ("band",),
    "char": ("sum", "max"),  # not MPI, but every library computes it: OSU relies on that
    "int32": ("sum", "max", "band", "user"),
    "int64": ("sum", "band"),
    "float": ("sum", "max"),
    "double": ("sum", "max", "user"),
    "complex": ("sum",),
    "double_complex": ("sum", "user"),
    "2int": ("minloc", "maxloc"),
    "double_int": ("minloc", "maxloc"),
}

MOST_POINTS = 1500  # of one launch

# Others of Intel MPI, which it takes on a Xeon, write between the elements of a layout.
ALGORITHMS = {"intel": {"I_MPI_ADJUST_REDUCE": "1", "I_MPI_ADJUST_ALLREDUCE": "1"}}


def catalogue(library: beds.Library) -> dict[str, Any]:
    described = beds.run([str(library.engine), "--describe"], environment=library.environment())
    assert described.exit_code == 0, described.errors
    document: dict[str, Any] = json.loads(described.output)
    return document


def payloads(operation: dict[str, Any], lengths: Lengths) -> Iterator[dict[str, Any]]:
    """Yield what to send: every length in its datatype, with every reduction that is legal on it."""
    uses = operation["uses"]
    if "bytes" not in uses:
        yield {}
        return
    if operation["defaults"].get("datatype") == "double":  # it computes with its elements
        lengths = (("double", 56), ("double", 40_040))
    if operation["defaults"].get("datatype") == "int64":  # it acts on one element
        whole = "reduction" not in uses
        lengths = (("int64", 8), ("byte", 1), ("int32", 4)) + (() if whole else (("float", 4), ("double", 8)))
    if operation["name"].startswith("type_") or "file_folder" in uses:  # without the gap in each of these
        lengths = tuple(length for length in lengths if length[0] != "double_int")
    if operation["name"] == "pack_external":
        lengths = tuple(length for length in lengths if length[0] not in ("2int", "double_int"))
    for datatype, length_bytes in lengths:
        payload = {"datatype": datatype, "bytes": length_bytes}
        if "reduction" in uses:
            yield from (payload | {"reduction": reduction} for reduction in legal(operation, datatype))
        elif "receive_window" in uses:
            yield from (payload | {"receive_window": places} for places in ("separate", "one"))
        elif "exchange_places" in uses:
            yield from (payload | {"exchange_places": places} for places in ("received", "sent"))
        else:
            yield payload


def legal(operation: dict[str, Any], datatype: str) -> list[str]:
    """Return the reductions of a type; one-sided calls take those of MPI alone."""
    return [name for name in REDUCTIONS[datatype] if name != "user" or "rma_window" not in operation["uses"]]


def laid_out(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return messages of one element, of few, and of many for a derived datatype; with every legal reduction."""
    uses = operation["uses"]
    reduces = "reduction" in uses
    lengths: Lengths = (("int32", 60), ("float", 28), ("double_int", 208), ("double", 40_040))
    lengths = (("char" if reduces else "byte", 1), *lengths)
    if operation["defaults"].get("datatype") == "double":  # it computes with its elements
        lengths = lengths[-1:]
    if operation["name"] == "pack_external" or "file_folder" in uses:
        lengths = tuple(length for length in lengths if length[0] != "double_int")
    sent = [
        {"datatype": datatype, "bytes": length} | reduction
        for datatype, length in lengths
        for reduction in ([{"reduction": name} for name in legal(operation, datatype)] if reduces else [{}])
    ]
    return sent + ([sent[-1] | {"buffers": "same"}] if "buffers" in uses else [])


def segments(operation: dict[str, Any], payload: dict[str, Any]) -> dict[str, Any]:
    """Return a number of equal parts: the LENGTHS are primes of elements, so it is all of them, or one."""
    parts = {"segments", "partitions", "file_parts"}.intersection(operation["uses"])
    if not parts:
        return {}
    elements = payload["bytes"] // ELEMENT_BYTES[payload["datatype"]]
    return {parts.pop(): elements if elements < 100 else 1}


def swap_forms(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every legal order of a swap, with and without overlap."""
    swap = operation["swap"]
    orders = ("ordered", "simple", "delayed") if swap["alike"] else ("ordered",)
    overlaps = (False, True) if swap["overlaps"] else (False,)
    return [{"swap_order": order, "swap_overlap": overlap} for order in orders for overlap in overlaps]


def takes_turns(
    payloads: list[dict[str, Any]], forms: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pair every payload with one form, and every form with a long payload that can be cut."""
    long = {"datatype": "double", "bytes": 240_240}
    return [*zip(payloads, itertools.cycle(forms), strict=False), *((long, form) for form in forms)]


def cut(payload: dict[str, Any]) -> dict[str, int]:
    """Return the smallest number above one into which a swap's elements can be cut, or one."""
    elements = payload["bytes"] // ELEMENT_BYTES[payload["datatype"]]
    return {"swap_messages": next((n for n in range(2, 100) if elements % n == 0), 1)}


def delivered(library: beds.Library) -> list[dict[str, Any]]:
    """Return the operations of the catalogue that need the library alone, and that it does right."""
    # MPICH 4.0 exchanges the two faces of a periodic dimension of two ranks (MPI-4.1, 8.6 says which is which).
    wrong = {"halo/neighbourhood"} if library.name == "mpich" else set()
    able = [operation for operation in catalogue(library)["operations"] if not operation["lacks"]]
    able = [operation for operation in able if not operation["nccl"]]
    # Launchers may refuse these: test_started_processes.py.
    able = [one for one in able if not re.search("spawn|Comm_connect|Publish_name", one["calls"])]
    able = [operation for operation in able if not (is_persistent(operation) and persistent_fails(library.name))]
    for name, program in (("file_iread_shared", "iread_shared_alone"), ("file_preallocate", "preallocate_alone")):
        # Open MPI 4.1 sometimes never ends these, so that the program alone may end.
        if library.name == "openmpi" or fails_alone(library.name, program, 4):
            wrong.add(name)
    if library.name == "openmpi5":  # it hangs unless all ranks take part: test_partitioned.py
        wrong |= {one["name"] for one in able if "MPI_Psend_init" in one["calls"]}
    return [operation for operation in able if operation["name"] not in wrong]


def in_launches(operations: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Split operations into those that one launch can measure on every library.

    After a persistent collective, one-sided calls of Intel MPI 2021.18 die of a signal or deliver wrong data; Open MPI
    4.1 makes no window where ranks have several threads.
    """
    apart = [[one for one in operations if use in one["uses"]] for use in ("rma_window", "threads")]
    others = [one for one in operations if one not in itertools.chain(*apart)]
    return [part for part in (others, *apart) if part]


def is_persistent(operation: dict[str, Any]) -> bool:
    """Tell whether this is a collective whose request is made once."""
    name = operation["name"]
    return bool(operation["form_of"]) and name.endswith("_init") and not name.startswith("fresh/")


@functools.cache
def fails_alone(name: str, program: str, ranks: int) -> bool:
    """Tell whether a library fails in a small program of its own, such as persistent_alone.c."""
    library = beds.libraries()[name]
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "program"
        made = beds.run([library.mpicc, str(Path(__file__).with_name(f"{program}.c")), "-o", str(built)])
        assert made.exit_code == 0, made.errors
        return library.run(ranks, folder, engine=built).exit_code != 0  # they may leave files there


def persistent_fails(name: str) -> bool:
    """Tell whether a library's persistent gather delivers what the array held when it was made (Intel MPI 2021.18)."""
    return fails_alone(name, "persistent_alone", 1)


def threads_fail(name: str) -> bool:
    """Tell whether a library's collectives fail in two threads at once (Intel MPI 2021.18, on one host)."""
    return fails_alone(name, "threads_alone", 3)


@functools.cache
def one_sided(name: str) -> frozenset[str]:
    """Return a library's operations with a window."""
    operations = catalogue(beds.libraries()[name])["operations"]
    return frozenset(one["name"] for one in operations if "rma_window" in one["uses"])


def crashes(library: beds.Library, point: dict[str, Any]) -> bool:
    """Tell whether the library itself fails in a legal call; MPICH 4.0 reads through MPI_IN_PLACE at the root."""
    if any(fails_alone(library.name, program, 2) for program in suspected(library, point)):
        return True
    reduced = point["operation"] in ("reduce", "reduce_c", "reduce_then_barrier") and "layout" in point
    return library.name == "mpich" and reduced and point.get("buffers") == "same"


def suspected(library: beds.Library, point: dict[str, Any]) -> Iterator[str]:
    """Yield the programs of their own in which libraries fail that have a fault in this call."""
    operation, datatype = point["operation"], point.get("datatype")
    laid_out = point.get("layout", "contiguous") != "contiguous"
    if operation == "isendrecv_replace" and laid_out:  # MPICH 5 and Intel MPI replace other elements
        yield "replaced_alone"
    if operation == "pingpong_buffered_persistent" and point.get("bytes", 0) > 4000:  # Open MPI 4.1 sends them too late
        yield "buffered_alone"
    if "accumulate" in operation and datatype in ("complex", "double_complex", "double_int"):  # Open MPI adds wrong
        yield "accumulate_alone"
    if "get_accumulate" in operation and datatype == "double_int":  # Intel MPI leaves wrong pairs
        yield "get_accumulate_pairs_alone"
    if "get_accumulate" in operation and laid_out:  # Open MPI 4.1 fetches wrong data
        yield "get_accumulate_alone"
    partitioned = "partitioned/" in operation and not operation.endswith("/isends")
    if partitioned and datatype == "double_int":  # Open MPI 5.0 loses the end
        yield "partitioned_alone"
    if datatype == "int64" and point.get("reduction") == "band" and re.search("_op|accumulate", operation):
        yield "band_alone"  # Open MPI 5.0 does nothing
    if laid_out and operation in one_sided(library.name):  # Open MPI 5.0 dies after them
        yield "derived_windows_alone"


def points(operations: list[dict[str, Any]], ranks: int, lengths: Lengths) -> list[dict[str, Any]]:
    """Return every operation with every payload, its root going round, and once with call timing."""
    chosen: list[dict[str, Any]] = []
    for operation in operations:
        if operation["min_ranks"] > ranks:
            continue
        uses = operation["uses"]
        settings: dict[str, Any] = {"root": "rotate", "root_rank": ranks - 1} if "root" in uses else {}
        settings |= {"window": 3} if "window" in uses else {}
        settings |= {"targets": ranks - 1} if "targets" in uses else {}
        settings |= {"dimensions": 2} if "dimensions" in uses else {}
        settings |= {"tests": 2} if "tests" in uses else {}
        settings |= {"threads": 1} if "threads" in uses else {}  # more of them: test_threads_at_once.py
        brief = {"stop": "reps", "repetitions": 12} if operation["form_of"] else {}
        settings |= brief
        if brief and ranks > 3:  # the arguments are those of the blocking operation, which has all of the following
            size = {} if "bytes" not in uses or operation["defaults"].get("datatype") == "int64" else {"bytes": 1000}
            chosen.append({"operation": operation["name"], **settings, **size})
            continue
        sent = [*payloads(operation, FORM_LENGTHS if brief else lengths)]
        if operation["swap"]:
            sent = [payload | form | cut(payload) for payload, form in takes_turns(sent, swap_forms(operation))]
        chosen += [
            {"operation": operation["name"], **settings, **payload, **segments(operation, payload)} for payload in sent
        ]
        if "dimensions" in uses:
            chosen += [{"operation": operation["name"], "dimensions": count, "bytes": 1000} for count in (1, 3)]
        if "imbalance" in uses:
            uneven = {"operation": operation["name"], "datatype": "int32"}
            chosen += [uneven | {"bytes": size, "imbalance": share} for size in (4, 1000) for share in (0.0, 0.25, 1.0)]
        if "layout" in uses:
            chosen += [
                {"operation": operation["name"], **settings, "layout": layout} | payload
                for layout in (("struct",) if brief else ("vector", "indexed", "struct"))
                for payload in laid_out(operation)[-2 if brief else 0 :]
            ]
        chosen.append({"operation": operation["name"], "timing": "call", **brief})
        if "allocation" in uses:
            chosen.append({"operation": operation["name"], "allocation": "mpi", **brief})
    return chosen


@pytest.mark.parametrize("ranks", RANK_COUNTS)
def test_every_operation_delivers_the_right_bytes(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    # Calls on files are slow; test_files.py has those of every library.
    operations = [one for one in delivered(library) if library.name == "embedded" or "file_folder" not in one["uses"]]
    validated = {operation["name"]: bool(operation["validation"]) for operation in operations}
    parts: list[list[dict[str, Any]]] = []
    for apart in in_launches(operations):
        asked = points(apart, ranks, LENGTHS if ranks <= 3 else LENGTHS[-2:])
        asked = [point for point in asked if not crashes(library, point)]
        parts += (asked[at : at + MOST_POINTS] for at in range(0, len(asked), MOST_POINTS))
    for part in parts:
        (folder := tmp_path / part[0]["operation"].replace("/", "-")).mkdir()
        launch = launch_plan(library, ranks, folder, part, variables=ALGORITHMS.get(library.name))
        assert launch.result.exit_code == 0, launch.report()
        assert launch.of_kind("failure") == []
        measured = {record["index"]: record for record in launch.of_kind("point")}
        assert sorted(measured) == list(range(len(part)))
        for index, point in enumerate(part):
            record = measured[index]
            assert record["point"].items() >= point.items()
            assert record["validated"] is validated[point["operation"]], record
            if ranks > 1:  # one rank's exscan delivers nothing
                assert (record["checked_elements"] > 0) is validated[point["operation"]], record
            assert all(sample_ns >= 0 for sample_ns in record["samples_ns"])


def test_every_pattern_delivers_the_right_bytes(library: beds.Library, tmp_path: Path) -> None:
    ranks = 5
    arguments = {"": "", "k": "=2", "ranks": "=4,1", "seed": "=3"}
    patterns = [pattern["name"] + arguments[pattern["argument"]] for pattern in catalogue(library)["patterns"]]
    # One node has none of these; tests/engine/test_alcf_nodes.py has two.
    pairs = [name for name in patterns if name not in ("all", "farthest", "internode", "bisection")]
    asked: list[dict[str, Any]] = [{"operation": "pingpong", "pattern": name, "bytes": 1000} for name in pairs]
    asked += [{"operation": "bcast", "pattern": name, "bytes": 1000} for name in ("all", "first_two", "list=4,2,0")]
    launch = launch_plan(library, ranks, tmp_path, asked)
    assert launch.result.exit_code == 0, launch.report()
    measured = {record["index"]: record for record in launch.of_kind("point")}
    assert sorted(measured) == list(range(len(asked)))
    assert all(record["validated"] for record in measured.values())
    members = {point["pattern"]: measured[index]["members"] for index, point in enumerate(asked[: len(pairs)])}
    assert members["first_two"] == [0, 1]
    assert members["first_last"] == [0, 4]
    assert members["list=4,1"] == [4, 1]


def test_a_source_that_is_ahead_delivers_no_wrong_data(embedded: beds.Library, tmp_path: Path) -> None:
    """Rank 2 has all messages of a repetition, and sends of the next, before rank 0 has sent to rank 3."""
    asked = {"operation": "targets_any_source", "targets": 2, "window": 1, "bytes": 8, "check": True, "block": 20}
    late = {"GROMA_SLOW_SENDER": "0", "GROMA_SLOW_TO": "3", "GROMA_ISEND_NS": "5000000"}
    apart = build(embedded, "apart", tmp_path)
    launch = launch_plan(embedded, 4, tmp_path, [asked], preload=apart, variables=late)
    assert launch.result.exit_code == 0, launch.report()
    assert launch.of_kind("failure") == []
    assert [record["checked_elements"] for record in launch.of_kind("point")] == [4 * 2 * 8]


def test_every_rank_can_be_recorded(library: beds.Library, tmp_path: Path) -> None:
    point = {"bytes": 4096 * 80, "segments": 64, "per_rank": True, "reduce": "max"}
    asked: list[dict[str, Any]] = [{"operation": "bcast_segmented", **point}, {"operation": "bcast_segmented"}]
    launch = launch_plan(library, 3, tmp_path, asked)
    assert launch.result.exit_code == 0, launch.report()
    recorded, unrecorded = launch.of_kind("point")
    assert recorded["checked_elements"] == 3 * 4096 * 80
    assert [len(times) for times in recorded["ranks_ns"]] == [3, 3, 3]
    assert [max(times) for times in zip(*recorded["ranks_ns"], strict=True)] == recorded["samples_ns"]
    assert unrecorded["ranks_ns"] is None


def sent_to_parts(operation: dict[str, Any], turn: int) -> list[dict[str, Any]]:
    """Return what to send in parts of the world: bytes, and doubles in one of the operation's layouts."""
    if "bytes" not in operation["uses"] or operation["defaults"].get("datatype") == "int64":
        return [{}]
    layouts = ("vector", "indexed", "struct") if "layout" in operation["uses"] else ()
    plain = {"bytes": 200, "bytes_of": "total"}
    return [plain, *({"bytes": 120, "datatype": "double", "layout": layouts[turn % 3]} for _ in layouts[:1])]


@pytest.mark.parametrize(
    "ranks", [2, pytest.param(3, marks=pytest.mark.slow), 4, pytest.param(5, marks=pytest.mark.slow)]
)
def test_every_communicator_delivers_the_right_bytes(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    described = catalogue(library)
    sizes = {"copy": ranks, "world": ranks, "world-1": ranks - 1, "half": ranks // 2, "node": ranks}
    left_out = {"leaders"} | {name for name, size in sizes.items() if size < 2}
    communicators = [one["name"] for one in described["communicators"] if one["name"] not in left_out]
    by_groups = [one for one in delivered(library) if one["defaults"].get("pattern", "all") == "all"]
    few = {"stop": "reps", "repetitions": 6}
    asked = [
        {"operation": operation["name"], "communicator": communicator.replace("groups", "groups=2"), **few, **payload}
        for turn, communicator in enumerate(communicators)
        for operation in by_groups
        if operation["min_ranks"] <= ranks // 2
        for payload in sent_to_parts(operation, turn)[: 1 if ranks > 4 or operation["form_of"] else None]
    ]
    asked = [point for point in asked if not crashes(library, point)]
    # One thread: more need a thread level at which Open MPI 4.1 makes no windows.
    asked = [point | ({"threads": 1} if "threads" in point["operation"] else {}) for point in asked]
    launch = launch_plan(library, ranks, tmp_path, asked, variables=ALGORITHMS.get(library.name))
    assert launch.result.exit_code == 0, launch.report()
    records = launch.of_kind("point")
    assert len(records) == len(asked)
    for record in records:
        groups = 2 if record["point"]["communicator"] == "groups=2" else 1
        each = sizes.get(record["point"]["communicator"], ranks // 2)
        assert (record["groups"], record["group_ranks"]) == (groups, each)
        assert record["member_count"] == groups * each
        if "bytes" in record["point"] and record["point"]["bytes"]:
            element = {"float": 4, "double": 8}.get(record["point"]["datatype"], 1)
            share = (
                200 // each // element * element if record["point"]["bytes_of"] == "total" else record["point"]["bytes"]
            )
            assert record["message_bytes"] == share
        if record["validated"] and record["group_ranks"] > 1:
            assert record["checked_elements"] > 0
