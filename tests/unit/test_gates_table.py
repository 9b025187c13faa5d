"""The table of `make gates`: what is counted, and in which order gates are made."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from benchmarks.gates import PLANTED, Ended, alarms_by_rule, known, order, page, table


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


def test_gates_of_a_kind_are_counted_together(tmp_path: Path) -> None:
    ended = [
        Ended(0.0, 0, advisory=False, by_rule=False, launches=10, minutes=1.0),
        Ended(0.0, 125, advisory=False, by_rule=True, launches=30, minutes=2.0),
        Ended(0.1, 4, advisory=False, by_rule=True, launches=50, minutes=3.0),
        Ended(0.1, 125, advisory=True, by_rule=True, launches=50, minutes=5.0),
    ]
    file = tmp_path / "gates.jsonl"
    file.write_text("".join(f"{json.dumps(asdict(one))}\n" for one in ended))
    assert known(file) == ended
    assert known(tmp_path / "none") == []
    lines = table(ended)
    assert lines[2:] == [
        "| nothing | 2 | 0 (0%) | 0 (0%) | 1 (50%) | 1 (50%) | 20 | 1.5 |",
        "| 10% | 2 | 1 (50%) | 1 (50%) | 0 (0%) | 2 (100%) | 50 | 4.0 |",
    ]
    assert "Made by `make gates`" in page(lines, 10)
