"""Change points in series of runs: against scipy, linear algebra and simulated truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from benchmarks.changes import MACHINES, PLANTED, Counted, Machine, alarms_by_rule, counted, noise, page
from groma.analysis.changes.changes import FEWEST_RUNS, SHORTEST, Levels, find_changes, p_values, student_t, windows
from groma.analysis.changes.dependence import RunSeries, dependences, mean_variance, usual_likeness

HISTORIES = 40


def series(*stretches: tuple[int, float], spread: float = 0.01, seed: int = 1) -> RunSeries:
    """Return a series with stretches of these numbers of runs at these levels."""
    random = np.random.default_rng(seed)
    return RunSeries(np.concatenate([level + random.normal(0, spread, count) for count, level in stretches]))


def levels(one: RunSeries) -> Levels:
    return find_changes([[one]])[0][0]


def places(one: RunSeries) -> list[int]:
    return [change.at for change in levels(one).changes]


@pytest.mark.parametrize("count", [7, 12, 50])
def test_every_window_has_three_runs_on_either_side_and_none_is_counted_twice(count: int) -> None:
    found = windows(count)
    assert ((found[:, 1] - found[:, 0] >= SHORTEST) & (found[:, 2] - found[:, 1] >= SHORTEST)).all()
    assert found.min() == 0
    assert found.max() == count
    assert len(np.unique(found, axis=0)) == len(found)
    whole = {(0, place, count) for place in range(SHORTEST, count - SHORTEST + 1)}
    assert whole <= set(map(tuple, found.tolist()))


def test_p_values_of_independent_runs_are_those_of_students_test() -> None:
    values = np.random.default_rng(2).normal(5, 1, 30)
    tested = windows(30)
    t = student_t(values, tested)
    p = p_values(tested, t)
    for at in range(0, len(tested), 7):
        begin, change, end = tested[at]
        known = stats.ttest_ind(values[change:end], values[begin:change])
        assert p[at] == pytest.approx(known.pvalue)
        assert t[at] == pytest.approx(abs(known.statistic))


def test_p_values_of_correlated_runs_are_those_of_generalised_least_squares() -> None:
    """A step in a first-order autoregressive series, fitted by linear algebra with the whole covariance matrix."""
    likeness, count, change = 0.6, 14, 6
    values = np.random.default_rng(3).normal(0, 1, count)
    white = values[1:] - likeness * values[:-1]
    design = np.column_stack([np.ones(count), np.arange(count) >= change]).astype(float)
    whitened = design[1:] - likeness * design[:-1]
    fitted, left, *_ = np.linalg.lstsq(whitened, white, rcond=None)
    error = np.sqrt(left[0] / (count - 3) * np.linalg.inv(whitened.T @ whitened)[1, 1])
    window = np.array([[0, change - 1, count - 1]])
    t = student_t(white, window, 1 - likeness)
    p = p_values(window, t)
    assert t[0] == pytest.approx(abs(fitted[1]) / error)
    assert p[0] == pytest.approx(2 * stats.t.sf(t[0], count - 3))


@pytest.mark.parametrize("likeness", [0.0, 0.5, 0.9])
def test_the_variance_of_a_mean_is_that_of_its_covariance_matrix(likeness: float) -> None:
    places = np.arange(9)
    matrix = likeness ** np.abs(np.subtract.outer(places, places))
    assert mean_variance(9, likeness) == pytest.approx(matrix.mean())


@pytest.mark.one_case
@pytest.mark.parametrize("likeness", [0.0, 0.4, 0.7])
@pytest.mark.parametrize("step", [0.0, 0.05, 1.0])
def test_how_alike_neighbours_are_is_known_in_spite_of_a_change(likeness: float, step: float) -> None:
    random = np.random.default_rng(4)
    machine = Machine(0.01, likeness=likeness, length=300)
    steps = step * (np.arange(300) >= 100)
    found = [RunSeries(0.01 * noise(machine, random) + steps) for _ in range(30)]
    assert np.mean([one.likeness for one in found]) == pytest.approx(likeness, abs=0.06)
    reckoned = dependences([RunSeries(0.01 * noise(machine, random)) for _ in range(10)])
    assert all(likeness <= one <= 0.95 for one in reckoned)


def test_series_that_say_nothing_of_it_do_not_count() -> None:
    """Few runs, and equal figures of a coarse clock: they would make the correlation of all smaller."""
    random = np.random.default_rng(7)
    machine = Machine(0.01, likeness=0.6, length=200)
    one = RunSeries(noise(machine, random))
    silent = [RunSeries(np.zeros(200)), RunSeries(np.arange(6.0)), RunSeries(np.zeros(0))]
    assert [series.likeness for series in silent] == [None] * 3
    assert usual_likeness([one, *silent]) == one.likeness
    assert usual_likeness(silent) == 0
    assert dependences([one, *silent])[0] == dependences([one])[0]


def test_a_slow_time_is_found_with_its_begin_and_its_end() -> None:
    """What goes back is masked where the whole series alone is tested."""
    found = levels(series((25, 0.0), (8, 0.1), (25, 0.0)))
    assert [change.at for change in found.changes] == [25, 33]
    assert found.changes[0].shift == pytest.approx(0.1, abs=0.02)
    assert found.changes[1].shift == pytest.approx(-0.1, abs=0.02)
    assert len(found.means) == 3


def test_three_new_runs_are_enough_for_a_large_change() -> None:
    assert places(series((30, 0.0), (3, 0.2))) == [30]


def test_one_or_two_slow_runs_are_no_change() -> None:
    assert places(series((20, 0.0), (1, 0.5), (20, 0.0))) == []
    assert places(series((20, 0.0), (2, 0.5), (20, 0.0))) == []
    assert places(series((30, 0.0), (2, 0.5))) == []


def test_where_p_values_vanish_the_surest_change_still_comes_first() -> None:
    """All windows around a large change in many runs have a p-value of 0: the first of them is no better."""
    found = levels(series((700, 0.0), (300, 0.12)))
    assert [change.at for change in found.changes] == [700]
    assert found.changes[0].earliest == found.changes[0].latest == 700


def test_figures_of_a_coarse_clock_differ_by_no_less_than_their_launches_say() -> None:
    logs = np.log([5000.0] * 10 + [5001.0] * 10)
    assert places(RunSeries(logs)) == [10]
    assert places(RunSeries(logs, explained=0.01**2)) == []
    assert levels(RunSeries(logs, explained=0.01**2)).deviation == pytest.approx(0.01)


@pytest.mark.parametrize("count", range(FEWEST_RUNS))
def test_few_runs_have_no_change(count: int) -> None:
    found = levels(RunSeries(np.array([0.0, 0, 0, 9, 9, 9][:count])))
    assert found.changes == ()
    assert len(found.means) == (1 if count else 0)


@pytest.mark.slow
@pytest.mark.parametrize("machine", [MACHINES[1], MACHINES[3], MACHINES[4]])
def test_at_most_one_history_in_twenty_without_a_change_reports_one(machine: Machine) -> None:
    """Eight series each: of `make changes`, which has 20 and more histories."""
    found = counted(replace(machine, series=8), 0.0, HISTORIES)
    assert found.other <= 0.05
    assert found.found == 0.0


@pytest.mark.one_case
@pytest.mark.parametrize(("machine", "planted", "least"), [(0, 0.03, 0.85), (1, 0.05, 0.75), (2, 0.10, 0.8)])
def test_a_planted_change_is_found_at_its_date_with_its_size(machine: int, planted: float, least: float) -> None:
    found = counted(replace(MACHINES[machine], series=8), planted, HISTORIES)
    assert found.found >= least
    assert found.off is not None
    assert found.off <= 1
    assert found.covered is not None
    assert found.covered >= 0.85
    assert found.dated is not None
    assert found.dated >= 0.9


def test_noise_of_the_simulation_is_as_alike_as_it_says() -> None:
    random = np.random.default_rng(6)
    found: list[NDArray[np.float64]] = [noise(Machine(0.01, likeness=0.6, length=2000), random) for _ in range(4)]
    assert np.std(found) == pytest.approx(1, abs=0.1)
    assert np.mean([np.corrcoef(one[1:], one[:-1])[0, 1] for one in found]) == pytest.approx(0.6, abs=0.05)


def test_the_rule_of_ten_per_cent_looks_at_the_runs_before() -> None:
    assert not alarms_by_rule(np.log([100.0, 100, 100, 100, 100, 109, 90]))
    assert alarms_by_rule(np.log([100.0, 100, 100, 100, 100, 111]))


def test_the_page_states_shares_and_the_worst_false_alarms() -> None:
    machine = str(MACHINES[3])
    assert machine == "runs differ by 2%, correlation 0.6, 20 series of 60 runs"
    found = [Counted(machine, 0.0, 7, 0.0, 0.02, None, None, None, 0.5)]
    found += [Counted(machine, planted, 7, 0.4, 0.0, 1.0, 0.9, 1.0, 0.3) for planted in PLANTED[1:]]
    said = page(found)
    assert said.rows == [[machine, "2%", "40%", "40%", "40%", "40%", "50%"]]
    text = " ".join(said.text("changes", []).split())
    assert "at most 2% report one" in text
    assert "10% is found in 40 to 40%" in text
