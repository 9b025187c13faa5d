"""The page of `make gates`: what is counted, which gates are drawn, and in which order gates are made."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planted_runs import QUIET, change_document, made

from benchmarks.gates import Drawing, alarms_by_rule, order
from benchmarks.gates_page import APART, AT_ONCE, IN_TURNS, PLANTED, Ended, judge, page

ONE = Ended(IN_TURNS, 0, False, 0.0, 0, False, False, 10, 1.0, 10, "2 CPUs")


def test_a_budget_that_ends_early_leaves_some_of_all() -> None:
    left = {0.0: 100} | dict.fromkeys(PLANTED, 40)
    planned = list(order(left))
    assert Counter(planned) == left
    half = Counter(planned[: len(planned) // 2])
    assert all(half[share] >= 19 for share in PLANTED)
    assert list(order({0.0: 1, 0.03: 0})) == [0.0]


def test_the_rule_looks_at_every_point_of_both_runs() -> None:
    before = {("bcast", 8): 100.0, ("bcast", 64): 100.0, ("barrier", None): 50.0}
    assert not alarms_by_rule(before, {("bcast", 8): 109.0, ("bcast", 64): 80.0, ("gather", 8): 900.0})
    assert alarms_by_rule(before, {("bcast", 8): 100.0, ("bcast", 64): 111.0})


def test_gates_of_a_kind_are_counted_together() -> None:
    slower = replace(ONE, planted=0.1, code=4, minutes=3.0)
    drawn = replace(ONE, way=APART, baseline=1, drawn=True, by_rule=True, code=125)
    said = page([ONE, replace(ONE, code=125), slower, slower, drawn, drawn, replace(drawn, drawn=False, code=0)])
    assert said.rows == [
        ["in turns", "4", "0% (0% to 84%)", "50% (1% to 99%)", "-", "100% (16% to 100%)", "2.0"],
        ["apart, baseline of 1", "2", "0% (0% to 84%)", "100% (16% to 100%)", "-", "-", "1.0"],
        ["two runs, a rule of 10%", "2", "100% (16% to 100%)", "0% (0% to 84%)", "-", "-", "-"],
    ]
    text = said.text("gates", [])
    assert "**Gates in turns: 0% (0% to 84%) alarm although nothing changed" in text
    assert "ended with: 0 (of 1 run)." in " ".join(text.split()), "real gates are told apart from drawn ones"


def test_more_false_alarms_than_five_per_cent_are_no_success() -> None:
    alarm = replace(ONE, way=AT_ONCE, code=4)
    assert judge([ONE] * 95 + [replace(ONE, code=4)] * 9)
    assert not judge([ONE] * 95 + [alarm] * 9)
    assert judge([replace(alarm, planted=0.1)] * 9)


def test_a_drawn_gate_has_slots_of_its_own_and_finds_what_was_planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seen: list[tuple[int, float]] = []
    steady = replace(QUIET, launch_effect=0.004)

    class Runs:
        launches = 10

        def run(self, slot: int, share: float) -> Path:
            seen.append((slot, share))
            path = Path(f"series/{slot}-{share}/run")
            made(path, 1 + slot, steady, {"allreduce": 1 + 3 * share} if share else None)
            change_document(path, created=f"2026-01-02T{slot:02}:00:00+00:00")
            return path

    drawing = Drawing(Runs(), 12)  # type: ignore[arg-type]
    assert len(seen) == len(set(seen)) == 36
    random = np.random.default_rng(3)
    assert drawing.gate(6, 0.10, random).code == 4
    unchanged = drawing.gate(6, 0.0, random)
    assert (unchanged.code, unchanged.way, unchanged.drawn) == (0, APART, True)
