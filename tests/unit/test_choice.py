"""Which way to choose: tests that are exact, corrections that are Holm's, and stretches that follow by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from groma.analysis.choice import Choice, choose, cost, holm, mann_whitney, stretches


@pytest.mark.parametrize(("n", "m", "shift"), [(6, 6, 0.0), (10, 10, 0.8), (7, 10, 1.5)])
def test_mann_whitney_is_scipys_exact_one(n: int, m: int, shift: float) -> None:
    random = np.random.default_rng(n * m)
    one, other = random.normal(size=n), random.normal(shift, size=m)
    assert mann_whitney(one, other) == pytest.approx(mannwhitneyu(one, other, method="exact").pvalue)


def test_with_ties_mann_whitney_counts_every_division() -> None:
    one, other = np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0, 3.0, 4.0])
    pooled = np.concatenate([one, other])
    ranks = np.array([np.mean(np.flatnonzero(np.sort(pooled) == value)) + 1 for value in pooled])
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, one.size)]
    centre = one.size * (pooled.size + 1) / 2
    far = abs(ranks[: one.size].sum() - centre)
    assert mann_whitney(one, other) == pytest.approx(np.mean([abs(s - centre) >= far - 1e-9 for s in sums]))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def launches(*values: float) -> dict[int, float]:
    return dict(enumerate(values, 1))


def test_a_way_that_is_always_slower_is_told_apart_and_others_are_not() -> None:
    base = [1.0 + 0.01 * n for n in range(10)]
    ways = {
        "slow": launches(*(2 * value for value in base)),
        "fast": launches(*base),
        "alike": launches(*(value + 0.003 for value in base)),
    }
    choice = choose(64, ways)
    assert (choice.fastest, choice.alike, choice.launches) == ("fast", ("fast", "alike"), 10)


def test_few_launches_tell_nothing_apart() -> None:
    choice = choose(64, {"a": launches(1, 1, 1), "b": launches(9, 9, 9)})
    assert choice.alike == ("a", "b")


def test_of_ways_that_are_the_same_few_are_called_different() -> None:
    random = np.random.default_rng(3)
    wrong = 0
    for _ in range(300):
        ways = {n: launches(*np.exp(random.normal(0, 0.05, 10))) for n in range(2)}
        wrong += len(choose(8, ways).alike) < 2
    assert wrong <= 30  # 5 % expected; 30 of 300 has a probability below 1e-3


def test_a_cost_is_a_ratio_within_launches() -> None:
    disturbed = [1.0, 1.0, 5.0, 1.0, 1.1, 0.9, 3.0]
    price = cost(launches(*(1.5 * value for value in disturbed)), launches(*disturbed))
    assert price.ratio == pytest.approx(1.5)
    assert price.interval is not None
    assert price.interval.low == pytest.approx(1.5)
    assert price.interval.high == pytest.approx(1.5)
    assert cost(launches(3, 3), launches(2, 2)).interval is None


def test_stretches_go_as_far_as_a_way_is_among_the_best() -> None:
    choices = [
        Choice(1, "a", ("a", "b"), 10),
        Choice(2, "b", ("b", "a"), 10),
        Choice(4, "b", ("b", "c"), 10),
        Choice(8, "c", ("c", "d"), 10),
        Choice(16, "d", ("d", "c"), 10),
    ]
    costs = {way: dict.fromkeys((1, 2, 4, 8, 16), price) for way, price in zip("abcd", (1, 1, 2, 1), strict=True)}
    found = stretches(choices, costs)
    assert [(stretch.way, stretch.sizes) for stretch in found] == [("b", (1, 2, 4)), ("d", (8, 16))]
