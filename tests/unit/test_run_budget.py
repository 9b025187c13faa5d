"""What fits a budget, and which points get what is left of it."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.catalog import packaged
from groma.results.documents import LibraryDocument, PlanDocument, RunDocument
from groma.run.following import Follower
from groma.run.pace import ASSUMED_OVERHEAD_S, SHORTEST_SLOT_S, Pace, fits, fitting_slot_s, relative_half_widths, widest
from groma.run.schedule import MOST_LAUNCHES, Schedule, Step
from groma.text.counts import plain_duration


def document(launches: int, rank_counts: list[int], budget_s: float | None, points: int) -> RunDocument:
    return RunDocument(
        name="x", profile=None, groma="0", created="", finished=None, state="running", command=[], host="", seed=1,
        launches=launches, rank_counts=rank_counts, budget_s=budget_s,
        plan=PlanDocument("shuffled", [{"operation": "noop", "block": at, "slot_s": 0.1} for at in range(points)]),
        library=LibraryDocument("", "", "", ""), machine={},
    )  # fmt: skip


class Bench:
    """A clock that only moves when a launch is played, and points whose figures the test chooses."""

    def __init__(self, launches: int, rank_counts: list[int], budget_s: float | None, points: int) -> None:
        self.now = 1000.0
        self.played: list[Step] = []
        self.schedule = Schedule(document(launches, rank_counts, budget_s, points), packaged(), clock=lambda: self.now)

    def play(self, overhead_s: float, point_s: float, wobble: dict[int, float], most: int = 1000) -> None:
        """Run the schedule to its end; point i's median varies by the share wobble[i] from launch to launch."""
        for step in self.schedule.steps(set()):
            self.played.append(step)
            follower = Follower(None)  # type: ignore[arg-type]
            for position, index in enumerate(step.indices):
                share = wobble.get(index, 0.0) * (len(self.played) % 5 - 2)
                follower.median_ns[position] = 1000 * (1 + share)
                follower.elapsed_s[position] = point_s
            wall_s = overhead_s + point_s * len(step.indices)
            self.now += wall_s
            self.schedule.learn(step, follower, wall_s)
            assert len(self.played) < most, "the schedule has no end"

    @property
    def spent_s(self) -> float:
        return self.now - 1000.0


def test_without_a_budget_every_launch_measures_everything() -> None:
    bench = Bench(launches=3, rank_counts=[2, 4], budget_s=None, points=2)
    bench.play(1, 1, {})
    assert [(step.number, step.ranks, step.indices) for step in bench.played] == [
        (number, ranks, (0, 1)) for number, ranks in enumerate([2, 4, 2, 4, 2, 4], start=1)
    ]


@given(
    budget_s=st.floats(5, 500),
    overhead_s=st.floats(0.1, 5),
    point_s=st.floats(0.01, 2),
    points=st.integers(1, 8),
    rank_counts=st.sampled_from([[2], [2, 4]]),
)
def test_a_budget_is_exceeded_by_the_first_launch_at_most(
    budget_s: float, overhead_s: float, point_s: float, points: int, rank_counts: list[int]
) -> None:
    bench = Bench(10, rank_counts, budget_s, points)
    bench.play(overhead_s, point_s, {0: 0.05})
    first_s = overhead_s + point_s * points
    assert bench.spent_s <= max(budget_s, first_s) * (1 + 1e-9)


def test_what_is_left_goes_to_the_widest_interval() -> None:
    bench = Bench(launches=6, rank_counts=[2], budget_s=60, points=4)
    bench.play(0.5, 0.5, {1: 0.1})
    assert bench.schedule.cut_short is None
    refining = bench.played[6:]
    assert refining
    assert all(step.indices == (1,) for step in refining)
    assert [step.number for step in bench.played] == list(range(1, len(bench.played) + 1))


def test_steady_points_end_before_the_budget_does() -> None:
    bench = Bench(launches=6, rank_counts=[2], budget_s=1000, points=4)
    bench.play(0.5, 0.5, {})
    assert len(bench.played) == 6


def test_launches_are_added_until_intervals_are_within_what_was_asked() -> None:
    bench = Bench(launches=6, rank_counts=[2], budget_s=None, points=2)
    bench.schedule.document.within = 0.02
    bench.play(1, 1, {0: 0.02})
    assert all(step.indices == (0,) for step in bench.played[6:])
    assert 6 < len(bench.played) < MOST_LAUNCHES
    assert bench.schedule.missed() == []


def test_what_is_not_within_it_after_many_launches_is_said() -> None:
    bench = Bench(launches=6, rank_counts=[2], budget_s=None, points=2)
    bench.schedule.document.within = 1e-6
    bench.play(1, 1, {1: 0.2})
    assert len(bench.played) == MOST_LAUNCHES
    ((index, width),) = bench.schedule.missed()
    assert index == 1
    assert width > 1e-6


def test_a_launch_is_no_more_precise_than_launches_agree() -> None:
    """A third of the standard deviation over launches, once four are known, where nobody asked for a precision."""
    bench = Bench(launches=6, rank_counts=[2], budget_s=None, points=3)
    bench.schedule.document.plan.points[2]["precision"] = 0.01
    bench.play(1, 1, {0: 0.1, 2: 0.1})
    assert [dict(step.precisions) for step in bench.played[:4]] == [{}] * 4
    spread = statistics.stdev([900, 1000, 1100, 1200]) / 1050
    assert bench.played[4].precisions == {0: pytest.approx(spread / 3, abs=1e-4)}


def test_a_budget_that_is_too_small_says_where_it_ended() -> None:
    bench = Bench(launches=10, rank_counts=[2], budget_s=10, points=1)
    bench.play(1, 1, {})
    assert len(bench.played) == 4
    assert bench.schedule.cut_short == 5


def test_launches_already_present_are_not_made_again() -> None:
    bench = Bench(launches=4, rank_counts=[2], budget_s=None, points=1)
    assert [step.number for step in bench.schedule.steps({1, 3})] == [2, 4]


def test_a_dropped_point_is_left_out() -> None:
    bench = Bench(launches=2, rank_counts=[2, 4], budget_s=None, points=2)
    bench.schedule.drop(4, 0)
    assert [(step.ranks, step.indices) for step in bench.schedule.steps(set())] == [
        (2, (0, 1)),
        (4, (1,)),
        (2, (0, 1)),
        (4, (1,)),
    ]


@given(budget_s=st.floats(1, 10_000), launches=st.integers(1, 50), points=st.integers(1, 500))
def test_fitted_slots_fit(budget_s: float, launches: int, points: int) -> None:
    slot_s = fitting_slot_s(budget_s, launches, points)
    assert slot_s >= SHORTEST_SLOT_S
    if slot_s > SHORTEST_SLOT_S:
        assert launches * Pace([slot_s] * points).predict(2, range(points)) <= budget_s


def test_a_launch_starts_only_with_time_to_spare() -> None:
    assert fits(1.0, 1.2)
    assert not fits(1.0, 1.05)


def test_half_widths_need_six_launches() -> None:
    widths = relative_half_widths({(2, 0): [100.0] * 5, (2, 1): [100.0, 90.0, 110.0, 100.0, 95.0, 105.0]})
    assert math.isinf(widths[2, 0])
    assert 0.05 < widths[2, 1] < 0.1  # between the second and the outermost of six, 95 to 105 and 90 to 110


def test_the_widest_points_that_fit_are_chosen() -> None:
    pace = Pace([0.1, 0.1, 10.0])
    widths = {(2, 0): 0.02, (2, 1): 0.3, (2, 2): 0.5, (4, 0): 0.1}
    assert widest(widths, [0.01] * 3, pace, left_s=2.0) == (2, [1])
    assert widest(widths, [1.0] * 3, pace, left_s=2.0) is None
    assert widest(widths, [0.01] * 3, pace, left_s=0.5) is None


def test_predictions_come_from_the_slowest_of_the_last_launches() -> None:
    pace = Pace([0.1])
    assert pace.predict(2, [0]) > ASSUMED_OVERHEAD_S
    for wall_s in (9.0, 2.0, 3.0, 2.5):
        pace.note(2, wall_s, {0: 1.0})
    assert pace.predict(2, [0]) == pytest.approx(3.0)


def test_time_left_is_not_invented() -> None:
    pace = Pace([0.1] * 100)
    points = (2, range(100))
    assert pace.whole_s(points, elapsed_s=1.0, done=5) is None
    assert pace.whole_s(points, elapsed_s=1.0, done=50) == pytest.approx(2.0)
    pace.note(2, 4.0, dict.fromkeys(range(100), 0.03))
    assert pace.whole_s(points, elapsed_s=1.0, done=0) == pytest.approx(4.0)
    assert pace.whole_s(points, elapsed_s=9.0, done=99) == pytest.approx(9.0)


def test_launches_to_come_take_what_was_seen_of_them() -> None:
    schedule = Schedule(document(3, [2, 4], None, 1), packaged())
    assert schedule.later_s(Step(1, 2, (0,)), unseen_s=7.0) == pytest.approx(5 * 7.0)
    schedule.pace.note(2, 3.0, {0: 1.0})
    assert schedule.later_s(Step(1, 2, (0,)), unseen_s=7.0) == pytest.approx(3 * 7.0 + 2 * 3.0)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (8.4, "8 s"), (43, "45 s"), (100, "100 s"), (200, "3 min"), (19800, "5.5 h")]
)
def test_durations_are_no_more_exact_than_estimates_are(seconds: float, text: str) -> None:
    assert plain_duration(seconds) == text
