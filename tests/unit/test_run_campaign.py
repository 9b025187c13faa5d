"""Whole campaigns on an engine that measures nothing: what is kept, what is said, which exit code."""

from __future__ import annotations

import csv
import functools
import itertools
import json
import os
import re
from pathlib import Path

import pytest
from campaigns import PLAN, document, kinds, once
from fakes import Groma, refused

from groma.run.schedule import Schedule


def test_a_campaign_leaves_what_the_contract_says(groma: Groma) -> None:
    said = groma(*PLAN, "-n", "2")
    assert (said.code, said.last_line) == (0, "out")
    run = document()
    assert (run["schema"], run["state"], run["launches"], run["rank_counts"]) == (1, "complete", 3, [2])
    assert run["library"]["name"] == "Fake"
    assert run["finished"] is not None
    assert run["plan"]["points"][0] == {"operation": "pingpong", "bytes": 8}
    assert {"cores", "governor", "clock source", "load"} <= run["machine"].keys()
    for number in (1, 2, 3):
        folder = Path("out/launches", f"{number:03d}")
        assert {path.name for path in folder.iterdir()} == {
            "plan.json",
            "launch.json",
            "points.jsonl",
            "nodes.json",
            "stderr",
        }
        plan = json.loads((folder / "plan.json").read_text())
        assert plan["seed"] == run["seed"] + number
        assert plan["points"] == run["plan"]["points"]
        launch = json.loads((folder / "launch.json").read_text())
        assert (launch["number"], launch["ranks"], launch["exit_code"], launch["points"]) == (number, 2, 0, 4)
        assert kinds(number) == ["start", "point", "point", "point", "point", "end"]
        assert launch["wall_s"] > 0
    shown = groma("show", "out")
    assert shown.code == 0
    assert "launcher, MPI and engine took" in once(shown)
    assert "of it to start and end (medians over 3 launches)." in once(shown)


def test_a_launch_writes_to_the_disk_once_and_only_after_it(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    synchronised: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda number: synchronised.append(str(Path(f"/proc/self/fd/{number}").readlink()))
    )
    assert groma(*PLAN).code == 0
    names = [Path(path).name.strip(".").rpartition(".")[0] for path in synchronised if "launches" in path]
    assert names == ["launch.json"] * 3


def test_a_launch_whose_plan_is_lost_teaches_a_resume_nothing(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=2 in_launch=2")
    assert groma(*PLAN).code == 1
    monkeypatch.delenv("FAKE_ENGINE")
    Path("out/launches/001/plan.json").write_bytes(b"")
    said = groma("run", "--resume", "out")
    assert said.code == 0
    assert kinds(2) == ["start", *["point"] * 4, "end"]
    assert "3 of 3 launches" in " ".join(said.out.split())


FARTHEST = ("run", "pingpong", "--bytes", "8", "--set", "pattern=farthest", "-n", "4", "--launches", "3", "-o", "out")


def members(number: int) -> list[list[int]]:
    lines = Path("out", "launches", f"{number:03d}", "points.jsonl").read_text().splitlines()
    return [record["members"] for record in map(json.loads, lines) if record["kind"] == "point"]


def test_the_pair_of_the_first_launch_is_that_of_later_ones(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    assert groma(*FARTHEST).code == 0
    assert [members(number) for number in (1, 2, 3)] == [[[0, 2]]] * 3
    known = {"pattern": "farthest", "ranks": 4, "bytes": 8, "placement": "same", "pair": [0, 2], "launch": 1}
    assert document()["pairs"] == [known]
    assert "farthest/4/8@same=0,2" in json.loads(Path("out/launches/002/launch.json").read_text())["command"]
    Path("out/launches/002/points.jsonl").write_text("")
    monkeypatch.setenv("FAKE_ENGINE", "slower=1")
    assert groma("run", "--resume", "out").code == 0
    assert members(2) == [[0, 2]]
    assert document()["pairs"] == [known]


def test_launches_on_other_hosts_have_a_pair_of_their_own(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "moved=1 in_launch=2")
    assert groma(*FARTHEST).code == 0
    assert [members(number) for number in (1, 2, 3)] == [[[0, 2]], [[0, 3]], [[0, 2]]]
    assert [(found["placement"], found["launch"]) for found in document()["pairs"]] == [("same", 1), ("other", 2)]
    shown = once(groma("show", "out"))
    assert "The farthest pair: ranks 0 and 2" in shown
    assert "The farthest pair: ranks 0 and 3" in shown


def test_rank_counts_take_turns(groma: Groma) -> None:
    assert groma(*PLAN, "-n", "4,2").code == 0
    launches = [json.loads(path.read_text())["ranks"] for path in sorted(Path("out").glob("launches/*/launch.json"))]
    assert launches == [2, 4] * 3


def test_a_seed_makes_the_same_plan_twice(groma: Groma) -> None:
    for name in ("a", "b"):
        assert groma("run", "barrier", "--set", "seed=7", "--launches", "1", "-o", name).code == 0
    assert Path("a/launches/001/plan.json").read_text() == Path("b/launches/001/plan.json").read_text()
    assert document("a")["seed"] == 7


def test_a_plan_the_engine_refuses_leaves_nothing(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "refuse=1")
    said = groma(*PLAN)
    said.refuses("the plan does not fit this machine; use fewer bytes")
    assert not Path("out").exists()


def test_ranks_that_run_alone_are_refused(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_MPIEXEC", "singletons")
    for arguments in (PLAN, ("quick", "-o", "out")):
        said = groma(*arguments)
        assert said.code == (2 if arguments is PLAN else 1)
        assert "was asked for 2 ranks, but MPI saw 1" in said.err
        assert not Path("out").exists()


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("die_after=2", "Launch 2 ended with exit code 137 after 2 of 4 points"),
        ("full_after=2", "No space left on device"),
        ("wrong_at=1", "Launch 2: pingpong 16 B failed: rank 1, offset 3: expected 7, found 0"),
        ("timeout_at=1", "pingpong 16 B was skipped in later launches"),
    ],
)
def test_a_launch_that_fails_costs_only_itself(
    groma: Groma, monkeypatch: pytest.MonkeyPatch, fault: str, says: str
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", f"{fault} in_launch=2")
    said = groma(*PLAN)
    assert said.code == 1
    assert says in re.sub(r"\s+", " ", said.err)
    assert document()["state"] == "partial"
    assert any(says in note for note in document()["notes"])
    points = 3 if "timeout" in fault else 4
    assert kinds(3) == ["start", *["point"] * points, "end"]
    shown = groma("show", "out")
    assert shown.code == 1
    assert "aunch 2" in once(shown)


def test_a_launcher_that_cannot_start_anything_is_tried_once(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=0")
    said = groma(*PLAN)
    assert said.code == 1
    assert "No launch was started after launch 1" in said.err
    assert sorted(path.name for path in Path("out/launches").iterdir()) == ["001"]


def test_failing_twice_in_a_row_is_enough(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "wrong_at=1")
    assert groma("run", "pingpong", "--bytes", "8,16", "-o", "out").code == 1
    assert len(list(Path("out/launches").iterdir())) == 2


def test_a_point_without_a_figure_is_missing_and_stops_nothing(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "no_samples_at=1")
    said = groma("run", "pingpong", "--bytes", "8,16", "--launches", "3", "-o", "out")
    assert said.code == 1
    assert len(list(Path("out/launches").iterdir())) == 3
    assert document()["state"] == "partial"
    cause = "Launch 3: pingpong 16 B failed: pingpong: no figure, because 40 of 40 repetitions missed their starts"
    assert cause in document()["notes"]
    shown = groma("show", "out", "--checks")
    assert shown.code == 1
    assert "1 point gave none" in once(shown)
    assert groma("export", "out", "--to", "csv").code == 0
    with Path("out/points.csv").open() as file:
        causes = [row["missing"] for row in csv.DictReader(file)]
    assert sum("missed their starts" in cause for cause in causes) == 3


def test_resuming_makes_only_what_is_missing(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=2 in_launch=2")
    assert groma(*PLAN).code == 1
    before = Path("out/launches/001/points.jsonl").stat().st_mtime_ns
    monkeypatch.delenv("FAKE_ENGINE")
    said = groma("run", "--resume", "out")
    assert (said.code, said.last_line) == (0, "out")
    assert document()["state"] == "complete"
    assert Path("out/launches/001/points.jsonl").stat().st_mtime_ns == before
    assert kinds(2) == ["start", *["point"] * 4, "end"]
    assert Path("out/superseded/002/points.jsonl").read_text().count('"kind": "point"') == 2
    assert json.loads(Path("out/launches/002/plan.json").read_text())["seed"] == document()["seed"] + 2


@refused(
    (("run", "--resume", "none"), "holds no run"),
    (("run", "--resume", "out", "--bytes", "8"), "give it nothing but"),
    (("run", "--resume", "out", "barrier"), "give it nothing but"),
)
def test_a_resume_that_makes_no_sense(groma: Groma, arguments: tuple[str, ...], says: str) -> None:
    assert groma(*PLAN).code == 0
    groma(*arguments).refuses(says)


def test_a_run_does_not_mix_engines(groma: Groma, monkeypatch: pytest.MonkeyPatch, fakes: Path) -> None:
    assert groma(*PLAN).code == 0
    other = fakes / "other-engine"
    other.symlink_to(os.environ["GROMA_ENGINE"])
    monkeypatch.setenv("GROMA_ENGINE", str(other))
    said = groma("run", "--resume", "out")
    said.refuses("was measured with")


def test_a_small_budget_says_what_it_did_not_reach(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock that the campaign is given, ten seconds pass whenever it looks."""
    seconds = itertools.count(0.0, 10.0)
    monkeypatch.setattr("groma.run.campaign.Schedule", functools.partial(Schedule, clock=lambda: next(seconds)))
    said = groma("run", "barrier", "--budget", "1m", "-o", "out")
    assert said.code == 0
    assert "The budget of 60 s was spent after" in said.err
    run = document()
    assert run["state"] == "complete"
    assert 0 < run["launches"] == len(list(Path("out/launches").iterdir())) < 10
    assert groma("show", "out").code == 0
