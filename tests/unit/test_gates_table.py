"""The table of `make gates`: what is counted, and in which order gates are made."""

from __future__ import annotations

from collections import Counter

from benchmarks.gates import PLANTED, Ended, alarms_by_rule, order, page


def test_a_budget_that_ends_early_leaves_some_of_all() -> None:
    left = {0.0: 100} | dict.fromkeys(PLANTED[1:], 20)
    planned = list(order(left))
    assert Counter(planned) == left
    half = Counter(planned[: len(planned) // 2])
    assert all(half[share] >= 9 for share in PLANTED)
    assert list(order({0.0: 1, 0.03: 0})) == [0.0]
    assert list(order(dict.fromkeys(PLANTED, 0))) == []


def test_the_rule_looks_at_every_point_of_both_runs() -> None:
    before = {("bcast", 8): 100.0, ("bcast", 64): 100.0, ("barrier", None): 50.0}
    assert not alarms_by_rule(before, {("bcast", 8): 109.0, ("bcast", 64): 80.0, ("gather", 8): 900.0})
    assert alarms_by_rule(before, {("bcast", 8): 100.0, ("bcast", 64): 111.0})


def test_gates_of_a_kind_are_counted_together() -> None:
    def ended(planted: float, code: int, launches: int, minutes: float, *, advisory: bool, by_rule: bool) -> Ended:
        return Ended(planted, code, advisory, by_rule, launches, minutes, 10, "2 CPUs")

    said = page(
        [
            ended(0.0, 0, 10, 1.0, advisory=False, by_rule=False),
            ended(0.0, 125, 30, 2.0, advisory=False, by_rule=True),
            ended(0.1, 4, 50, 3.0, advisory=False, by_rule=True),
            ended(0.1, 125, 50, 5.0, advisory=True, by_rule=True),
        ]
    )
    assert said.rows == [
        ["nothing", "2", "0 (0%)", "0 (0%)", "1 (50%)", "1 (50%)", "20", "1.5"],
        ["10%", "2", "1 (50%)", "1 (50%)", "0 (0%)", "2 (100%)", "50", "4.0"],
    ]
    assert "**0 (0%) of 2 gates alarm although nothing changed" in said.text("gates", [])
