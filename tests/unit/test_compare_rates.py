"""How often the comparison errs and finds, simulated: launches that differ by 20 % as a whole, and noise within them.

Every bound is that of a binomial count which a right rate exceeds once in a thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from groma.analysis.compare import Comparison, Paired, Verdict, compare, further_launches, judge, rank_ways

COMMON = 0.2  # standard deviation of a launch's own slowness, in logarithms
WRONG = 0.05
FAMILIES = 200
Noise = Callable[[np.random.Generator, int], NDArray[np.float64]]


def normal(random: np.random.Generator, count: int) -> NDArray[np.float64]:
    return random.normal(0, 0.03, count)


def quiet(random: np.random.Generator, count: int) -> NDArray[np.float64]:
    return random.normal(0, 0.01, count)


def skewed(random: np.random.Generator, count: int) -> NDArray[np.float64]:
    return random.gamma(1, 0.03, count)


def in_two_modes(random: np.random.Generator, count: int) -> NDArray[np.float64]:
    return random.normal(0, 0.003, count) + 0.1 * (random.random(count) < 0.3)


def rounded(random: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Steps of 3 %, so that ties and zeros are frequent."""
    return 0.03 * np.rint(random.normal(0, 1, count))


NOISES = (normal, skewed, in_two_modes, rounded)


def by_launch(logs: NDArray[np.float64], first: int = 0) -> dict[int, float]:
    return dict(enumerate(np.exp(logs).tolist(), first))


def point(random: np.random.Generator, ratio: float, common: NDArray[np.float64], noise: Noise = normal) -> Comparison:
    """Compare a point with another that takes `ratio` times less, both measured in the same launches."""
    slow, fast = (common + noise(random, common.size) for _ in range(2))
    return compare(by_launch(np.log(ratio) + slow), by_launch(fast))


def family(
    random: np.random.Generator, ratios: Sequence[float], launches: int = 10, noise: Noise = normal
) -> list[Comparison]:
    common = random.normal(0, COMMON, launches)
    return [point(random, ratio, common, noise) for ratio in ratios]


def most(trials: int, rate: float = WRONG) -> int:
    return int(binom.ppf(0.999, trials, rate))


def least(trials: int, rate: float) -> int:
    return int(binom.ppf(0.001, trials, rate))


def verdicts(found: Sequence[Comparison], margin: float) -> list[Verdict]:
    return [one.verdict for one in judge(found, margin)]


def false_alarms(draw: Callable[[], list[Comparison]]) -> int:
    """Return how many families of equals hold a difference."""
    return sum(any(one.differs for one in judge(draw(), 0)) for _ in range(FAMILIES))


@pytest.mark.one_case
@pytest.mark.parametrize("noise", NOISES)
def test_of_equals_a_family_in_twenty_at_most_has_a_false_difference(noise: Noise) -> None:
    random = np.random.default_rng(1)
    assert false_alarms(lambda: family(random, [1.0] * 10, noise=noise)) <= most(FAMILIES)


@pytest.mark.slow
def test_that_holds_where_all_are_compared_with_one() -> None:
    random = np.random.default_rng(2)

    def with_one() -> list[Comparison]:
        common = random.normal(0, COMMON, 10)
        reference = by_launch(common + normal(random, 10))
        return [compare(by_launch(common + normal(random, 10)), reference) for _ in range(10)]

    assert false_alarms(with_one) <= most(FAMILIES)


@pytest.mark.slow
def test_true_differences_do_not_make_false_ones() -> None:
    random = np.random.default_rng(3)
    wrong = 0
    for _ in range(200):
        found = judge(family(random, [1.3] * 5 + [1.0] * 5), 0)
        assert all(one.verdict == "slower" for one in found[:5])
        wrong += any(one.differs for one in found[5:])
    assert wrong <= most(200)


def test_two_samples_of_other_launches_err_as_rarely() -> None:
    random = np.random.default_rng(4)
    wrong = 0
    for _ in range(150):
        sides = random.normal(0, COMMON, (8, 2, 8))
        found = [compare(by_launch(one), by_launch(other, first=100)) for one, other in sides]
        assert not any(one.is_paired for one in found)
        wrong += any(one.differs for one in judge(found, 0))
    assert wrong <= most(150)


@pytest.mark.one_case
@pytest.mark.parametrize(("count", "launches"), [(1, 6), (10, 10), (25, 10)])
def test_twenty_percent_is_found_whatever_whole_launches_do(count: int, launches: int) -> None:
    random = np.random.default_rng(5)
    found = [verdicts(family(random, [1.2] + [1.0] * (count - 1), launches), 0.05)[0] for _ in range(60)]
    assert found.count("slower") >= 58


def test_two_samples_would_not_find_it() -> None:
    random = np.random.default_rng(6)
    found = []
    for _ in range(60):
        slow, fast = random.normal(0, COMMON, (2, 10))
        found += verdicts([compare(by_launch(slow + np.log(1.2)), by_launch(fast, first=100))], 0.05)
    assert found.count("slower") < 40


def test_equals_are_the_same_where_their_ratios_scatter_little() -> None:
    random = np.random.default_rng(7)
    found = [one for _ in range(20) for one in verdicts(family(random, [1.0] * 10, noise=quiet), 0.05)]
    assert found.count("same") >= 0.95 * len(found)


@pytest.mark.parametrize("ratio", [1.05, 0.95])
def test_at_the_edge_of_the_margin_few_are_called_the_same(ratio: float) -> None:
    random = np.random.default_rng(8)
    found = [verdicts(family(random, [ratio]), 0.05)[0] for _ in range(400)]
    assert found.count("same") <= most(400)
    assert found.count("slower" if ratio > 1 else "faster") <= most(400)


@pytest.mark.one_case
@pytest.mark.parametrize("noise", NOISES[:3])
@pytest.mark.parametrize("launches", [6, 10, 17])
def test_the_interval_of_a_ratio_covers_it_in_95_of_100(noise: Noise, launches: int) -> None:
    random = np.random.default_rng(9)
    intervals = [family(random, [1.3], launches, noise)[0].interval for _ in range(300)]
    assert sum(interval is not None and 1.3 in interval for interval in intervals) >= least(300, 0.95)


@pytest.mark.one_case
@pytest.mark.parametrize("sizes", [(6, 6), (10, 7)])
def test_so_does_that_of_two_samples(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(10)
    covered = 0
    for _ in range(300):
        slow, fast = (random.normal(0, COMMON, size) for size in sizes)
        interval = compare(by_launch(slow + np.log(1.3)), by_launch(fast, first=100)).interval
        covered += interval is not None and 1.3 in interval
    assert covered >= least(300, 0.95)


@pytest.mark.slow
def test_the_intervals_are_no_wider_than_they_say() -> None:
    random = np.random.default_rng(11)
    intervals = [family(random, [1.3], 10)[0].interval for _ in range(400)]
    # Ten values in pairs: 95.1 % exactly.
    assert sum(interval is not None and 1.3 in interval for interval in intervals) <= binom.ppf(0.999, 400, 0.951)


@pytest.mark.slow
def test_intervals_of_open_comparisons_hold_together() -> None:
    random = np.random.default_rng(12)
    missed = 0
    for _ in range(100):
        ends = [one.joint_interval for one in judge(family(random, [1.0] * 5), 0)]
        missed += any(interval is None or 1.0 not in interval for interval in ends)
    assert missed <= most(100)


@pytest.mark.parametrize(("ratio", "spread"), [(1.0, 0.08), (1.12, 0.1), (1.3, 0.3)])
def test_as_many_launches_as_are_named_decide_in_about_four_of_five(ratio: float, spread: float) -> None:
    random = np.random.default_rng(13)
    typical = Paired(np.log(ratio) + spread * norm.ppf((np.arange(10) + 0.5) / 10))
    needed = 10 + further_launches(typical, np.log1p(0.05))
    again = np.log(ratio) + random.normal(0, spread, (60, needed))
    decided = sum(judge([Comparison(Paired(logs), 1000.0)], 0.05)[0].verdict != "not decided" for logs in again)
    assert 36 <= decided <= 59


@pytest.mark.one_case
@pytest.mark.parametrize("ways", [3, 8])
def test_of_equal_ways_few_families_tell_any_from_the_fastest(ways: int) -> None:
    random = np.random.default_rng(14)
    wrong = 0
    for _ in range(60):
        common = random.normal(0, COMMON, 8)
        ranked = rank_ways({way: by_launch(common + skewed(random, 8)) for way in range(ways)})
        wrong += len(ranked.tied) < ways
    assert wrong <= most(60)


@pytest.mark.parametrize("ways", [3, 5])
def test_so_do_equal_ways_of_different_launches(ways: int) -> None:
    random = np.random.default_rng(15)
    wrong = 0
    for _ in range(100):
        samples = random.normal(0, COMMON, (ways, 8))
        ranked = rank_ways({way: by_launch(sample, first=100 * way) for way, sample in enumerate(samples)})
        wrong += len(ranked.tied) < ways
    assert wrong <= most(100)
