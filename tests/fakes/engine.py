#!/usr/bin/env -S python3 -S -E
"""An engine that measures nothing and speaks the contract (docs/contract.md): tests of the front end need no MPI.

FAKE_ENGINE says how it misbehaves, as `word=number` separated by spaces:

    hang_after=N     after N points it waits until it is ended
    die_after=N      after N points it ends by SIGKILL, with half a record at the end
    refuse=1         bad input: one sentence, exit code 2
    full_after=N     after N points it says that the disk is full, exit code 1
    timeout_at=N     the point with index N exceeds its limit: failure record, exit code 3
    no_samples_at=N  the point with index N has no valid repetition: failure record, exit code 1
    wrong_at=N       the point with index N has wrong data: failure record, exit code 1
    in_launch=N      only in launch N (its plan lies in launches/N)
    version=N        the library calls itself version N
    slower=N         all times are N % longer
    switch_at=N      messages of N bytes or more wait for their receiver, in every launch
    takes=N          its points say that they took N ms, those with more than 1000 bytes ten times as long
    slow_sender=N    streams that rank N sends in a list of pairs take four times as long
    moved=1          its ranks are on other hosts
    noise=1          samples differ from launch to launch, so that intervals are wide

FAKE_PLACES names a file with what this engine says of each CPU of a made machine, as JSON by its number: its ranks are
then on the CPUs and hosts that the launcher was told.

FAKE_ALIVE names a file that is made when it hangs, and FAKE_DESCRIBE a file to print as its description.
"""

from __future__ import annotations

import os
import sys
import time

from quick_json import dumps, loads  # type: ignore[import-not-found]

# Tests start this thousands of times, so it imports little.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    Faults = dict[str, Any]

ROOT = os.path.realpath(__file__).rpartition("/tests/")[0]
CATALOG = f"{ROOT}/src/groma/catalog/catalog.json"
SAMPLES = 20
MS = 1_000_000
POINT_NS = 2 * MS
SIGKILL = 9
HANG_S = 3600


def main() -> int:
    """Do what the arguments say and return the exit code."""
    if sys.argv[1:] == ["--describe"]:
        sys.stdout.write(_description())
        return 0
    if "--check" in sys.argv[1:]:
        return _check()
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    launch = os.path.basename(os.path.dirname(os.path.abspath(options["--plan"])))
    faults = _faults(launch)
    if "refuse" in faults:
        print("groma-engine: the plan does not fit this machine; use fewer bytes", file=sys.stderr)
        return 2
    _write(options["--nodes"], dumps(_nodes()))
    plan = loads(_read(options["--plan"]))
    faults["pairs"] = _pairs(plan["points"], launch, options.get("--pairs", ""), "moved" in faults)
    with open(options["--out"], "w") as out:
        return _measure(plan, out, faults)


def _description() -> str:
    return _read(os.environ.get("FAKE_DESCRIBE", CATALOG))


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _check() -> int:
    """Let the engine of this version judge the plan; say that all is well without one."""
    real = f"{ROOT}/.venv/bin/groma-engine"
    if os.path.exists(real) and "FAKE_DESCRIBE" not in os.environ:  # which may list operations that no engine has
        os.execv(real, [real, *sys.argv[1:]])  # noqa: S606 - as this engine, which imports little
    return 0


def _faults(launch: str) -> Faults:
    words = (word.split("=") for word in os.environ.get("FAKE_ENGINE", "").split())
    faults: Faults = {name: int(number) for name, number in words}
    if "in_launch" in faults and launch != f"{faults['in_launch']:03d}":
        return {name: value for name, value in faults.items() if name == "switch_at"}
    if faults.pop("noise", 0):
        faults["shift"] = int(launch) if launch.isdigit() else 0
    return faults


def _pairs(points: list[dict[str, Any]], number: str, known: str, moved: bool) -> dict[str, list[int]]:
    """Return the pair of each pattern that searches, by its name: the one that was told, or one by the launch."""
    told = dict(one.split("=") for one in known.split(";") if one)
    placement = "other" if moved else "same"
    pairs = {}
    for pattern in dict.fromkeys(point.get("pattern") for point in points):
        if pattern in ("slowest", "farthest"):
            name = f"{pattern}/{_ranks()}/8@{placement}"
            drawn = f"0,{1 + int(number if number.isdigit() else 0) % (_ranks() - 1)}"
            pairs[name] = [int(rank) for rank in told.get(name, drawn).split(",")]
    return pairs


def _search(name: str, pair: list[int]) -> dict[str, Any]:
    what, placement = name.split("@")
    pattern, ranks, size = what.split("/")
    counts = {"ranks": int(ranks), "bytes": int(size), "round_trips": 20, "pairs": 1, "scanned": 1, "took_ns": 1}
    slowest = [{"ranks": pair, "one_way_ns": 1.0}]
    return {"pattern": pattern, "placement": placement, "given": False, "at_once": 1, "slowest": slowest} | counts


def _ranks() -> int:
    return int(os.environ.get("FAKE_RANKS", "2"))


def _nodes() -> dict[str, Any]:
    node = {
        "name": "fake",
        "ranks": _ranks(),
        "kernel": "6.1",
        "cpu_model": "Fake CPU",
        "cpus": 2,
        "numa_nodes": 1,
        "memory_bytes": 1 << 33,
        "last_level_cache_bytes": 1 << 25,
        "governor": "performance",
        "smt": False,
        "clock_source": "tsc",
        "virtual_machine": False,
    }
    ranks = [{"rank": r, "node": 0, "allowed_cpus": str(r), "cpu": r, "numa_node": 0} for r in range(_ranks())]
    if "FAKE_PLACES" not in os.environ:
        return {"schema": 1, "nodes": [node], "ranks": ranks}
    places = loads(_read(os.environ["FAKE_PLACES"]))
    hosts = [host.partition(":")[0] for host in os.environ.get("FAKE_HOSTS", "fake").split(",")]
    cpus = os.environ.get("FAKE_CPUS", ",".join("0" * _ranks())).split(",")
    for rank, cpu in enumerate(cpus):
        ranks[rank] |= {"node": rank % len(hosts), "allowed_cpus": cpu, "cpu": int(cpu)} | places[cpu]
    nodes = [node | {"name": name, "ranks": _ranks() // len(hosts)} for name in hosts]
    return {"schema": 1, "nodes": nodes, "ranks": ranks}


def _completed(value: Any, kind: str, kinds: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever a record holds
    """Return a value of a record with all members of its kind: those that this engine leaves out are empty."""
    if isinstance(value, list):
        return [_completed(one, kind.removeprefix("list of "), kinds) for one in value]
    if value is None or kind not in kinds:
        return value
    full = dict(value)
    for member in kinds[kind]:
        name, held = member["name"], member["type"]
        if name in full:
            full[name] = _completed(full[name], held, kinds)
        elif not member["left_out"]:
            full[name] = None if member["nullable"] else _completed(_empty(held), held, kinds)
    return full


def _empty(kind: str) -> Any:  # noqa: ANN401 - a value of any type
    return {"text": "", "integer": 0, "number": 0.0, "boolean": False}.get(kind, [] if kind.startswith("list") else {})


def _measure(plan: dict[str, Any], out: TextIO, faults: Faults) -> int:
    catalog: dict[str, Any] = loads(_description())
    kinds = {kind["name"]: kind["members"] for kind in catalog["records"]}

    def write(record: dict[str, Any]) -> None:
        out.write(dumps(_completed({"schema": 1} | record, record["kind"], kinds)) + "\n")
        out.flush()

    points = plan["points"]
    write(_start(plan, faults))
    failures = 0
    for index, point in enumerate(points):
        if faults.get("hang_after") == index:
            _hang()
        if faults.get("die_after") == index:
            out.write('{"schema": 1, "kind": "poi')
            out.flush()
            os.kill(os.getpid(), SIGKILL)
        if faults.get("full_after") == index:
            print("groma-engine: points.jsonl could not be written: No space left on device", file=sys.stderr)
            return 1
        if faults.get("timeout_at") == index:
            message = f"{point['operation']} took longer than its limit; rank 1 did not arrive"
            write({"kind": "failure", "index": index, "reason": "timeout", "message": message, "ranks": [1]})
            return 3
        if faults.get("no_samples_at") == index:
            message = f"{point['operation']}: no figure, because 40 of 40 repetitions missed their starts"
            write({"kind": "failure", "index": index, "reason": "no_samples", "message": message, "ranks": []})
            failures += 1
            continue
        if faults.get("wrong_at") == index:
            message = "rank 1, offset 3: expected 7, found 0"
            write({"kind": "failure", "index": index, "reason": "wrong_data", "message": message, "ranks": [1]})
            failures += 1
            continue
        write(_point(index, point, faults, catalog))
    load = [{"node": 0, "name": "fake", "foreign_cores": 0.01, "own_cores": 1.99}]
    write(
        {
            "kind": "end",
            "points": len(points) - failures,
            "failures": failures,
            "elapsed_ns": 0,  # a launch of it may be over in a millisecond
            "load": load,
            "noise": [],
            "global_clock": [],
        }
    )
    return 1 if failures else 0


def _hang() -> None:
    if "FAKE_ALIVE" in os.environ:
        _write(os.environ["FAKE_ALIVE"], str(os.getpid()))
    while True:
        time.sleep(HANG_S)


def _start(plan: dict[str, Any], faults: Faults) -> dict[str, Any]:
    version = faults.get("version", 1)
    text = f"Fake MPI {version}.0"
    return {
        "kind": "start",
        "engine": "0.1.0",
        "compiler": "none",
        "abi": False,
        "library": {"name": "Fake", "version": f"{version}.0", "text": text, "standard": "5.0"},
        "thread_level": {"asked": plan.get("thread_level", "single"), "provided": "multiple"},
        "ranks": _ranks(),
        "nodes": 1,
        "points": len(plan["points"]),
        "order": plan["order"],
        "seed": plan["seed"],
        "started_unix_ns": 0,
        "arguments": sys.argv,
        "oversubscribed": _ranks() > 2,
        "launcher": "fake",
        "clocks": [
            {"name": "monotonic", "resolution_ns": 1.0, "read_ns": 22.0},
            {"name": "tsc", "refused": "not invariant"},
        ],
        "harness": {"call_ns": 12.0, "block_ns": 0.4},
        "limits": {
            "line_bounce_ns": 64.0,
            "two_flags_ns": 141.0,
            "bounce_ranks": [0, 1],
            "handoff": [{"ranks": [0, 1], "bytes": 8, "ns": 64.0, "stream_ns": 4.0}],
        },
        "noise": [
            {"rank": r, "lost_share": 0.0001, "longest_ns": 12000, "detours": 3, "observed_ns": 20000000}
            for r in range(_ranks())
        ],
        "global_clock": [],
        "searches": [_search(name, pair) for name, pair in faults["pairs"].items()],
        "memory": {"needed_bytes": 1024, "available_bytes": 1 << 32},
    }


def _point(index: int, point: dict[str, Any], faults: Faults, catalog: dict[str, Any]) -> dict[str, Any]:
    operation = next(o for o in catalog["operations"] if o["name"] == point["operation"])
    fields = {field["name"]: field["default"] for field in catalog["fields"] if field["scope"] == "point"}
    settings = fields | operation["defaults"] | point
    base = 1000 + settings["bytes"] // 8
    if settings["bytes"] >= faults.get("switch_at", settings["bytes"] + 1):
        base += 100_000 if point["operation"] == "delayed_receiver" else 2000
    base += base * faults.get("slower", 0) // 100
    base += base * (faults.get("shift", 0) * 37 % 11) // 20
    samples = [base + (i * 7) % 13 for i in range(SAMPLES)]
    pairs = {name.split("/")[0]: pair for name, pair in faults["pairs"].items()}
    members = pairs.get(settings["pattern"], list(range(_ranks())))
    if settings["pattern"].startswith("list="):
        members = [int(word) for word in settings["pattern"].removeprefix("list=").split(",")]
    sender = faults.get("slow_sender") if settings["pattern"].startswith("list=") and "window" in point else None
    groups = int(str(settings.get("communicator", "")).partition("groups=")[2] or 1)
    slower = [4 if sender in members[at - at % 2 : at - at % 2 + 1] else 1 for at in range(len(members))]
    return {
        "kind": "point",
        "index": index,
        "sequence": index,
        "point": settings,
        "members": members,
        "member_count": len(members),
        "groups": groups,
        "group_ranks": len(members) // groups,
        "message_bytes": settings["bytes"],
        "hosts": 1,
        "first_call_ns": base * 10,
        "warmup_ns": [base * 2, base],
        "samples_ns": samples,
        "ranks_ns": [[sample * times - rank for sample in samples] for rank, times in enumerate(slower)]
        if settings["per_rank"]
        else None,
        "repetitions_per_sample": 1,
        "divisor": operation["divisor"],
        "bytes_moved": settings["bytes"],
        "messages": 1,
        "algorithm_bytes": None,
        "bus_factor": None,
        "median_ns": sum(sorted(samples)[SAMPLES // 2 - 1 : SAMPLES // 2 + 1]) / 2 / operation["divisor"],
        "half_width": 0.004,
        "stopped_by": "precision",
        "validated": True,
        "checked_elements": settings["bytes"],
        "invalid": 0,
        "window_ns": None,
        "lead_ns": None,
        "skew_ns": None,
        "phases_ns": None,
        "replaced": {},
        "grid": None,
        "elapsed_ns": faults["takes"] * (10 if settings["bytes"] > 1000 else 1) * MS if "takes" in faults else POINT_NS,
        "finished_unix_ns": (index + 1) * POINT_NS,
        "clock_error": None,
        "state": "unknown",
        "steady_from": 0,
        "segments": [],
        "discarded_ns": [],
        "calls": None,
        "verified": None,
        "block_short": False,
        "slot_left_s": None,
    }


if __name__ == "__main__":
    sys.exit(main())
