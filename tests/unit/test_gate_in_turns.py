"""`groma gate` of two variants of one run: launches in turns, what is open measured again, one state of the machine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma, refused
from fakes.libraries import abi_library
from planted_runs import QUIET, change_document, made

from groma.analysis.compare import Paired
from groma.decide.turns import LOOKS
from groma.results import load_run
from groma.run.schedule import Schedule, turn

COMMAND = (sys.executable, "-c", "from groma.cli import main; main()")
SIDES = ("--variant", "base:", "--variant")
QUICKLY = ("gate", "bcast", "barrier", "--bytes", "8,64K", *SIDES)
SCATTERING = ("gate", "barrier", "--variant", "base:FAKE_ENGINE=noise=1", "--variant", "head:A=1,FAKE_ENGINE=noise=1")
STEADY = replace(QUIET, launch_effect=0.004, jitter=0.01)
ROUNDS = 12


def in_turns(folder: str, seed: int = 5, slower: float = 1.0, far: Collection[int] = (), rounds: int = ROUNDS) -> Path:
    """Make a run whose launches are of base and head in turns; in head, allreduce takes `slower` times as long.

    In launches `far` the CPUs were far from each other, and everything took twice as long.
    """
    run = made(Path(folder), seed, replace(STEADY, launches=2 * rounds))
    change_document(run, launches=rounds, budget_s=None, variants=[{"name": "base"}, {"name": "head"}])
    for number in range(1, 2 * rounds + 1):
        _, variant = turn(number, (2,), 2)
        launch = run / f"launches/{number:03}"
        document = json.loads((launch / "launch.json").read_text())
        (launch / "launch.json").write_text(json.dumps(document | {"variant": ("base", "head")[variant]}))
        records = [json.loads(line) for line in (launch / "points.jsonl").read_text().splitlines()]
        for record in records:
            _change(record, slower if variant else 1.0, far=number in far)
        write_records(launch / "points.jsonl", records)
    return run


def _change(record: dict[str, Any], slower: float, *, far: bool) -> None:
    if record["kind"] == "start":
        record["limits"]["line_bounce_ns"] = 150.0 if far else 31.0
    elif record["kind"] == "point":
        times = (slower if record["point"]["operation"] == "allreduce" else 1.0) * (2.0 if far else 1.0)
        record["samples_ns"] = [round(times * sample) for sample in record["samples_ns"]]


def measure_otherwise(run: Path, launches: Collection[int], operation: str) -> None:
    """Let these launches have measured an operation after a barrier, which makes it another point."""
    for number in launches:
        file = run / f"launches/{number:03}/points.jsonl"
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point" and record["point"]["operation"] == operation:
                record["point"]["sync"] = "barrier"
        write_records(file, records)


def test_a_point_without_a_round_in_common_is_not_decided(groma: Groma) -> None:
    """A disturbed launch measures a collective by another method: it is another point, of that launch alone."""
    run = in_turns("new", far=(1, 2))
    measure_otherwise(run, (1, 3), "allreduce")  # base of the first round, head of the second
    said = groma("gate", "new", "--between", "base", "head", "--format", "json")
    assert said.code == 125, said.err
    open_ = [point for point in json.loads(said.out)["points"] if point["verdict"] == "not decided"]
    assert {point["operation"] for point in open_} == {"allreduce"}


def test_nothing_slower_ends_with_0_and_says_what_would_have_been_found(groma: Groma) -> None:
    said = groma(*QUICKLY, "head:A=2", "-o", "new")
    assert said.code == 0, said.err
    assert said.out.startswith("No regression: none of 3 points is slower than base by more than 5 %.")
    assert re.search(r"A slowdown of [\d.]+ % at any point would have been found in four of five gates\.\n", said.out)
    run = load_run("new")
    assert [launch.variant for launch in run.launches[:4]] == ["base", "head", "head", "base"]
    assert len(run.launches) == 20
    assert "Launches of both took turns" in said.out


def test_what_is_slower_ends_with_4_and_its_interval_is_in_the_first_line(groma: Groma) -> None:
    said = groma(*QUICKLY, "head:FAKE_ENGINE=slower=20", "--format", "json", "-o", "new")
    document = json.loads(said.out)
    assert said.code == document["gate"]["exit_code"] == 4
    assert document["gate"]["launches"] == 20
    assert document["gate"]["seconds"] > 0
    assert {point["verdict"] for point in document["points"]} == {"slower"}
    first = document["gate"]["sentence"]
    assert first.startswith("Regression: 3 points slower than base by more than 5 %: bcast 8 B (1.20 times, 1.20 to 1")


def test_only_what_is_open_is_measured_again_in_the_same_run(groma: Groma) -> None:
    """Eight rounds can say that a point is not slower; that one of three is takes nine, as there are four looks."""
    said = groma(*QUICKLY, "head:FAKE_ENGINE=switch_at=65536", "--launches", "8", "-o", "new")
    assert said.code == 4
    assert said.out.startswith("Regression: 1 point slower than base by more than 5 %: bcast 64 KiB (1.2")
    assert "1 of 3 points not decided yet: measuring again." in said.err
    run = load_run("new")
    assert [len(launch.points) for launch in run.launches] == [3] * 16 + [1] * 16
    assert {launch.points[0].point["bytes"] for launch in run.launches[16:]} == {65536}
    again = groma("gate", "new", "--between", "base", "head")
    assert again.code == 4
    assert again.out.splitlines()[0] == said.out.splitlines()[0]
    assert groma("gate", "new", "--between", "head", "base").code == 0, "the first is the base"


def test_what_scatters_stays_open_after_all_looks(groma: Groma) -> None:
    said = groma(*SCATTERING, "--launches", "6", "-o", "new")
    assert said.code == 125
    assert said.out.startswith("Not decided: 1 point may be slower than base by more than 5 %: barrier, not decided")
    assert said.err.count("measuring again") == LOOKS - 1
    assert len(load_run("new").launches) == 2 * 6 * 2 ** (LOOKS - 1)


def test_a_budget_ends_the_rounds_as_whole_ones(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    left_s = iter([60.0] * 100)  # asked a few times for each launch
    monkeypatch.setattr(Schedule, "_left_s", lambda _schedule: next(left_s, 0.0))
    said = groma(*SCATTERING, "--budget", "40s", "-o", "new")
    assert said.code == 125, said.err
    assert 20 < len(load_run("new").launches) < 2 * 10 * 2 ** (LOOKS - 1)
    assert len(load_run("new").launches) % 2 == 0


def test_a_bisection_builds_first_and_needs_no_baseline(groma: Groma) -> None:
    said = groma(*QUICKLY, "head:FAKE_ENGINE=slower=30", "--bisect", "touch built")
    assert (said.code, Path("built").exists()) == (4, True)
    assert groma(*QUICKLY, "head:A=1", "--bisect", "exit 3").code == 125
    assert groma("gate", "bcast", "--variant", "base:", "--bisect", "true").code == 255


@pytest.mark.slow
@pytest.mark.usefixtures("fakes")
def test_git_bisect_names_the_commit_of_a_library(tmp_path: Path) -> None:
    """Eight commits; the sixth makes it a tenth slower. Every step installs the library and measures it and a good one.

    On real ranks it is tests/engine/test_gate_in_turns.py.
    """
    good, new, repository = abi_library(tmp_path / "good"), tmp_path / "new", tmp_path / "repository"
    repository.mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(repository)]
    output_of(*git, "init", "-q")
    for commit in range(1, 9):
        abi_library(repository, f"5.0.{commit}", "slower=10" if commit >= 6 else "slower=0")
        output_of(*git, "add", ".")
        output_of(*git, "commit", "-q", "-m", f"commit {commit}")
    gate = [*COMMAND, "gate", "barrier", "--mpi", f"base={good},head={new}", "--bisect", f"cp -r bin lib -t {new}"]
    new.mkdir()
    output_of(*git, "bisect", "start", "HEAD", "HEAD~7")
    said = output_of(*git, "bisect", "run", *gate, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    assert re.search(r"is the first bad commit(.|\n)*commit 6\n", said), said
    assert "skip" not in output_of(*git, "bisect", "log")


def output_of(*command: str, env: dict[str, str] | None = None) -> str:
    """Run a command that ends well, and return what it wrote to both outputs."""
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_rounds_of_two_states_do_not_count(groma: Groma) -> None:
    """The machine changed in the middle of a round: its ratio is 2 or 1/2, and says nothing of the library."""
    run = in_turns("run", far=range(8, 2 * ROUNDS + 1))
    said = groma("gate", str(run), "--between", "base", "head")
    assert said.code == 0, said.out
    assert (
        "Core-to-core latency was 31 to 150 ns: the machine was in several states. A round counts only if both of its "
        "launches were in the same one: 77 of 84 ratios are compared." in said.out
    )


def test_a_machine_that_was_in_another_state_for_one_side_decides_nothing(groma: Groma) -> None:
    """Far CPUs in nearly all launches of head: everything takes twice as long, which is no regression."""
    heads = [number for number in range(1, 2 * ROUNDS + 1) if turn(number, (2,), 2)[1]]
    run = in_turns("run", far=heads[:-5])
    for strict in ((), ("--strict",)):
        said = groma("gate", str(run), "--between", "base", "head", *strict)
        assert said.code == 125, said.out
        assert "cannot tell: the machine was in another state" in said.out
    assert "7 in another state of the machine" in said.out
    assert groma("compare", str(run), "--between", "base", "head").code == 0


@pytest.mark.parametrize(("slower", "code"), [(1.0, 0), (1.1, 4)])
def test_a_slowdown_is_found_in_both_states_together(groma: Groma, slower: float, code: int) -> None:
    run = in_turns("run", slower=slower, far=range(ROUNDS + 1, 2 * ROUNDS + 1))
    said = groma("gate", str(run), "--between", "base", "head")
    assert said.code == code, said.out


@pytest.mark.parametrize(
    ("undecided", "counts"), [((), ("7", "3", "2", "0")), (("--undecided", "skip"), ("7", "3", "0", "2"))]
)
def test_junit_has_slower_points_as_failures_and_undecided_ones_as_asked(
    groma: Groma, undecided: tuple[str, ...], counts: tuple[str, ...]
) -> None:
    run = in_turns("run", slower=1.3)
    for number in range(1, ROUNDS + 1):  # pingpong of 8 B and 1 KiB scatter
        scatter(run / f"launches/{number:03}/points.jsonl", lambda point: point.get("bytes", 0) in (8, 1024), number)
    said = groma("gate", str(run), "--between", "base", "head", "--format", "junit", *undecided)
    suite = ET.fromstring(said.out)  # noqa: S314 - our own
    assert said.code == 4
    assert tuple(suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")) == counts
    for name, kind in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.attrib[name] == str(len(list(suite.iter(kind))))
    assert all(len([child for child in case if child.tag != "system-out"]) <= 1 for case in suite.iter("testcase"))
    assert all(case.get("message") and case.get("type") for case in [*suite.iter("failure"), *suite.iter("error")])


def scatter(file: Path, chosen: Callable[[dict[str, Any]], bool], seed: int) -> None:
    """Multiply the samples of chosen pingpong points by something of this launch."""
    random = np.random.default_rng(seed)
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        if record["kind"] == "point" and record["point"]["operation"] == "pingpong" and chosen(record["point"]):
            times = float(np.exp(random.normal(0, 0.5)))
            record["samples_ns"] = [round(times * sample) for sample in record["samples_ns"]]
    write_records(file, records)


def test_a_point_that_no_round_measured_alike_on_both_sides_is_not_decided(groma: Groma) -> None:
    """The engine may take another way in some launches; here all of head, of one point, in a run of two states."""
    run = in_turns("run", far=range(ROUNDS + 1, 2 * ROUNDS + 1))
    heads = [number for number in range(1, 2 * ROUNDS + 1) if (turn(number, (2,), 2)[1] == 1) == (number <= ROUNDS)]
    measure_otherwise(run, heads, "barrier")
    said = groma("gate", str(run), "--between", "base", "head")
    assert said.code == 125, said.out + said.err
    assert "may be slower than base by more than 5 %: barrier" in said.out


@refused(
    ("bcast --mpi openmpi", "a gate in turns compares two variants"),
    ("bcast --placement 0+1,1+0", "two variants are called list; give each a name of its own"),
    ("bcast --variant a: --variant b:A=1 --variant c:A=2", "there are a, b, c; name two with --between"),
    ("bcast --variant a: --variant b:A=1 --between a c", "there are a, b; name two with --between"),
    ("bcast --variant a: --variant b:A=1 --confirm 2", "--confirm is of a gate against a baseline"),
    ("run --between base", "Option '--between' requires 2 arguments"),
    ("run --between base tip", "run has no variant or operation tip: its variants are base, head"),
    ("run --between base head --budget 1m", "--budget is of measuring, and runs that exist are not measured again"),
    ("run other --between base head", "--between compares two variants of one run; name that run alone"),
    ("run --bytes 8", "--bytes is of a gate in turns"),
    ("", "nothing to judge; name operations and --mpi base=A,head=B, a baseline or run, or --limits"),
)
def test_bad_input_ends_with_2(groma: Groma, arguments: str, says: str) -> None:
    in_turns("run", rounds=6)
    groma("gate", *arguments.split()).refuses(says)
    assert not Path("runs").exists(), "nothing was run"


def test_several_looks_reject_no_more_often_than_one() -> None:
    """Every p-value and interval of a look is that of a single test, at a third of the error."""
    values = np.random.default_rng(1).normal(0.02, 0.03, 14)
    single, looked = Paired(values), Paired(values, LOOKS)
    assert looked.p() == pytest.approx(LOOKS * single.p())
    assert looked.interval(0.95) == single.interval(1 - 0.05 / LOOKS)
    assert looked.turned().interval(0.95) == single.turned().interval(1 - 0.05 / LOOKS)
    assert looked.estimate == single.estimate
    assert Paired(values[:6], LOOKS).interval(0.95) is None, "six pairs have no p-value below a third of 5 %"
