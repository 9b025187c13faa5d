"""Tests within launches: exact against scipy and by hand, honest about what few launches can tell."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import wilcoxon

from groma.analysis.paired import against_best, fewest_launches, further_launches, holm, signed_rank


@pytest.mark.parametrize(("n", "shift"), [(6, 0.0), (10, 0.5), (13, 1.0)])
def test_the_signed_rank_test_is_scipys_exact_one(n: int, shift: float) -> None:
    values = np.random.default_rng(n).normal(shift, size=n)
    assert signed_rank(values) == pytest.approx(wilcoxon(values, method="exact").pvalue)


def test_with_ties_every_choice_of_signs_is_counted() -> None:
    values = np.array([1.0, -1.0, 2.0, 2.0, 2.0, 3.0])
    ranks = np.array([1.5, 1.5, 4, 4, 4, 6])
    far = abs(ranks[values > 0].sum() - ranks.sum() / 2)
    sums = [ranks[np.array(signs)].sum() for signs in itertools.product([False, True], repeat=6)]
    assert signed_rank(values) == pytest.approx(np.mean([abs(s - ranks.sum() / 2) >= far for s in sums]))


def test_no_difference_is_no_evidence() -> None:
    assert signed_rank([0.0, 0.0, 0.0]) == 1.0
    assert signed_rank([0.0, 1.0, 1.0]) == signed_rank([1.0, 1.0]) == 0.5


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, None, 0.8]) == [1.0, None, 1.0]
    assert holm([]) == []


def test_holm_keeps_the_family_at_five_percent() -> None:
    random = np.random.default_rng(8)
    wrong = 0
    for _ in range(200):
        common = random.normal(0, 0.2, (10, 1))
        logs = common + random.normal(0, 0.02, (10, 6))
        corrected = holm([signed_rank(logs[:, at] - logs[:, 0]) for at in range(1, 6)])
        wrong += any(p is not None and p < 0.05 for p in corrected)
    assert wrong <= 21  # 5 % expected at most; more than 21 of 200 has a probability below 1e-3


def test_the_best_is_not_slower_than_itself() -> None:
    logs = np.log(np.array([[1.0, 2.0, 1.01]] * 8)) + np.random.default_rng(2).normal(0, 0.01, (8, 3))
    p = against_best(logs)
    assert p[0] == 1.0
    assert p[1] < 0.01
    assert list(against_best(logs)) == list(p), "the same figures give the same answer"


def test_six_launches_decide_one_comparison_and_not_two() -> None:
    assert fewest_launches(1) == 6
    assert fewest_launches(2) == 7
    assert 2.0 ** (1 - fewest_launches(20)) * 20 <= 0.05 < 2.0 ** (2 - fewest_launches(20)) * 20


def test_more_launches_are_needed_near_a_border_and_for_noisy_ratios() -> None:
    random = np.random.default_rng(1)
    quiet, noisy = random.normal(0, 0.01, 10), random.normal(0, 0.1, 10)
    assert further_launches(quiet, 0.03) == 1
    assert further_launches(noisy, 0.03) > 20
    assert further_launches(noisy + 0.03, 0.03) > further_launches(noisy + 0.3, 0.03)
