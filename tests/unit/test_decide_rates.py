"""How often a gate alarms where nothing changed, and how often it finds what was planted, in simulated runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from groma.analysis.compare import Sample, compare_runs, judge
from groma.analysis.compare.runs import Between
from groma.decide.gating import CONFIRMATIONS, is_regression, is_suspect
from groma.decide.power import Spread, passing, smallest, visits_for
from groma.decide.visits import family_at

GATES = 200


@dataclass(frozen=True)
class Machine:
    """How much visits, runs of a visit and their launches differ (one sigma, relative), and how alike points are."""

    runs: float
    visits: float = 0.0
    launches: float = 0.02
    alike: float = 0.5
    points: int = 6
    each: int = 10


def levels(machine: Machine, spread: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the levels of all points, which differ by one sigma from run to run, or from visit to visit."""
    common = random.normal(0, spread * machine.alike**0.5)
    return random.normal(common, spread * (1 - machine.alike) ** 0.5, machine.points)


def visit(
    machine: Machine, random: np.random.Generator, runs: int = 1, slower: float = 0.0
) -> list[list[NDArray[np.float64]]]:
    """Return runs in succession: for each the logarithms of the launch figures of every point.

    The first point is `slower` by a share.
    """
    drift = levels(machine, machine.visits, random) if machine.visits else np.zeros(machine.points)
    drift[0] += np.log1p(slower)
    return [
        [
            level + random.normal(0, machine.launches, machine.each)
            for level in drift + levels(machine, machine.runs, random)
        ]
        for _ in range(runs)
    ]


def run(machine: Machine, random: np.random.Generator) -> list[NDArray[np.float64]]:
    """Return the logarithms of the launch figures of every point of one run."""
    return visit(machine, random)[0]


def gate(machine: Machine, baseline: int, random: np.random.Generator, slower: float = 0.0) -> list[bool]:
    """Return for every point whether a gate raises an alarm, in both stages as `groma gate` makes them."""
    base = [run(machine, random) for _ in range(baseline)]
    news_of_visit = visit(machine, random, 1 + CONFIRMATIONS, slower)
    sides = [Sample([one[at] for one in base]) for at in range(machine.points)]
    news = [Sample([one[at] for one in news_of_visit], in_succession=True) for at in range(machine.points)]
    firsts = [replace(new, units=new.units[:1]) for new in news]
    found = [compare_runs(new, side)[0] for new, side in zip(firsts, sides, strict=True)]
    suspects = [at for at, judged in enumerate(judge(found)) if is_suspect(judged.comparison.interval, judged.margin)]
    again = [compare_runs(news[at], sides[at]) for at in suspects]
    judged = judge([comparison for comparison, _ in again], family=machine.points)
    alarms = {at for at, one, (_, basis) in zip(suspects, judged, again, strict=True) if is_regression(one, basis)}
    return [at in alarms for at in range(machine.points)]


def gate_apart(
    machine: Machine, baseline: int, random: np.random.Generator, slower: float = 0.0
) -> tuple[list[int], bool]:
    """Return the points that raise an alarm in a gate of runs apart, at any of its looks, and whether it passes."""
    base = [run(machine, random) for _ in range(baseline)]
    sides = [Sample([one[at] for one in base]) for at in range(machine.points)]
    visits, suspects = 1 + CONFIRMATIONS, list(range(machine.points))
    news = [visit(machine, random, 1, slower)[0] for _ in range(visits)]
    for count in range(1, visits + 1):
        found = [compare_runs(Sample([new[at] for new in news[:count]]), sides[at]) for at in suspects]
        judged = judge([comparison for comparison, _ in found], family=family_at(count, visits, machine.points))
        kept = zip(suspects, judged, found, strict=True)
        alarms = [at for at, one, (_, basis) in kept if count > 1 and is_regression(one, basis)]
        suspects = [
            at for at, one in zip(suspects, judged, strict=True) if is_suspect(one.comparison.interval, one.margin)
        ]
        if alarms or not suspects:
            return alarms, not suspects
    return [], False


DRIFTING = Machine(runs=0.01, visits=0.02, launches=0.01)


@pytest.mark.parametrize(("baseline", "decided"), [(6, 0.45), (12, 0.8)])
def test_runs_apart_decide_and_raise_no_more_alarms_however_often_one_looks(baseline: int, decided: float) -> None:
    random = np.random.default_rng(40)
    ended = [gate_apart(DRIFTING, baseline, random) for _ in range(GATES)]
    assert np.mean([bool(alarms) for alarms, _ in ended]) <= 0.05
    assert np.mean([passed for _, passed in ended]) >= decided


@pytest.mark.parametrize("baseline", [6, 20])
def test_a_baseline_states_the_slowdown_that_its_gates_find(baseline: int) -> None:
    """In four of five gates, with the looks, of visits that differ by 2 % and runs by 1 %; and which points pass."""
    random = np.random.default_rng(41)
    spread = Spread(DRIFTING.visits, DRIFTING.runs)
    stated = smallest(spread, baseline, DRIFTING.points)
    found = [0 in gate_apart(DRIFTING, baseline, random, stated)[0] for _ in range(2 * GATES)]
    assert 0.72 <= np.mean(found) <= 0.9
    alone = replace(DRIFTING, points=1)
    passes = np.mean([gate_apart(alone, baseline, random)[1] for _ in range(GATES)])
    assert abs(passes - passing(spread, baseline)) < 0.08


def test_five_per_cent_takes_more_runs_of_what_differs_more() -> None:
    for machine in (Spread(0.005, 0.002), Spread(0.02, 0.01), Spread(0.04, 0.01)):
        needed = visits_for(machine, 6)
        assert needed is not None
        visits, runs = needed
        assert smallest(machine, visits, 6, runs=runs, margin=0.01) <= 0.05
        assert smallest(machine, visits - 1, 6, runs=min(runs, visits - 1), margin=0.01) > 0.05 or visits == 3
    assert visits_for(Spread(0.5, 0.1), 6) is None


def share(machine: Machine, baseline: int, slower: float = 0.0) -> float:
    random = np.random.default_rng(14)
    if slower:
        return float(np.mean([gate(machine, baseline, random, slower)[0] for _ in range(GATES)]))
    return float(np.mean([any(gate(machine, baseline, random)) for _ in range(GATES)]))


@pytest.mark.slow
@pytest.mark.parametrize("runs", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("baseline", [1, 3])
def test_at_most_one_gate_in_twenty_alarms_where_nothing_changed(runs: float, baseline: int) -> None:
    """Also where runs differ far more than the margin: that is when a rule of fixed per cents cries wolf."""
    assert share(Machine(runs), baseline) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("visits", [0.02, 0.04, 0.08])
def test_what_drifts_between_visits_raises_no_alarm(visits: float) -> None:
    """A gate's five runs follow each other at once, those of its baseline lie apart: they do not share a level.

    Five such runs counted as independent ones raised an alarm in 13 to 33 % of gates.
    """
    assert share(Machine(0.02, visits), baseline=6) <= 0.06


def log_medians(runs: list[NDArray[np.float64]]) -> list[float]:
    """Return the logarithm of each run's median figure, which of an even number is not the median logarithm."""
    return [float(np.log(np.median(np.exp(logs)))) for logs in runs]


def test_drift_is_known_only_by_runs_that_lie_apart() -> None:
    random = np.random.default_rng(8)
    machine = Machine(0.01, visits=0.05, points=1)
    news = [one[0] for one in visit(machine, random, 5)]
    base = [run(machine, random)[0] for _ in range(5)]
    for side, freedom in ((base, 4), (base[:4], 7)):
        found = Between(Sample(news, in_succession=True), Sample(side))
        assert found.freedom == freedom, "four degrees of freedom of runs that lie apart are needed"
    apart, together = (Between(Sample(news, in_succession=flag), Sample(base)) for flag in (False, True))
    assert (apart.freedom, apart.estimate) == (8, together.estimate)
    within, between = (np.var(log_medians(side), ddof=1) for side in (news, base))
    ends = together.interval(0.95)
    assert ends is not None
    half = stats.t.ppf(0.975, 4) * (between - within + within / 5 + between / 5) ** 0.5
    assert (ends.low, ends.high) == pytest.approx((together.estimate - half, together.estimate + half), rel=1e-6)


@pytest.mark.slow
def test_with_a_margin_of_nothing_the_rate_is_still_that_of_the_test() -> None:
    """The margin hides what the correction would do; without it both stages and Holm alone keep the rate."""
    random = np.random.default_rng(3)
    machine, alarms = Machine(0.03), 0
    for _ in range(GATES):
        base = [run(machine, random) for _ in range(3)]
        new = [run(machine, random) for _ in range(1 + CONFIRMATIONS)]
        sides = [(Sample([one[at] for one in new]), Sample([one[at] for one in base])) for at in range(machine.points)]
        judged = judge([compare_runs(*pair)[0] for pair in sides], margin=1e-9)
        alarms += any(one.verdict == "slower" for one in judged)
    assert alarms / GATES <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "baseline", "least"), [(0.005, 1, 0.8), (0.01, 3, 0.8), (0.02, 6, 0.6)])
def test_a_slowdown_of_ten_per_cent_is_found(runs: float, baseline: int, least: float) -> None:
    assert share(Machine(runs, launches=0.01), baseline, slower=0.1) >= least


@pytest.mark.one_case
@pytest.mark.parametrize("each", [10, 5, 3])
def test_the_interval_between_runs_covers_what_it_says(each: int) -> None:
    """Also where fewer than six launches of a baseline were in the state of the machine that is compared."""
    random = np.random.default_rng(5)
    machine, held = Machine(0.03, points=1), []
    for _ in range(1000):
        base = [run(replace(machine, each=each), random)[0]]
        new, earlier = ([run(machine, random)[0] for _ in range(count)] for count in (1, 5))
        found, basis = compare_runs(Sample(new), Sample(base, [earlier]))
        assert basis == "runs"
        assert found.interval is not None
        held.append(1.0 in found.interval)
    assert 0.93 <= np.mean(held) <= 0.975


def test_without_knowledge_of_runs_the_verdict_is_of_these_runs_alone() -> None:
    random = np.random.default_rng(6)
    one, other = (Sample([run(Machine(0.05), random)[0]]) for _ in range(2))
    comparison, basis = compare_runs(one, other)
    assert basis == "these runs"
    assert not comparison.is_paired
    judged = judge([compare_runs(Sample([one.logs + 1.0]), other)[0]])[0]
    assert judged.verdict == "slower"
    assert not is_regression(judged, basis)


def test_runs_that_agree_by_chance_differ_by_no_less_than_their_launches_say() -> None:
    logs = np.linspace(-0.05, 0.05, 10)
    equal = Between(Sample([logs, logs, logs]), Sample([logs]))
    assert equal.deviation > 0.01
    assert equal.p_above(0.0) == pytest.approx(0.5)
    assert equal.p_above(-np.inf) == 0.0
    assert equal.p_below(np.inf) == 0.0
    with pytest.raises(ValueError, match="too few runs"):
        Between(Sample([logs]), Sample([logs]))


@pytest.mark.parametrize("each", [3, 5, 10])
def test_runs_are_compared_by_students_test_over_their_medians(each: int) -> None:
    """However few launches each has: the unit is the run."""
    random = np.random.default_rng(each)
    first, second = ([run(Machine(0.1, each=each), random)[0] for _ in range(count)] for count in (4, 3))
    found, basis = compare_runs(Sample(first), Sample(second))
    expected = stats.ttest_ind(log_medians(first), log_medians(second))
    ends = expected.confidence_interval(0.95)
    assert basis == "runs"
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((np.exp(ends.low), np.exp(ends.high)))
