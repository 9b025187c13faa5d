"""What Groma advises can be done, and helps: settings, numbers of launches and commands in what it prints."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from doubted_points import changed, checks_of
from fakes import Groma
from planted_runs import QUIET, made

from groma.analysis import series, side_by_side, summarise
from groma.analysis.compare import Comparison, Paired, fewest_launches, judge
from groma.analysis.remedies import further_launches
from groma.decide import Compared, Side, compare_sides, compare_variants
from groma.decide.formats import written
from groma.report.ranking import rankings
from groma.report.tables import variant_note
from groma.results import load_run
from groma.text.numbers import microseconds

NOISY = replace(QUIET, launch_effect=0.2, launches=8)
VARIANTS = ("run", "pingpong", "--bytes", "8:512", "--variant", "a", "--variant", "b:FAKE_ENGINE=slower=1")


def compared(one: Path, other: Path) -> Compared:
    return compare_sides(Side(one.name, [load_run(one)]), Side(other.name, [load_run(other)]))


def test_two_runs_that_are_not_decided_need_runs_and_not_launches(tmp_path: Path) -> None:
    found = compared(made(tmp_path / "a" / "one", 1, NOISY), made(tmp_path / "b" / "other", 2, NOISY))
    undecided = [row for row in found.rows if row.judged.verdict == "not decided"]
    assert undecided
    assert {row.words for row in undecided} == {"not decided (needs more runs)"}
    points = json.loads(written(found, "json"))["points"]
    further = {(point["further"], point["unit"]) for point in points if point["verdict"] == "not decided"}
    assert further == {(None, "run")}


def test_runs_whose_spread_is_known_say_how_many_more_would_decide(tmp_path: Path) -> None:
    paths = [made(tmp_path / f"run-{seed}", seed, NOISY) for seed in range(6)]
    found = compared(*paths[:2])
    undecided = [row for row in found.rows if row.judged.verdict == "not decided"]
    assert undecided
    for row in undecided:
        assert re.search(r"more runs? would", row.words)
        assert row.further


@pytest.mark.parametrize(
    ("settings", "stopped_by", "advice"),
    [
        ({"stop": "ci", "slot_s": 0.05}, "slot", "--set slot_s=0.2"),
        ({"stop": "time", "slot_s": 0.05}, "slot", "--set slot_s=0.2"),
        ({"stop": "reps", "repetitions": 12}, "repetitions", "--set repetitions=48"),
        ({"stop": "time", "max_repetitions": 500}, "repetitions", "--set max_repetitions=2000"),
        ({"stop": "rse", "slot_s": 0.05}, "precision", "--set stop=time"),
    ],
)
def test_more_samples_are_advised_by_what_ended_the_measurement(
    tmp_path: Path, groma: Groma, settings: dict[str, object], stopped_by: str, advice: str
) -> None:
    point = {"operation": "allreduce", "bytes": 8} | settings
    doubted = {"state": "unsteady", "verified": False, "stopped_by": stopped_by, "point": point}
    text = checks_of(changed(tmp_path, doubted))["steady state"].text
    assert f"Measure with {advice}" in text
    assert groma("run", "allreduce", *advice.split(), "--dry-run").code == 0


@pytest.mark.parametrize(("stop", "advice"), [("ci", "--set settle_s=2"), ("rse", "--set warmups=40")])
def test_more_calls_before_the_samples_are_advised_by_what_makes_them(tmp_path: Path, stop: str, advice: str) -> None:
    point = {"operation": "allreduce", "bytes": 8, "stop": stop}
    text = checks_of(changed(tmp_path, {"verified": False, "point": point}))["steady state"].text
    assert f"Measure with {advice}" in text


def test_a_quick_check_takes_the_settings_that_it_advises(groma: Groma) -> None:
    groma("quick", "--set", "slot_s=0.125", "--launches", "1", "-o", "out")
    points = json.loads(Path("out/run.json").read_text())["plan"]["points"]
    assert {point["slot_s"] for point in points} == {0.125}


def test_launches_that_would_decide_are_made_by_the_command_that_is_printed(groma: Groma) -> None:
    assert groma(*VARIANTS, "--launches", "4", "-o", "out").code == 0
    found = compare_variants(load_run("out"), ("a", "b"))
    assert found.count("not decided") == len(found.rows), "four launches decide nothing"
    (said,) = [sentence for sentence in found.sentences if "--resume" in sentence]
    command = said.partition(": groma ")[2].rstrip(".").replace("RUN", "out").split()
    assert groma(*command).code == 0
    again = compare_variants(load_run("out"), ("a", "b"))
    assert again.rows[0].judged.comparison.launches == int(command[-1])
    assert again.count("not decided") < len(again.rows)


def test_nothing_is_advised_where_everything_is_decided_or_nothing_can_be() -> None:
    same, hopeless = (Comparison(Paired(values), 1.0) for values in ([0.0] * 8, [-0.9, 0.9, -0.8, 0.8, -0.7, 0.72]))
    assert further_launches(judge([same])) == []
    assert further_launches(judge([hopeless], margin=0.01)) == []
    assert len(further_launches(judge([hopeless], margin=0.5))) == 1


def test_what_is_not_decided_is_not_said_to_differ(groma: Groma) -> None:
    assert groma(*VARIANTS, "--launches", "1", "-o", "out").code == 0
    run = load_run("out")
    both = side_by_side(run, series(summarise(run)))[0]
    ratios = [0.03, 0.031, 0.04, 0.06, 0.07, 0.065, 0.05, 0.055, 0.045, 0.052, 0.048]
    differing = judge([Comparison(Paired(ratios), 1.0)] * len(both.sizes))
    assert all(one.differs and one.verdict == "not decided" for one in differing)
    undecided = replace(both, pairs={("a", "b"): dict(zip(both.sizes, differing, strict=True))}, margin=0.05)
    note = variant_note(undecided)
    ((_, sentence),) = rankings([undecided])
    assert sentence.startswith("No winner: neither a nor b is shown to be faster")
    assert f"groma run --resume RUN --launches {len(ratios) + differing[0].further_launches}" in note


def test_variants_get_as_many_launches_as_their_ratios_need(groma: Groma) -> None:
    sixteen = (*VARIANTS[:3], "8:256K", *VARIANTS[4:], "--variant", "third:X=2", "--variant", "fourth:X=3")
    fewest = fewest_launches(16 * 6)  # all pairs of four
    assert fewest == 12
    chosen = groma(*sixteen, "--dry-run").out
    assert f"launches of each: {fewest}" in chosen.splitlines()[0]
    assert f"{fewest} launches of each variant: the fewest that can show that one of 96 ratios differs." in chosen
    fewer = groma(*sixteen, "--launches", "8", "--dry-run").out
    assert "launches of each: 8" in fewer.splitlines()[0], "as asked"
    assert f"groma run --resume RUN --launches {fewest}." in fewer
    assert "launches of each: 10" in groma(*VARIANTS, "--dry-run").out.splitlines()[0]


def test_compare_prints_the_times_that_show_prints(tmp_path: Path) -> None:
    for seed in range(6):
        made(tmp_path / f"run-{seed}", seed, NOISY)
    found = compared(tmp_path / "run-0", tmp_path / "run-1")
    assert {row.basis for row in found.rows} == {"runs"}
    assert len(load_run(tmp_path / "run-0").launches) % 2 == 0, "the median lies between two launches"
    for row in found.rows:
        assert [*map(microseconds, row.times_ns)] == [microseconds(row.first.time_ns), microseconds(row.second.time_ns)]
    assert not any("groma show prints" in sentence for sentence in found.sentences)


def test_times_of_several_runs_are_said_to_be_other_than_those_of_show(tmp_path: Path) -> None:
    paths = [made(tmp_path / f"run-{seed}", seed, NOISY) for seed in range(4)]
    several = compare_sides(Side("base", [*map(load_run, paths[:3])]), Side("now", [load_run(paths[3])]))
    (said,) = [sentence for sentence in several.sentences if "groma show prints" in sentence]
    assert said.startswith(f"Times of {len(several.rows)} points are those of the compared launches and runs")


def test_a_run_of_which_a_check_failed_is_named_before_the_verdicts(tmp_path: Path) -> None:
    good = made(tmp_path / "a" / "good", 1, QUIET)
    bad = made(tmp_path / "b" / "bad", 2, replace(QUIET, oversubscribed=True))
    doubt = "bad: Not trustworthy, since checks failed: oversubscription."
    for form in ("text", "markdown"):
        assert doubt in written(compared(good, bad), form)
    assert compared(good, bad).summary().startswith(f"{doubt} bad against good, ")
    assert "trustworthy" not in compared(good, made(tmp_path / "c" / "other", 3, QUIET)).summary()
