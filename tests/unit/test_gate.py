"""`groma gate`: every exit code that docs/guide/compare-and-gate.md lists, and what is said with it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import documented
import pytest
from fakes import ENGINE, Groma, refused
from planted_runs import QUIET, change_document, made

from groma.decide import Side, remeasuring
from groma.decide.comparing import Compared
from groma.decide.gating import CONFIRMATIONS, Code, confirmed
from groma.results import load_run

QUICKLY = ("run", "bcast", "barrier", "--bytes", "8,64K", "--launches", "6")


@pytest.fixture
def measured(groma: Groma) -> Groma:
    """A run of the fake engine, kept as the baseline `base`."""
    assert groma(*QUICKLY, "-o", "old").code == 0
    assert groma("baseline", "set", "base", "old").code == 0
    return groma


@pytest.fixture
def kept(groma: Groma) -> Groma:
    """Made runs: three under the name `three`, `slow/run` whose allreduce is slower, `same/run` whose is not."""
    steady = replace(QUIET, launch_effect=0.004)
    for seed in (1, 2, 3):
        made(Path(f"kept/{seed}"), seed, steady)
    made(Path("same/run"), 8, steady)
    made(Path("slow/run"), 9, steady, {"allreduce": 1.3})
    assert groma("baseline", "set", "three", "kept/1", "kept/2", "kept/3").code == 0
    return groma


def test_no_regression_ends_with_0(measured: Groma) -> None:
    said = measured("gate", "base")
    assert said.code == 0
    assert said.out.startswith("No regression: none of 3 points is slower than base by more than 5 %.")
    assert not list(Path("runs").glob("*/confirm-*")), "no suspects"


def test_a_regression_ends_with_4_after_runs_of_what_tripped(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    said = measured("gate", "base", "--confirm", "2", "-o", "new")
    assert said.code == 4
    assert said.out.startswith("Regression: 3 points slower than base by more than 5 %: bcast 8 B (1.20 times, ")
    assert "3 of 3 points may be slower; measuring them again in 2 runs" in said.err
    assert len(list(Path("new").glob("confirm-*"))) == 2


def test_the_runs_of_a_gate_are_of_one_visit(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    """They follow each other at once, and must not count as runs that lie apart."""
    sides = []

    def seen(compared: Compared, base: Side, now: Side) -> Compared:
        sides.extend([base, now])
        return confirmed(compared, base, now)

    monkeypatch.setattr(remeasuring, "confirmed", seen)
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    assert measured("gate", "base", "--confirm", "2").code == 4
    assert [side.sample(side.summaries[0]).share_a_visit for side in sides] == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "is_said"), [(1, True), (4, True), (5, False)])
def test_a_gate_says_where_drift_is_not_known(
    groma: Groma, monkeypatch: pytest.MonkeyPatch, runs: int, is_said: bool
) -> None:
    """Five runs that lie apart have the four degrees of freedom that show it."""
    paths = [f"old/{number}" for number in range(1, runs + 1)]
    assert all(groma(*QUICKLY, "-o", path).code == 0 for path in paths)
    assert groma("baseline", "set", "base", *paths).code == 0
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    said = groma("gate", "base", "--confirm", "2", "-o", "new/run")
    assert said.code == 4
    sentence = "Drift between visits is unknown at 3 points"
    assert (sentence in " ".join(said.out.split())) is is_said


def test_only_what_tripped_is_measured_again(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    assert groma(*QUICKLY, "-o", "old").code == 0
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=65536")
    said = groma("gate", "old", "--confirm", "2", "-o", "new")
    assert said.code == 4
    assert "Regression: 1 point slower" in said.out
    assert len(list(Path("new").glob("confirm-*"))) == 2
    (point,) = load_run("new/confirm-1").meta.plan.points
    assert (point["operation"], point["bytes"]) == ("bcast", 65536)


def test_a_regression_that_stays_is_no_spread_from_run_to_run(groma: Groma) -> None:
    """Eleven days of a nightly check in one folder, the last five slower; the four before the gate are a change."""
    steady = replace(QUIET, launch_effect=0.004)
    for day in range(1, 12):
        run = made(Path(f"nightly/{day:02}"), day, steady, {"allreduce": 1.3} if day > 6 else None)
        change_document(run, created=f"2026-03-{day:02}T02:00:00+00:00")
    assert groma("baseline", "set", "base", "nightly/01").code == 0
    said = groma("gate", "base", "nightly/11")
    assert said.code == 4, said.out
    assert said.out.startswith("Regression: 3 points slower than base by more than 5 %: allreduce 8 B (1.3")


def test_a_failed_run_ends_with_1(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1")
    said = measured("gate", "base", "-o", "new")
    assert said.code == 1
    assert "the gate's run new failed, so nothing is decided: " in said.err


@refused(
    ("nothing", "there is no baseline 'nothing'; there are three"),
    ("thre", "there is no baseline 'thre'; did you mean 'three'?"),
    ("nowhere/run", "nowhere/run is not a directory: name a run"),
    (
        "same/run same/run",
        "same/run (run) and same/run (same/run) are one run; name another, or name none to measure again",
    ),
    ("three same/run --budget 1m", "runs that exist are not measured again"),
    ("three same/run --bisect true", "runs that exist are not measured again"),
    ("three none", "none is not a directory"),
    ("three -n 3", "the baseline has no launches on 3 ranks; it has 2"),
    ("three --margin wide", "'wide' is not a share"),
    ("", "nothing to judge; name operations and --mpi base=A,head=B, a baseline or run, or --limits"),
)
def test_bad_input_ends_with_2(kept: Groma, arguments: str, says: str) -> None:
    kept("gate", *arguments.split()).refuses(says)
    assert not Path("runs").exists(), "nothing was run"


def test_a_plan_at_an_interval_has_no_budget(groma: Groma) -> None:
    assert groma("run", "barrier", "--times", "1", "--every", "1s", "-o", "old").code == 0
    said = groma("gate", "old", "--budget", "1m")
    said.refuses("cannot have a budget; leave out --budget")


def test_what_scatters_is_not_decided_and_ends_with_125(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "noise=1")
    assert groma("run", "barrier", "--launches", "6", "-o", "old").code == 0
    said = groma("gate", "old")
    assert said.code == 125
    assert re.search(r"Not decided: 1 point may be slower .*, not decided \(about \d+ more runs? would\)", said.out)
    assert len(list(Path("runs").glob("*/confirm-*"))) == CONFIRMATIONS
    (run,) = Path("runs").iterdir()
    (passes,) = re.findall(r"These runs pass with a margin of (\d+) % or more", said.out)
    again = ["gate", "old", str(run), *map(str, sorted(run.glob("confirm-*")))]
    assert groma(*again, "--margin", f"{passes}%").code == 0
    assert groma(*again, "--margin", f"{int(passes) - 1}%").code == 125


def test_no_margin_of_100_percent_is_offered(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option refuses it. Two runs of three times the baseline's time are slower in these runs alone."""
    assert groma("run", "barrier", "--launches", "6", "-o", "old").code == 0
    monkeypatch.setenv("FAKE_ENGINE", "slower=200")
    assert groma("run", "barrier", "--launches", "6", "-o", "new/run").code == 0
    said = groma("gate", "old", "new/run")
    assert said.code == 125
    assert said.out.startswith("Not decided: 1 point may be slower than old by more than 5 %: ")
    assert "These runs pass" not in said.out


def test_a_failed_build_is_skipped_by_bisect(measured: Groma) -> None:
    said = measured("gate", "base", "--bisect", "exit 3")
    assert said.code == 125
    assert said.err.endswith("Not decided: 'exit 3' ended with exit code 3.\n")
    assert not Path("runs").exists()
    assert measured("gate", "base", "--bisect", "touch built").code == 0
    assert Path("built").exists()


def test_a_bisection_skips_what_cannot_be_measured_and_stops_at_bad_input(
    measured: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1")
    said = measured("gate", "base", "--bisect", "true", "-o", "new")
    assert (said.code, "Not decided: the gate's run new failed" in said.err) == (125, True)
    monkeypatch.setenv("GROMA_ENGINE", "nowhere/groma-engine")
    assert measured("gate", "base", "--bisect", "true").code == 125
    said = measured("gate", "other", "--bisect", "true")
    assert (said.code, "Not decided: there is no baseline 'other'" in said.err) == (255, True)


@pytest.mark.slow
@pytest.mark.usefixtures("measured")
def test_git_bisect_finds_the_commit_that_made_it_slower(tmp_path: Path) -> None:
    """A repository whose engine is slower from its third commit on."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", "repository"]
    Path("repository").mkdir()
    subprocess.run([*git, "init", "-q"], check=True)
    engine = tmp_path / "repository" / "engine.sh"
    for commit, slower in enumerate((0, 0, 30, 30), start=1):
        engine.write_text(f'#!/bin/sh\n# commit {commit}\nexport FAKE_ENGINE=slower={slower}\nexec {ENGINE} "$@"\n')
        engine.chmod(0o755)
        subprocess.run([*git, "add", "engine.sh"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", f"commit {commit}"], check=True)
    command = [sys.executable, "-c", "from groma.cli import main; main()"]
    gate = [*command, "gate", str(tmp_path / "old"), "--confirm", "2", "--bisect", "true", "-n", "2"]
    environment = os.environ | {"GROMA_ENGINE": str(engine), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([*git, "bisect", "start", "HEAD", "HEAD~3"], check=True, capture_output=True)
    done = subprocess.run([*git, "bisect", "run", *gate], env=environment, capture_output=True, text=True, check=False)
    assert re.search(r"is the first bad commit(.|\n)*commit 3\n", done.stdout), done.stdout + done.stderr


@pytest.mark.slow
def test_a_gate_on_an_oversubscribed_machine_is_advisory(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    assert groma("run", "barrier", "-n", "3", "--launches", "6", "-o", "old").code == 0
    assert groma("gate", "old").code == 0, "what is not slower needs no advice"
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    said = groma("gate", "old", "-o", "new", "--confirm", "2")
    assert said.code == 125
    assert said.out.startswith("Advisory, no verdict: 1 point slower than old")
    assert "More ranks than CPUs" in said.out
    assert groma("gate", "old", "--strict", "--confirm", "2").code == 4


def test_a_disturbed_machine_is_advisory_too(groma: Groma) -> None:
    for seed in (1, 2, 3):
        made(Path(f"kept/{seed}"), seed)
    made(Path("new/run"), 9, replace(QUIET, disturbed=tuple(range(1, 11))), {"allreduce": 1.3})
    groma("baseline", "set", "base", "kept/1", "kept/2", "kept/3")
    said = groma("gate", "base", "new/run")
    assert (said.code, "Advisory" in said.out) == (125, True)
    assert groma("gate", "base", "new/run", "--strict").code == 4


def test_runs_that_exist_decide_where_it_is_known_how_much_runs_differ(kept: Groma) -> None:
    kept("baseline", "set", "one", "kept/1")
    assert kept("gate", "three", "slow/run").code == 4
    assert kept("gate", "three", "same/run").code == 0
    said = kept("gate", "one", "slow/run")
    assert said.code == 125, "two single runs"
    assert "slower, in these runs" in said.out
    assert "Run-to-run variation is unknown" in said.out


def test_a_run_that_lacks_something_decides_nothing(groma: Groma) -> None:
    made(Path("kept/1"), 1)
    made(Path("new/run"), 2, replace(QUIET, never_started=(10,)))
    said = groma("gate", "kept/1", "new/run")
    assert (said.code, "new/run is incomplete, so nothing is decided: Launch 10 never started." in said.err) == (
        1,
        True,
    )


def test_a_long_list_of_points_is_cut_short(groma: Groma) -> None:
    for seed in (1, 2, 3):
        made(Path(f"kept/{seed}"), seed, replace(QUIET, launch_effect=0.004))
    made(Path("new/run"), 9, replace(QUIET, launch_effect=0.004), dict.fromkeys(QUIET.operations, 1.5))
    groma("baseline", "set", "three", "kept/1", "kept/2", "kept/3")
    said = groma("gate", "three", "new/run")
    assert re.search(r"allreduce 8 B \(1.\d\d times, 1.\d\d to 1.\d\d\), and 3 more\.\n", said.out)


def test_several_runs_have_to_be_of_one_plan(groma: Groma) -> None:
    made(Path("kept/1"), 1)
    change_document(made(Path("new/2"), 2), host="elsewhere")
    made(Path("new/3"), 3)
    said = groma("gate", "kept/1", "new/2", "new/3")
    said.refuses("new/3 measured another plan, library or machine than new/2; name runs of one plan")


def test_a_budget_is_shared_by_the_runs(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    said = measured("gate", "base", "--budget", "20m", "--confirm", "2", "--launches", "6", "-o", "new")
    assert said.code == 4, said.err
    budgets = [json.loads((path / "run.json").read_text())["budget_s"] for path in (Path("new"), Path("new/confirm-1"))]
    assert budgets == [720, 240]


def test_the_formats_say_how_the_gate_ended(kept: Groma) -> None:
    said = kept("gate", "three", "slow/run", "--format", "json")
    document = json.loads(said.out)
    assert document["gate"]["exit_code"] == said.code == 4
    assert [point["runs"] for point in document["points"]] == [[3, 1]] * 7
    assert said.err.startswith("Regression: 3 points")
    suite = ET.fromstring(kept("gate", "three", "slow/run", "--format", "junit").out)  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("7", "3")
    failed = {case.get("classname") for case in suite.iter("testcase") if case.find("failure") is not None}
    assert failed == {"allreduce"}
    last = kept("gate", "three", "slow/run", "--format", "openmetrics").out.splitlines()[-2]
    assert (last.startswith('groma_gate_exit_code{host="node01",'), last.endswith("} 4")) == (True, True)
    assert kept("gate", "three", "slow/run", "--format", "markdown").out.startswith("**Regression: 3 points slower")


def test_the_guide_lists_every_exit_code() -> None:
    guide = (documented.ROOT / "docs/guide/compare-and-gate.md").read_text()
    listed = re.findall(r"^\| (\d+) \|", guide.partition("| exit code |")[2].partition("\n\n")[0], re.MULTILINE)
    assert [int(code) for code in listed] == [*map(int, Code), 255]
