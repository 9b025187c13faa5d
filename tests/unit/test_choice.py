"""Which way to choose: alike ways stay alike, slower ones are told apart, and stretches follow by hand."""

from __future__ import annotations

import numpy as np
import pytest

from groma.analysis.compare import compare
from groma.analysis.compare.fastest import FastestWays, choose, stretches


def launches(*values: float) -> dict[int, float]:
    return dict(enumerate(values, 1))


def test_a_way_that_is_always_slower_is_told_apart_and_others_are_not() -> None:
    base = [1.0 + 0.01 * n for n in range(10)]
    ways = {
        "slow": launches(*(2 * value for value in base)),
        "fast": launches(*base),
        "alike": launches(*(value + (0.004 if n % 2 else -0.003) for n, value in enumerate(base))),
    }
    choice = choose(64, ways)
    assert (set(choice.alike), choice.launches) == ({"fast", "alike"}, 10)


def test_few_launches_tell_nothing_apart() -> None:
    choice = choose(64, {"a": launches(1, 1, 1), "b": launches(9, 9, 9)})
    assert choice.alike == ("a", "b")


@pytest.mark.one_case
@pytest.mark.parametrize("ways", [2, 5, 12])
def test_of_ways_that_are_the_same_few_are_called_different(ways: int) -> None:
    random = np.random.default_rng(3)
    wrong = 0
    for _ in range(60):
        common = random.normal(0, 0.2, 10)
        found = choose(8, {n: launches(*np.exp(common + random.gamma(2, 0.05, 10))) for n in range(ways)})
        wrong += len(found.alike) < ways
    assert wrong <= 10  # 5 % expected; more than 10 of 60 has a probability below 2e-4


@pytest.mark.parametrize("count", [6, 10])
def test_what_slows_whole_launches_down_hides_no_difference_within_them(count: int) -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        common = np.exp(random.normal(0, 0.2, count))
        ways = {n: launches(*(common * np.exp(random.normal(0, 0.02, count)))) for n in range(8)}
        ways[8] = launches(*(1.2 * common * np.exp(random.normal(0, 0.02, count))))
        assert 8 not in choose(64, ways).alike


@pytest.mark.slow
def test_much_slower_ways_do_not_make_alike_ways_differ() -> None:
    random = np.random.default_rng(6)
    wrong = 0
    for _ in range(60):
        ways = {n: launches(*np.exp(random.normal(0, 0.05, 10))) for n in range(6)}
        ways |= {n: launches(*(n * np.exp(random.normal(0, 0.05, 10)))) for n in (7, 8, 9)}
        found = choose(8, ways)
        assert not {7, 8, 9} & set(found.alike)
        wrong += len(found.alike) < 6
    assert wrong <= 10


def test_a_cost_is_a_ratio_within_launches() -> None:
    disturbed = [1.0, 1.0, 5.0, 1.0, 1.1, 0.9, 3.0]
    price = compare(launches(*(1.5 * value for value in disturbed)), launches(*disturbed))
    assert price.ratio == pytest.approx(1.5)
    assert price.interval is not None
    assert price.interval.low == pytest.approx(1.5)
    assert price.interval.high == pytest.approx(1.5)
    assert compare(launches(3, 3), launches(2, 2)).interval is None


def test_stretches_go_as_far_as_a_way_is_among_the_best() -> None:
    choices = [
        FastestWays(1, "a", ("a", "b"), 10),
        FastestWays(2, "b", ("b", "a"), 10),
        FastestWays(4, "b", ("b", "c"), 10),
        FastestWays(8, "c", ("c", "d"), 10),
        FastestWays(16, "d", ("d", "c"), 10),
    ]
    costs = {way: dict.fromkeys((1, 2, 4, 8, 16), price) for way, price in zip("abcd", (1, 1, 2, 1), strict=True)}
    found = stretches(choices, costs)
    assert [(stretch.way, stretch.sizes) for stretch in found] == [("b", (1, 2, 4)), ("d", (8, 16))]
