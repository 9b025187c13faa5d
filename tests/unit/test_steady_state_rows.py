"""When a row of `make steady` is right, flagged or silently wrong, and what is planted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.doubt_shares import Series, share_of, shares
from benchmarks.planted import PLANTS, Plant, Seen, read_seen, words
from benchmarks.steady_page import page
from benchmarks.steady_state import Case, Row, plan, rows_of
from groma.analysis.steadiness import Doubt


def cases(ratio: float, doubts: tuple[Doubt | None, ...], control: float = 1.0) -> list[Case]:
    return [Case("embedded", "pingpong", "drift", 1000.0, 1000 * ratio, control, doubt) for doubt in doubts]


@pytest.mark.parametrize(
    ("ratio", "doubts", "verdict"),
    [
        (1.019, (None,) * 6, "right"),
        (1.021, (None,) * 6, "wrong"),
        (0.5, ("slower", None, None, None, None, None), "wrong"),
        (0.5, ("slower", "changed", "unseen", None, None, None), "flagged"),
        (1.0, ("unsteady",) * 6, "right"),
    ],
)
def test_a_row_is_right_or_told(ratio: float, doubts: tuple[Doubt | None, ...], verdict: str) -> None:
    assert Row(cases(ratio, doubts)).verdict == verdict


def test_what_the_control_is_uncertain_by_is_allowed() -> None:
    unsure = [Case("a", "b", "c", 1000.0, 1030.0, ratio, None) for ratio in (0.97, 0.98, 1.0, 1.0, 1.02, 1.03)]
    assert 0.045 < Row(unsure).allowed <= 0.05
    assert Row(unsure).verdict == "right"
    very = [Case("a", "b", "c", 1000.0, 1030.0, ratio, None) for ratio in (0.9, 0.95, 1.0, 1.0, 1.05, 1.1)]
    assert Row(very).verdict == "inconclusive"


def test_a_wide_interval_that_holds_the_truth_tells_and_a_narrow_one_does_not() -> None:
    verdicts = [
        Row([Case("a", "b", "c", 1000.0, 1500.0, 1.0, None, width, covered)]).verdict
        for width, covered in ((0.6, True), (0.6, False), (0.04, True))
    ]
    assert verdicts == ["flagged", "wrong", "wrong"]


def test_launches_of_one_plant_make_one_row_and_the_page_counts_the_wrong_ones() -> None:
    rows = rows_of([*cases(1.0, (None, None)), *cases(2.0, (None,)), Case("x", "y", "z", 1.0, 2.0, 1.0, None)])
    assert [len(row.cases) for row in rows] == [3, 1]
    lines = [row.line(launches=3) for row in rows]
    assert (lines[1].true_ns, lines[1].figure_ns, lines[1].off, lines[1].check) == (1.0, 2.0, 1.0, "steady")
    said = page(lines, shares([Series("x", "y", 1, "z", doubted=False)]))
    text = " ".join(said.text("steady", []).split())
    assert "**Of 2 figures 1 are right and 0 carry the warning" in text
    assert "Wrong without a warning: 1.**" in text
    assert list(said.rows[1]) == ["z", "0", "0", "0", "1", "+100.0% (x, y)"]


def test_series_in_doubt_are_counted_for_each_library_and_the_alarm_lies_above_those_without_a_plant() -> None:
    def series(doubted: int, plant: str, library: str = "embedded") -> list[Series]:
        return [
            Series(library, "pingpong", launch, plant, place < doubted, place)
            for launch in range(10)
            for place in range(10)
        ]

    quiet = [*series(6, "none"), *series(1, "every 10th call"), *series(10, "drift over 20000 calls")]
    found = {one.planted: one for one in shares(quiet)}
    counts = [(found[kind].doubted, found[kind].series) for kind in ("none", "passing", "lasting")]
    assert counts == [(60, 100), (10, 100), (100, 100)]
    assert [(found[kind].alarms, found[kind].points) for kind in ("none", "lasting")] == [(6, 10), (10, 10)]
    assert (round(found["passing"].low, 2), round(found["lasting"].low, 2)) == (0.05, 0.96)
    assert all(one.alarm_tells for one in found.values())
    disturbed = [replace(one, library="intel", doubted=True) for one in quiet]
    both = shares([*quiet, *disturbed])
    assert [one.library for one in both if not one.alarm_tells] == ["intel"]
    assert "says nothing on intel pingpong" in page([Row(cases(1.0, (None,))).line(1)], both).text("steady", [])


def test_series_of_one_launch_that_are_alike_are_worth_fewer() -> None:
    alike = share_of([[True] * 10] * 6 + [[False] * 10] * 4)
    independent = share_of([[True] * 6 + [False] * 4] * 10)
    assert alike[:2] == independent[:2] == (60, 100)
    assert [round(end, 3) for end in independent[2:]] == [0.497, 0.697]  # exact interval of 60 of 100
    assert alike[2] < 0.3
    assert alike[3] > 0.85


def test_every_plant_has_a_control_before_and_after_it_and_a_size_of_its_own() -> None:
    points, plants, sizes = plan("allreduce", {"slot_s": 0.1})
    assert [plant is None for plant in plants] == [True, False] * len(PLANTS) + [True]
    assert [sizes.get(point["bytes"]) for point in points] == plants
    assert set(sizes.values()) == set(PLANTS)
    assert all(size % 4 == 0 for size in sizes)
    assert plants[1] is not None
    assert plants[1].kind.startswith("late")


def test_truths() -> None:
    assert Plant("", "first:5").true_ns(100, Seen(0, 0), block=True) == 100
    assert Plant("", "after:5").true_ns(100, Seen(50_000, 0), block=True) == 50_100
    for phases in ("telegraph:200", "switch:300"):
        assert Plant("", phases, share=0.2).true_ns(100, Seen(20, 0), block=True) == 110
    assert [Plant("", "every:10").true_ns(100, Seen(0, 5120), block=block) for block in (True, False)] == [5120, 100]


def test_words_of_the_interposer_and_what_it_left(tmp_path: Path) -> None:
    planted = {2004: Plant("", "every:10"), 1996: Plant("", "telegraph:200", share=0.2)}
    assert words(planted, 1000) == "1996:telegraph:200:0.200,2004:every:10:50.000"
    (tmp_path / "planted").write_text("1996 7000 0.200 0.0000\n2004 6500 0.000 5.1200\n")
    assert read_seen(tmp_path / "planted") == {1996: Seen(200, 0), 2004: Seen(0, 5120)}
