"""`groma gate --over` and `--visit`: runs apart in time, and gates that stay open between calls."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest
from fakes import Groma, refused
from planted_runs import QUIET, change_document, made

from groma.decide import visits
from groma.decide.visits import family_at, lie_apart
from groma.launch.process import Interrupts
from groma.results import Run, load_run

VISIT = ("gate", "base", "--visit", "gates")


@pytest.fixture
def measured(groma: Groma) -> Groma:
    """Three runs of the fake engine, kept as the baseline `base`."""
    for number in (1, 2, 3):
        assert groma("run", "bcast", "--bytes", "8,64K", "--launches", "6", "-o", f"old/{number}").code == 0
    assert groma("baseline", "set", "base", "old/1", "old/2", "old/3").code == 0
    return groma


def ended() -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in sorted(Path("gates").glob("*/gate.json"))]


def test_a_visit_without_suspects_closes_its_gate_and_the_next_opens_another(measured: Groma) -> None:
    for count in (1, 2):
        said = measured(*VISIT)
        assert said.code == 0, said.out
        assert [document["code"] for document in ended()] == [0] * count


def test_visits_add_to_the_open_gate_until_they_show_the_regression(
    measured: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=65536")
    first = measured(*VISIT)
    assert first.code == 125
    assert first.out.startswith("Not decided yet: 1 of 5 runs: 1 of 2 points may be slower than base by more than 5 %:")
    assert "at most 4 more runs decide." in first.out
    second = measured(*VISIT, "--strict")
    assert second.code == 4, second.out
    (document,) = ended()
    assert (document["code"], document["visits"]) == (4, 5)
    (folder,) = Path("gates").iterdir()
    assert {point["bytes"] for point in load_run(folder / "confirm-1").meta.plan.points} == {65536}, "suspects alone"
    assert measured(*VISIT).code == 125
    assert len(ended()) == 2, "a decided gate is closed"


def test_a_gate_is_open_for_the_runs_of_its_baseline_alone(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    assert measured(*VISIT).code == 125
    assert measured("baseline", "set", "base", "old/1", "old/2", "--force").code == 0
    assert measured(*VISIT).code == 125
    assert len(ended()) == 2
    said = measured(*VISIT, "--margin", "8%")
    said.refuses("has a margin of 5 % and 5 runs; leave out --margin and --confirm, or remove its gate.json")


def test_runs_of_other_files_close_the_gate_undecided(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    assert measured(*VISIT).code == 125
    monkeypatch.setattr(visits, "same_software", lambda *_: False)
    said = measured(*VISIT)
    assert (said.code, "so their gate is closed undecided" in said.err) == (1, True)
    assert [document["code"] for document in ended()] == [125]


def test_a_gate_over_a_time_says_what_it_can_see_and_goes_on_after_an_interrupt(
    measured: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    waited: list[float] = []

    class Interrupted(Interrupts):
        def wait(self, timeout_s: float) -> None:
            waited.append(timeout_s)
            self.received = signal.SIGINT if len(waited) == 1 else None

    monkeypatch.setattr(visits, "Interrupts", Interrupted)
    said = measured("gate", "base", "--over", "20m", "--strict")
    assert said.code == 1
    assert (
        "So far 1 of 5 runs: 2 of 2 points may be slower than base by more than 5 %: bcast 8 B (1.20 times" in said.err
    )
    assert "interrupted with 1 of 5 runs" in said.err
    again = measured("gate", "base", "--over", "20m", "--strict")
    assert again.code == 4, again.out
    assert len(list(Path("runs").iterdir())) == 1
    assert 290 <= waited[0] <= 300


def test_what_was_not_whole_is_measured_again(measured: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    assert measured(*VISIT).code == 125
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1")
    assert measured(*VISIT).code == 1
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    assert measured(*VISIT, "--strict").code == 4
    (folder,) = Path("gates").iterdir()
    assert len(list(folder.glob("confirm-*"))) == 2


@refused(
    ("--visit gates --over 1m", "--visit makes one run in its folder; leave out --over, --output and --bisect"),
    ("--visit gates -o here", "--visit makes one run in its folder"),
    ("--visit gates --bisect true", "--visit makes one run in its folder"),
    ("--over 1m --budget 2m", "--budget is for the gate's runs, and is longer than --over"),
    ("--over soon", "'soon' is not a time"),
    ("old/1 --over 1m", "runs that exist are not measured again"),
)
def test_wrong_wishes_are_one_sentence(groma: Groma, arguments: str, says: str) -> None:
    made(Path("old/base"), 1)
    assert groma("baseline", "set", "base", "old/base").code == 0
    groma("gate", "base", *arguments.split()).refuses(says)
    assert not Path("runs").exists()


def test_rounds_at_an_interval_need_no_visits(groma: Groma) -> None:
    assert groma("run", "barrier", "--times", "1", "--every", "1s", "-o", "old").code == 0
    groma("gate", "old", "--over", "1m").refuses("leave out --over and --visit")


def test_a_budget_is_that_of_one_visit_or_shared_by_the_runs_of_a_time(
    measured: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slower=20")
    assert measured(*VISIT, "--budget", "2m").code == 125
    (folder,) = Path("gates").iterdir()
    assert load_run(folder).meta.budget_s == 120
    shutil.rmtree("gates")
    measured("gate", "base", "--over", "4s", "--confirm", "2", "--budget", "4s", "-o", "new")
    assert load_run("new").meta.budget_s == pytest.approx(2.4)


def test_all_looks_together_have_five_per_cent() -> None:
    for count in (2, 3, 5, 9):
        shares = [1 / family_at(visit, count, 1000) for visit in range(2, count + 1)]
        last = shares[-1:] if count == 2 else shares
        assert 0.98 <= 1000 * sum(last) <= 1.0
        assert shares[-1] == max(shares)


@pytest.mark.usefixtures("groma")
def test_runs_lie_apart_beside_those_of_the_baseline() -> None:
    def at(name: str, *moments: str) -> list[Run]:
        for moment in moments:
            change_document(made(Path(f"{name}/{moment}"), 1, QUIET), created=f"2026-03-{moment}:00+00:00")
        return [load_run(f"{name}/{moment}") for moment in moments]

    days, hours, minutes = (
        at("a", "01T02:00", "02T02:00"),
        at("b", "01T02:00", "01T04:00"),
        at("c", "01T02:00", "01T02:09"),
    )
    assert lie_apart(hours, hours)
    assert not lie_apart(minutes, hours)
    assert not lie_apart(hours, days)
    assert lie_apart(hours, days[:1])
    assert not lie_apart(minutes, days[:1])
