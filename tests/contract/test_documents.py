"""Both sides of docs/contract.md: what the engines write has the members it states, and so has what Groma writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from beds import Library
from contract.kinds import check_object
from fakes import ENGINE, MPIEXEC

from groma.catalog import decode, packaged
from groma.results.documents import LaunchDocument, RunDocument

BRIEF = ("--launches", "1", "--set", "stop=reps", "--set", "repetitions=3")
COMMAND = "from groma.cli import main; main()"
PLAN_JSON = {"schema", "order", "seed", "points"}


class Front:
    """The groma command with one engine and launcher, in a directory of its own."""

    def __init__(self, folder: Path, engine: Path, mpiexec: str, variables: dict[str, str]) -> None:
        self.folder = folder
        self.environment = os.environ | variables
        self.environment |= {"GROMA_ENGINE": str(engine), "GROMA_MPIEXEC": mpiexec}
        self.environment |= {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start one command."""
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run one command and return exit code, output and messages."""
        with self.start(*arguments) as process:
            out, err = process.communicate()
        return process.returncode, out, err

    def records(self, number: int, run: str = "out") -> list[dict[str, Any]]:
        """Return the whole records of one launch."""
        path = self.folder / run / "launches" / f"{number:03d}" / "points.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def document(self, name: str, run: str = "out") -> dict[str, Any]:
        """Return one JSON document of a run."""
        document: dict[str, Any] = json.loads((self.folder / run / name).read_text())
        return document


@pytest.fixture
def fake(tmp_path: Path) -> Front:
    """The front end on the engine that measures nothing."""
    return Front(tmp_path, ENGINE, str(MPIEXEC), {})


@pytest.fixture
def front(tmp_path: Path, library: Library) -> Front:
    """The front end on each MPI library."""
    return Front(tmp_path, library.engine, library.mpiexec, dict(library.variables))


def written(struct: type[msgspec.Struct]) -> set[str]:
    """Return the members of a document that the front end writes."""
    return {field.encode_name for field in msgspec.structs.fields(struct)}


def check_documents(front: Front, ranks: int) -> None:
    assert set(front.document("run.json")) == written(RunDocument)
    assert set(front.document("launches/001/launch.json")) == written(LaunchDocument)
    assert set(front.document("launches/001/plan.json")) == PLAN_JSON
    nodes = front.document("launches/001/nodes.json")
    check_object(nodes, packaged().kind("nodes"), "nodes.json")
    assert len(nodes["ranks"]) == ranks
    records = front.records(1)
    visits = sum(record["kind"] == "revisit" for record in records)
    points = len(records) - visits - 2
    assert [record["kind"] for record in records] == ["start", *["point"] * points, *["revisit"] * visits, "end"]
    for record in records:
        check_object(record, packaged().kind(record["kind"]), record["kind"])
        assert record["schema"] == 1
    assert records[0]["ranks"] == ranks


def test_the_fake_engine_keeps_the_contract(fake: Front) -> None:
    code, _out, err = fake.run("run", "pingpong", "barrier", "--bytes", "8,1K", "--launches", "1", "-o", "out")
    assert code == 0, err
    check_documents(fake, ranks=2)
    fake.environment["FAKE_ENGINE"] = "wrong_at=0"
    assert fake.run("run", "barrier", "--launches", "1", "-o", "bad")[0] == 1
    failure = next(record for record in fake.records(1, "bad") if record["kind"] == "failure")
    check_object(failure, packaged().kind("failure"), "failure")


@pytest.mark.slow
def test_fields_of_the_plan_reach_the_engine_and_those_of_a_resumed_run_too(fake: Front) -> None:
    asked = ("--set", "clock_sync=jk", "--set", "max_clock_error_us=2.5", "--set", "order=sequential")
    assert fake.run("run", "noop", "--launches", "1", *asked, "-o", "out")[0] == 0
    launch = fake.folder / "out/launches/001"
    first = fake.document("launches/001/plan.json")
    assert {name: first[name] for name in ("clock_sync", "max_clock_error_us", "order")} == {
        "clock_sync": "jk",
        "max_clock_error_us": 2.5,
        "order": "sequential",
    }
    # A launch without its end is made again, by the plan that was asked.
    records = launch / "points.jsonl"
    records.write_text("".join(records.read_text().splitlines(keepends=True)[:-1]))
    code, _out, err = fake.run("run", "--resume", "out")
    assert code == 0, err
    assert fake.document("launches/001/plan.json") == first


@pytest.mark.one_case
@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_each_engine_keeps_the_contract(front: Front, ranks: int) -> None:
    arguments = ("run", "pingpong", "allreduce", "--bytes", "8,1K", "--set", "slot_s=0.02", "--launches", "1")
    code, _out, err = front.run(*arguments, "-n", str(ranks), "-o", "out")
    assert code == 0, err
    check_documents(front, ranks)
    assert front.run("show", "out")[0] == 0


@pytest.mark.one_case
@pytest.mark.mpi
@pytest.mark.parametrize(
    ("ranks", "arguments", "kinds"),
    [
        (3, "bcast barrier --bytes 64 --set per_rank=true", "start point end"),
        (2, "app/halo overlap --bytes 1K", "start point end"),
        (4, "halo/isend_irecv --bytes 8 --set stop=reps --set repetitions=7", "start point end"),
        (3, "pingpong --bytes 8 --set pattern=slowest", "start point end"),
        (2, "allreduce --bytes 8 --set sync=window --set timing=call --set force=true", "start point end"),
        (2, "allgather barrier --bytes 8 --set ranks=8 --set optional=true", "start left_out end"),
        (2, "barrier --set added_ns=900000000 --set limit_s=0.5", "start failure"),
    ],
)
def test_what_each_engine_records_is_what_it_describes(front: Front, ranks: int, arguments: str, kinds: str) -> None:
    brief = ("--set", "slot_s=0.02", "--launches", "1", "-n", str(ranks), "-o", "out")
    _code, _out, err = front.run("run", *arguments.split(), *brief)
    records = front.records(1)
    assert {record["kind"] for record in records} - {"revisit"} == set(kinds.split()), err
    for record in records:
        check_object(record, packaged().kind(record["kind"]), record["kind"])


@pytest.mark.mpi
def test_each_engine_describes_the_packaged_catalogue(library: Library) -> None:
    done = subprocess.run([library.engine, "--describe"], env=library.environment(), capture_output=True, check=True)
    described = decode(done.stdout, str(library.engine))
    operations = tuple(msgspec.structs.replace(one, lacks="") for one in described.operations)
    assert msgspec.structs.replace(described, operations=operations) == packaged()


@pytest.mark.one_case
@pytest.mark.mpi
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("allreduce --set reduction=band", "reduction=band"),
        ("allreduce --bytes 32G --set datatype=double", "bytes=34359738368"),
        ("bcast --set alignment=3", "alignment=3"),
        ("app/transpose --set datatype=int32", "datatype=int32"),
        ("app/conjugate_gradient --bytes 0", "bytes=0"),
        ("reduce --set layout=struct --set datatype=double --set reduction=band", "reduction=band"),
        ("pingpong --set pattern=distance=7", "distance=7"),
    ],
)
def test_what_only_the_engine_can_judge_is_still_bad_input(front: Front, arguments: str, says: str) -> None:
    code, _out, err = front.run("run", *arguments.split(), "-o", "out")
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    assert not (front.folder / "out").exists()


@pytest.mark.one_case
@pytest.mark.mpi
@pytest.mark.parametrize("whom", ["rank", "launcher", "front end"])
def test_a_kill_loses_nothing_that_was_measured(front: Front, whom: str) -> None:
    plan = ["run", "pingpong", "--bytes", "8:64K", "--set", "stop=time", "--set", "slot_s=0.2"]
    process = front.start(*plan, "--launches", "1", "-o", "out")
    while sum(record["kind"] == "point" for record in front.records(1)) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    ranks = ranks_of(front)
    launcher = children(process.pid)[0]
    os.kill({"rank": ranks[-1], "launcher": launcher, "front end": process.pid}[whom], signal.SIGKILL)
    process.communicate()
    assert process.returncode == (-signal.SIGKILL if whom == "front end" else 1)
    while ranks_of(front):  # none may be left; they need a moment to notice
        time.sleep(0.02)
    measured = sum(record["kind"] == "point" for record in front.records(1))
    assert measured >= 2
    code, out, err = front.run("show", "out")
    assert (code, err) == (1, "")
    said = " ".join(out.split())
    assert f"Launch 1 ended early after {measured} of 14 points" in said
    assert ("was killed" in said) == (whom == "front end")


@pytest.mark.slow
@pytest.mark.mpi
def test_a_variants_variables_reach_every_rank(front: Front) -> None:
    """The engine is started through a script that writes down what its rank was given."""
    seen = front.folder / "seen"
    seen.mkdir()
    script = front.folder / "engine"
    engine = front.environment["GROMA_ENGINE"]
    script.write_text(
        f'#!/bin/sh\nif [ -n "$GROMA_TEST_SEEN" ]; then echo "$GROMA_TEST_VALUE" > {seen}/$$; fi\nexec {engine} "$@"\n'
    )
    script.chmod(0o755)
    front.environment["GROMA_ENGINE"] = str(script)
    variants = ("--variant", "plain", "--variant", "set:GROMA_TEST_SEEN=1,GROMA_TEST_VALUE=a b,c")
    code, _out, err = front.run("run", "barrier", *BRIEF, *variants, "-n", "3", "-o", "out")
    assert code == 0, err
    assert [file.read_text() for file in seen.iterdir()] == ["a b,c\n"] * 3
    assert front.document("launches/002/launch.json")["environment"]["GROMA_TEST_VALUE"] == "a b,c"
    assert [record["kind"] for record in front.records(2)] == ["start", "point", "end"]


def ranks_of(front: Front) -> list[int]:
    """Return the living engine processes of this directory."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if words[:1] == [front.environment["GROMA_ENGINE"].encode()] and str(front.folder).encode() in b" ".join(words):
            found.append(int(entry.name))
    return sorted(found)


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
