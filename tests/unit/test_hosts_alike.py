"""The check that names the hosts which differ from the others, and in what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from synthetic import Scenario, make_run

from groma.analysis import checks, summarise
from groma.results import load_run
from groma.text.checks import Check

NAMES = ("n1", "n2", "n3")


def made(folder: Path, files: dict[str, dict[str, str]] | None = None, **of_third: object) -> Path:
    """Make a run on three hosts, the third of which has other facts, and `files` other checksums."""
    run = make_run(folder / "run", Scenario(launches=2))
    for places in run.glob("launches/*/nodes.json"):
        document = json.loads(places.read_text())
        first = document["nodes"][0]
        document["nodes"] = [first | {"name": name} | (of_third if name == "n3" else {}) for name in NAMES]
        places.write_text(json.dumps(document))
    if files is not None:
        document = json.loads((run / "run.json").read_text())
        same = {"engine": "/e", "engine_sum": "1-2", "library": "/l", "library_sum": "3-4"}
        document["host_files"] = [same | {"name": name} | files.get(name, {}) for name in NAMES]
        (run / "run.json").write_text(json.dumps(document))
    return run


def check_of(path: Path) -> Check | None:
    run = load_run(path)
    return next((check for check in checks(run, summarise(run)) if check.name == "hosts alike"), None)


def test_one_host_is_not_compared(tmp_path: Path) -> None:
    assert check_of(make_run(tmp_path / "run", Scenario(launches=2))) is None


def test_hosts_that_are_alike(tmp_path: Path) -> None:
    check = check_of(made(tmp_path, {}))
    assert check is not None
    assert check.state == "good"
    assert check.text == (
        "3 hosts with the same kernel, CPU, number of CPUs, governor, SMT, clock source, engine /e, MPI library of /e."
    )


def test_files_that_nobody_asked_for_are_not_compared(tmp_path: Path) -> None:
    check = check_of(made(tmp_path))
    assert check is not None
    assert "engine" not in check.text


@pytest.mark.parametrize(
    ("fact", "value", "says"),
    [
        ("kernel", "Linux 5.4", "kernel: Linux 5.4 on n3, "),
        ("cpu_model", "Old CPU", "CPU: Old CPU on n3, "),
        ("cpus", 7, "number of CPUs: 7 on n3, "),
        ("governor", "powersave", "governor: powersave on n3, "),
        ("clock_source", "", "clock source: unknown on n3, "),
        ("memory_bytes", 1 << 30, "memory: 1 GiB on n3, "),
    ],
)
def test_a_host_that_differs_is_named(tmp_path: Path, fact: str, value: object, says: str) -> None:
    check = check_of(made(tmp_path, {}, **{fact: value}))
    assert check is not None
    assert check.state == "warn"
    assert check.text.startswith(f"Not all hosts have the same: {says}")
    assert check.text.endswith(" on the others.")


def test_a_little_less_memory_is_the_same(tmp_path: Path) -> None:
    run = made(tmp_path)
    node = json.loads((run / "launches/001/nodes.json").read_text())["nodes"][0]
    for places in run.glob("launches/*/nodes.json"):
        document = json.loads(places.read_text())
        document["nodes"][1]["memory_bytes"] = int(0.99 * node["memory_bytes"])
        places.write_text(json.dumps(document))
    check = check_of(run)
    assert check is not None
    assert check.state == "good"


def test_files_that_differ_are_named_with_path_and_checksum(tmp_path: Path) -> None:
    check = check_of(made(tmp_path, {"n2": {"library": "/other", "library_sum": "9-9"}, "n3": {"engine_sum": "8-8"}}))
    assert check is not None
    assert check.text == (
        "Not all hosts have the same: engine /e: 8-8 on n3, 1-2 on the others; "
        "MPI library of /e: /other 9-9 on n2, /l 3-4 on the others."
    )
