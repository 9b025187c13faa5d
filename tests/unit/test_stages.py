"""The stages of a run: what is measured after the plan, what a stage may not have, and going on with one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fakes import Groma, refused
from fakes.libraries import abi_library

from groma.programs.pairs.study import study
from groma.results import load_run

PAIRS = ("run", "--profile", "pairs", "-n", "5", "--launches", "2", "--set", "pause_s=0", "-o", "out")


def names(path: str = "out") -> list[str]:
    """Return the stages of a run in the order in which they were made."""
    documents = [(json.loads(file.read_text()), file.parent.name) for file in Path(path).glob("*/run.json")]
    return [name for _, name in sorted(documents, key=lambda one: (one[0]["created"], one[1]))]


def test_without_suspects_the_screening_is_the_only_stage(groma: Groma) -> None:
    said = groma(*PAIRS)
    assert (said.code, names()) == (0, ["screen"])
    assert "Stage screen: all 10 pairs of 5 ranks in 5 rounds." in said.err
    assert "No slow rank and no slow link was found." in said.out
    points = json.loads(Path("out/screen/run.json").read_text())["plan"]["points"]
    assert len(points) == 5 * 3  # a ping-pong, and a stream each way
    assert all(point["per_rank"] for point in points)
    assert len({point["pattern"] for point in points}) == 10


def test_a_slow_sender_is_measured_alone_and_later_and_named(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slow_sender=3")
    said = groma(*PAIRS)
    assert said.code == 0
    assert {*names()} == {"screen", "alone", "later"}
    assert "Slow rank 3, sending only: stream 65536 B sending takes 4" in said.out
    printed = groma("show", "out", "--style", "pairs").out
    assert "Slow rank 3, sending only" in printed
    assert "lasts" in printed
    settings = json.loads(Path("out/run.json").read_text())["program"]
    assert settings == {"pairs": 2016, "rounds": 12, "suspects": 6, "slow": 1.25, "pause_s": 0.0}


def test_suspects_stay_suspects_until_the_last_stage_is_done(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slow_sender=3")
    assert groma(*PAIRS).code == 0
    document = json.loads(Path("out/later/run.json").read_text())
    Path("out/later/run.json").write_text(json.dumps(document | {"state": "interrupted"}))
    assert "others may be slow too: stage later is interrupted." in groma("show", "out", "--style", "pairs").out
    for stage in ("later", "alone"):
        shutil.rmtree(f"out/{stage}")
        said = groma("show", "out", "--style", "pairs").out
        assert f"no verdict yet: stage {stage} was not measured. Continue with groma run --resume." in said
        assert "Suspect, not confirmed: rank 3, sending only: stream 65536 B sending takes 4.00 times as long" in said
        assert "No slow" not in said
        run = load_run("out")
        marked = [one.marked for one in study(run, []).maps]
        assert marked == [(3,), (3,)]
    shutil.rmtree("out/screen")
    said = groma("show", "out", "--style", "pairs").out
    assert "no verdict yet: stage screen was not measured." in said


def test_what_is_not_slow_any_more_has_passed(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slow_sender=3")
    assert groma(*PAIRS).code == 0
    shutil.rmtree("out/later")
    monkeypatch.delenv("FAKE_ENGINE")
    said = groma("run", "--resume", "out")
    assert said.code == 0
    assert "Passing: rank 3 was slow when measured alone" in said.out
    assert "No slow rank and no slow link was found that lasts." in said.out


def test_a_resumed_run_goes_on_with_the_stage_that_ended_early(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slow_sender=3")
    assert groma(*PAIRS).code == 0
    whole = groma("show", "out", "--style", "pairs").out
    shutil.rmtree("out/later")
    shutil.rmtree("out/alone/launches/002")
    document = json.loads(Path("out/alone/run.json").read_text())
    Path("out/alone/run.json").write_text(json.dumps(document | {"state": "interrupted", "owner": None}))
    assert "Stage alone is interrupted." in groma("show", "out").out
    assert groma("run", "--resume", "out").code == 0
    assert {*names()} == {"screen", "alone", "later"}
    verdict = [line for line in groma("show", "out", "--style", "pairs").out.splitlines() if line.startswith("Slow")]
    assert verdict == [line for line in whole.splitlines() if line.startswith("Slow")]


def test_a_stage_that_fails_leaves_the_run_partial_and_is_the_last(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "slow_sender=3 no_samples_at=4")
    said = groma(*PAIRS)
    assert (said.code, names()) == (1, ["screen"])


def test_a_dry_run_says_that_more_is_decided_later(groma: Groma) -> None:
    said = groma("run", "--profile", "pairs", "--dry-run")
    assert said.code == 0
    assert "# further points follow in stages of their own" in said.out
    assert not Path("runs").exists()


def test_one_library_is_that_of_the_run_and_its_stages(groma: Groma, fakes: Path) -> None:
    library = abi_library(fakes / "opt" / "base", "4.3", "version=7")
    assert groma(*PAIRS, "--mpi", f"base={library}").code == 0
    for folder in (Path("out"), Path("out/screen")):
        assert json.loads((folder / "run.json").read_text())["variants"] == []
        start = json.loads((folder / "launches" / "001" / "points.jsonl").read_text().splitlines()[0])
        assert start["library"]["version"] == "7.0"
    said = groma(*PAIRS[:-1], "two", "--mpi", f"base={library},head={library}/bin/mpiexec")
    assert said.code == 2


@refused(
    (("-n", "4,8"), "the profile pairs measures one number of ranks, not 4,8; give one with -n"),
    (("--budget", "5m"), "the profile pairs cannot have a budget"),
    (("--within", "2%"), "the profile pairs cannot have --within"),
    (("--every", "5m"), "the profile pairs cannot have an interval between rounds"),
    (("--refine", "log"), "the profile pairs cannot have added sizes"),
    (("--calibrate",), "the profile pairs cannot have --calibrate"),
    (("--variant", "a", "--variant", "b:X=1"), "the profile pairs cannot have variants"),
    (("--set", "slow=fast"), "slow needs a number of at least 0, not 'fast'; the profile has 1.25"),
    (("--set", "rounds=2.5"), "rounds needs a whole number of at least 0, not '2.5'; the profile has 12"),
)
def test_what_a_run_with_stages_cannot_have_is_refused_before_it_starts(
    groma: Groma, arguments: tuple[str, ...], says: str
) -> None:
    groma("run", "--profile", "pairs", *arguments).refuses(says)
    assert not Path("runs").exists()


def test_settings_that_no_program_reads_are_refused(groma: Groma) -> None:
    Path("own.toml").write_text('[program]\nslow = 2\n\n[[points]]\noperation = "barrier"\n')
    said = groma("run", "own.toml")
    said.refuses("the plan own has a [program] table, which no program reads; leave it out")


def test_a_wrong_setting_of_a_program_is_refused_with_its_line(groma: Groma) -> None:
    Path("own.toml").write_text('[program]\npause_s = "soon"\n\n[[points]]\noperation = "barrier"\n')
    said = groma("run", "own.toml")
    said.refuses("own.toml, line 2: ", "pause_s needs a number of at least 0, not 'soon'")
