"""Headline intervals hold for another run, and the answer says how the machine is beside its last runs."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_runs import QUIET, change_document, change_records, made
from rich.console import Console
from synthetic import Scenario

from groma.analysis import checks, summarise
from groma.analysis.compare import RUN_DEVIATION, another_run
from groma.analysis.otherruns import other_runs_of
from groma.report import print_run
from groma.report.figures import ShownFigure, figures_of, scope_of
from groma.report.lastruns import answer_of
from groma.report.page import render
from groma.results import load_run
from groma.text.checks import Check

RUNS = 600


@pytest.mark.parametrize(("run_sd", "launch_sd"), [(0.02, 0.01), (0.01, 0.03), (0.0, 0.02)])
@pytest.mark.parametrize("known", [3, 5, 10])
def test_another_run_lies_in_the_interval_of_a_run_with_95_per_cent(
    known: int, run_sd: float, launch_sd: float
) -> None:
    """Runs and launches scatter by known amounts; the interval is by the runs before it."""
    random = np.random.default_rng(45)
    held = 0
    for _ in range(RUNS):
        runs = random.normal(0, run_sd, (known + 1, 1)) + random.normal(0, launch_sd, (known + 1, 10))
        *before, own, other = runs
        found = another_run(own, [before])
        assert found.runs == known
        held += bool(abs(np.median(other) - np.median(own)) <= found.reach)
    least = 0.95 - 3 * np.sqrt(0.95 * 0.05 / RUNS)
    # Above 95 % if launches explain all: the interval is no narrower than by them.
    assert least <= held / RUNS <= (0.99 if run_sd else 1.0)


@pytest.mark.parametrize("launch_sd", [0.005, 0.02])
def test_the_default_holds_where_runs_differ_as_it_says(launch_sd: float) -> None:
    random = np.random.default_rng(45)
    held = 0
    for _ in range(RUNS):
        runs = random.normal(0, RUN_DEVIATION, (2, 1)) + random.normal(0, launch_sd, (2, 10))
        found = another_run(runs[0])
        assert found.runs == 0
        held += bool(abs(np.median(runs[1]) - np.median(runs[0])) <= found.reach)
    assert abs(held / RUNS - 0.95) <= 0.03


def test_a_lasting_change_is_no_spread(tmp_path: Path) -> None:
    """From the sixth run on, allreduce takes 1.3 times as long; the last run's interval knows how runs differ."""
    for at in range(10):
        _made(tmp_path, at, slower={"allreduce": 1.3} if at >= 5 else {})
    shown = {one.title: one.another for one in _figures(tmp_path / "0009")}
    assert shown["Allreduce"] is not None
    assert shown["Allreduce"].runs == 10
    assert shown["Allreduce"].deviation < 0.05


def test_a_headline_says_by_which_runs_its_interval_is_known(tmp_path: Path) -> None:
    for at in range(4):
        _made(tmp_path, at)
    assert "by 4 runs here, which differ by" in scope_of(_figures(tmp_path / "0003"))
    alone = _figures(_made(tmp_path / "alone", 0))
    assert scope_of(alone) == (
        "Intervals are for another run in this state of the machine (95 %), by the default that runs differ by 2.0% "
        "(fewer than 3 runs here)."
    )
    (latency,) = (one for one in alone if one.title == "Latency")
    ends = [float(end) for end in latency.interval.split(" to ")]
    assert ends[1] / ends[0] > np.exp(2 * 1.96 * np.sqrt(2) * RUN_DEVIATION), "at least what runs differ by"
    assert latency.interval_name == "another run, 95%"


def test_runs_in_another_state_of_the_machine_do_not_count(tmp_path: Path) -> None:
    for at in range(6):
        _in_state(_made(tmp_path, at, slower={"pingpong": 1.5} if at < 3 else {}), 150.0 if at < 3 else 63.0)
    (latency, *_) = _figures(tmp_path / "0005")
    assert latency.another is not None
    assert (latency.another.runs, latency.another.deviation < 0.05) == (3, True)
    answer = _answer(tmp_path / "0005")
    assert answer.text.startswith(
        "The machine is in another state than in 3 of its last 5 runs here: core-to-core latency 63 ns now, "
        "150 ns then."
    )
    assert answer.text.endswith("5 earlier runs here; a comparison needs 3 in this state of the machine.")
    assert answer.state == "unknown"


def test_the_first_run_of_the_health_check_is_kept_as_the_first(tmp_path: Path) -> None:
    run = _made(tmp_path, 0)
    assert "kept as the first" in _answer(run).text
    change_document(run, name="other")
    assert _answer(run).text.startswith("The figures"), "of other plans, how far the figures can be trusted"


def test_too_few_runs_are_said_to_be_too_few(tmp_path: Path) -> None:
    for at in range(2):
        _made(tmp_path, at)
    answer = _answer(tmp_path / "0001")
    assert answer == Check(
        "machine", "unknown", "1 earlier run here; a comparison needs 3 in this state of the machine."
    )


def test_an_unchanged_machine_is_as_in_its_last_runs(tmp_path: Path) -> None:
    for at in range(7):
        _made(tmp_path, at)
    answer = _answer(tmp_path / "0006")
    assert answer.state == "good"
    assert answer.text.startswith("The machine is as in its last 6 runs here: ")


def test_what_is_worse_is_named_with_its_ratio(tmp_path: Path) -> None:
    for at in range(7):
        _made(tmp_path, at, slower={"allreduce": 1.4} if at == 6 else {})
    answer = _answer(tmp_path / "0006")
    assert answer.state == "warn"
    found = re.match(r"Worse than its last 6 runs here: Allreduce (\S+) times \((\S+) to (\S+)\)", answer.text)
    assert found
    assert float(found[2]) < 1.4 < float(found[3])
    assert _answer(tmp_path / "0005").state == "good", "later runs are not its last runs"


def test_a_lower_rate_is_worse_and_its_ratio_below_one(tmp_path: Path) -> None:
    scenario = replace(QUIET, operations=("pingpong",))
    for at in range(7):
        _made(tmp_path, at, scenario, {"pingpong": 1.4} if at == 6 else {})
    answer = _answer(tmp_path / "0006").text
    assert re.search(r"Peak bandwidth 0\.7\d+ times", answer)
    assert re.search(r"Latency 1\.[34]\d* times", answer)


def test_other_software_is_no_earlier_run(tmp_path: Path) -> None:
    for at in range(4):
        _made(tmp_path, at, replace(QUIET, library="another" if at == 3 else "one"))
    assert "No earlier run of this plan by the same software" in _answer(tmp_path / "0003").text


def test_the_first_screen_is_answer_figures_and_one_line_of_checks(tmp_path: Path) -> None:
    run = _made(tmp_path, 0)
    lines = _printed(run)
    answer, latency, line = (
        next(at for at, text in enumerate(lines) if words in text)
        for words in ("kept as the first", "  Latency", "checks passed")
    )
    assert answer < latency < line
    assert "groma show RUN --checks" in " ".join(map(str.strip, lines[line : line + 3]))
    assert not any("All ranks on one host" in text for text in lines)
    assert any("All ranks on one host" in text for text in _printed(run, all_checks=True))


def test_failed_checks_are_first(tmp_path: Path) -> None:
    lines = _printed(_made(tmp_path, 0, replace(QUIET, oversubscribed=True)))
    assert lines[2].lstrip().startswith("✗ oversubscription")
    assert next(at for at, text in enumerate(lines) if "Not trustworthy" in text) < next(
        at for at, text in enumerate(lines) if "  Latency" in text
    )


def test_the_page_has_the_answer_first_and_all_checks_folded(tmp_path: Path) -> None:
    page = render(load_run(_made(tmp_path, 0)))
    places = [
        page.index(words) for words in ("kept as the first", 'id="figures"', "checks passed", "All ranks on one host")
    ]
    assert places == sorted(places)
    assert page.rfind("<details", 0, places[3]) > page.rfind("</details>", 0, places[3])


def _made(folder: Path, seed: int, scenario: Scenario = QUIET, slower: dict[str, float] | None = None) -> Path:
    run = made(folder / f"{seed:04}", seed, scenario, slower)
    change_document(run, created=f"2026-01-02T03:{seed:02}:05+00:00", name="quick")
    return run


def _in_state(run: Path, line_ns: float) -> None:
    def place(record: dict[str, Any]) -> None:
        if record["kind"] == "start":
            record["limits"]["line_bounce_ns"] = line_ns

    change_records(run, place)


def _figures(run: Path) -> list[ShownFigure]:
    loaded = load_run(run)
    return figures_of(summarise(loaded), other_runs_of(loaded))


def _answer(run: Path) -> Check:
    loaded = load_run(run)
    summaries = summarise(loaded)
    return answer_of(loaded, summaries, checks(loaded, summaries), other_runs_of(loaded))


def _printed(run: Path, *, all_checks: bool = False) -> list[str]:
    out = StringIO()
    print_run(load_run(run), Console(file=out, width=100), all_checks=all_checks)
    return out.getvalue().splitlines()
