"""The one comparison: its tests are exact with ties, its intervals are those of its tests, and its verdicts follow."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, permutation_test, rankdata, wilcoxon

from groma.analysis.compare import (
    Apart,
    Comparison,
    Paired,
    Shift,
    compare,
    fewest_launches,
    further_launches,
    holm,
    judge,
    rank_ways,
)
from groma.analysis.compare.exact import MOST_COUNTED, signed_rank_rows
from groma.analysis.compare.fastest import against_best
from groma.analysis.order import Interval

# Few whole values: ties and zeros everywhere.
coarse = st.lists(st.integers(-3, 4), min_size=6, max_size=9)


def launches(*values: float) -> dict[int, float]:
    return dict(enumerate(values, 1))


def compared(*ratios: float) -> Comparison:
    """Compare two things whose times have these ratios in launches that are more and more disturbed."""
    return compare(launches(*(ratio * 1.3**at for at, ratio in enumerate(ratios))),
                   launches(*(1.3**at for at in range(len(ratios)))))  # fmt: skip


@pytest.mark.parametrize(("n", "shift"), [(6, 0.0), (10, 0.5), (13, 1.0), (20, 0.3)])
def test_in_pairs_the_test_is_scipys_exact_signed_rank_test(n: int, shift: float) -> None:
    values = np.random.default_rng(n).normal(shift, size=n)
    for at in (0.0, 0.7):
        assert Paired(values).p(at) == pytest.approx(wilcoxon(values - at, method="exact").pvalue)
    assert signed_rank_rows(np.array([values, -values])) == pytest.approx(Paired(values).p())


@pytest.mark.parametrize(("sizes", "shift"), [((6, 6), 0.0), ((7, 10), 0.5), ((12, 9), 1.0)])
def test_apart_the_test_is_scipys_exact_one_of_mann_and_whitney(sizes: tuple[int, int], shift: float) -> None:
    random = np.random.default_rng(sizes)
    one, other = random.normal(shift, size=sizes[0]), random.normal(size=sizes[1])
    for at in (0.0, 0.7):
        expected = mannwhitneyu(one - at, other, method="exact").pvalue
        assert Apart(one, other).p(at) == pytest.approx(expected)


@given(coarse, st.integers(-2, 2))
def test_with_ties_and_zeros_every_choice_of_signs_is_counted(values: list[int], at: int) -> None:
    away = np.array(values, dtype=float) - at
    ranks = np.where(away != 0, rankdata(np.abs(away)), 0)  # zeros after Pratt: they take their ranks with them
    sums = [float(ranks[np.array(signs)].sum()) for signs in itertools.product([False, True], repeat=len(values))]
    seen = float(ranks[away > 0].sum())
    expected = 2 * min(np.mean([one >= seen for one in sums]), np.mean([one <= seen for one in sums]))
    assert Paired(values).p(at) == pytest.approx(min(1.0, expected))


@pytest.mark.parametrize(
    ("one", "other"),
    [((1, 1, 2, 2, 3, 5), (1, 2, 2, 3, 3, 3)), ((4, 4, 4, 4, 5, 6), (1, 1, 4, 4)), ((0,) * 6, (1,) * 6)],
)
def test_with_ties_every_choice_of_ranks_is_counted(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    sides = tuple(np.split(rankdata([*one, *other]), [len(one)]))
    expected = permutation_test(sides, lambda first, _: first.sum(), permutation_type="independent", n_resamples=np.inf)
    assert Apart(one, other).p() == pytest.approx(expected.pvalue)


def test_no_difference_is_no_evidence() -> None:
    assert Paired([0.0, 0.0, 0.0]).p() == 1.0
    assert Paired([0.0, 0.0, 0.0]).interval(0.5) == Interval(0, 0)
    assert Paired([0.0, 1.0, 1.0]).p() == Paired([1.0, 1.0]).p() == 0.5


@pytest.mark.slow
@given(coarse, coarse, st.sampled_from((0.8, 0.9, 0.95, 0.99)))
def test_a_shift_is_in_the_interval_exactly_where_the_test_does_not_reject_it(
    one: list[int], other: list[int], confidence: float
) -> None:
    for shift in (Paired(one), Apart(one, other)):
        interval = shift.interval(confidence)
        tried = np.arange(-9, 10, 0.25)
        if interval is None:
            assert shift.p_above(-math.inf) > (1 - confidence) / 2
            continue
        kept = [min(shift.p_above(value), shift.p_below(value)) > (1 - confidence) / 2 for value in tried]
        if any(kept):
            assert kept == [value in interval for value in tried]
        else:
            assert interval.high - interval.low < 0.25, "most values are equal: no shift is possible"


@given(st.lists(st.floats(0.5, 2), min_size=6, max_size=12))
def test_a_ratio_of_one_is_in_the_interval_exactly_where_p_is_above_five_percent(ratios: list[float]) -> None:
    found = compared(*ratios)
    assert found.interval is not None
    assert found.p is not None
    assert (1.0 in found.interval) == (found.p > 0.05)
    assert found.difference_interval is not None
    assert (0.0 in found.difference_interval) == (found.p > 0.05)


def test_the_interval_is_that_of_hodges_and_lehmann() -> None:
    values = np.array([1.1, 2.3, 2.9, 4.2, 5.0, 6.4, 7.7, 8.1, 9.3, 10.6])
    means = np.sort([(a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2)])
    assert Paired(values).estimate == pytest.approx(np.median(means))
    # Tables of the signed-rank statistic: P(T <= 8) = 0.024 and P(T <= 9) = 0.032 for ten values.
    interval = Paired(values).interval(0.95)
    assert interval is not None
    assert interval.low == pytest.approx(means[8])
    assert interval.high == pytest.approx(means[-9])


def test_many_launches_are_not_counted_one_by_one() -> None:
    random = np.random.default_rng(4)
    values = random.normal(0.1, 1, MOST_COUNTED + 1)
    assert Paired(values).p() == pytest.approx(wilcoxon(values, method="approx", correction=True).pvalue, rel=1e-6)
    one, other = values[:70], random.normal(0, 1, 60)
    expected = mannwhitneyu(one, other, method="asymptotic").pvalue
    assert Apart(one, other).p() == pytest.approx(expected, rel=1e-6)
    assert Paired(values[:-1]).p() == pytest.approx(wilcoxon(values[:-1], method="exact").pvalue)


def test_the_same_launches_are_compared_in_pairs_and_others_as_two_samples() -> None:
    ten = launches(*range(1, 11))
    assert compare(ten, ten).is_paired
    later = {at + 100: figure for at, figure in ten.items()}
    assert not compare(ten, later).is_paired
    assert compare(ten, later).ratio == pytest.approx(1)
    few = {at: ten[at] for at in (1, 2, 3)}
    assert compare(ten, few).is_paired, "all that the second has"
    assert compare(ten, few).interval is None
    mixed = few | {at: figure for at, figure in later.items() if at > 105}
    assert not compare(ten, mixed).is_paired, "three launches in common tell less than ten and eight"


def test_a_figure_of_zero_has_no_ratio_and_is_left_out() -> None:
    found = compare(launches(0.0, *[2.0] * 6), launches(*[1.0] * 7))
    assert found.launches == 6
    assert found.ratio == pytest.approx(2.0)
    assert math.isnan(compare({}, launches(1.0)).ratio)
    assert judge([compare({}, {})])[0].verdict == "not decided"


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, None, 0.8]) == [1.0, None, 1.0]
    assert holm([0.01, 0.02], family=4) == pytest.approx([0.04, 0.06])
    assert holm([]) == []


@pytest.mark.slow
def test_the_interval_of_holms_step_leaves_one_out_exactly_where_there_is_a_difference() -> None:
    random = np.random.default_rng(2)
    seen = set()
    for _ in range(40):
        family = judge([compared(*np.exp(random.normal(shift, 0.05, 9))) for shift in (0, 0.02, 0.04, 0.06, 0.3)])
        for one in family:
            seen.add(one.differs)
            assert one.joint_interval is not None
            assert (1.0 in one.joint_interval) != one.differs
            own = one.comparison.interval
            assert own is not None
            assert one.joint_interval.low <= own.low
            assert own.high <= one.joint_interval.high
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((1.06, 1.07, 1.08, 1.09, 1.10, 1.11), "slower"),
        ((0.91, 0.92, 0.93, 0.94, 0.90, 0.89), "faster"),
        ((0.99, 1.01, 1.02, 0.98, 1.0, 1.005), "same"),
        ((1.01, 1.012, 1.014, 1.016, 1.018, 1.02), "same"),  # it differs, by less than matters
        ((1.02, 1.07, 1.08, 1.09, 1.10, 1.11), "not decided"),
        ((0.9, 1.1, 1.0, 1.05, 0.95, 1.0), "not decided"),
        ((1.5, 1.6, 1.7, 1.5, 1.6), "not decided"),  # five launches
    ],
)
def test_a_verdict_is_that_of_the_interval(ratios: tuple[float, ...], verdict: str) -> None:
    (one,) = judge([compared(*ratios)])
    assert one.verdict == verdict


def test_a_difference_has_to_survive_the_correction() -> None:
    slow = compared(1.5, 1.6, 1.7, 1.5, 1.6, 1.8)
    even = [compared(0.9, 1.1, 1.0, 1.05, 0.95, 1.0)] * 2
    assert judge([slow])[0].verdict == "slower"
    first, *_ = judge([slow, *even])
    assert (first.verdict, first.joint_interval) == ("not decided", None)
    assert first.words() == "not decided (about 1 more launch would)", "three comparisons need seven launches"


def test_a_number_of_launches_out_of_reach_is_not_named() -> None:
    (one,) = judge([compared(0.2, 5.0, 0.3, 4.0, 0.25, 4.5, 1.0, 1.1)])
    assert one.further_launches > 1000
    assert one.words() == "not decided (more than 1000 more launches would be needed)"


def test_verdicts_in_words() -> None:
    (one,) = judge([compared(*[1.0] * 6)], margin=0.03)
    assert one.words() == "same within 3 %"
    (one,) = judge([compared(*[1.0] * 6)], margin=0)
    assert one.verdict == "not decided", "nothing is within no margin"
    (one,) = judge([compared(*[0.5] * 6)], margin=0)
    assert one.words() == "faster"


def test_six_launches_decide_one_comparison_and_not_two() -> None:
    assert fewest_launches(1) == 6
    assert fewest_launches(2) == 7
    assert 2.0 ** (1 - fewest_launches(20)) * 20 <= 0.05 < 2.0 ** (2 - fewest_launches(20)) * 20
    assert fewest_launches(1, paired=False) == 6, "below six there is no interval"
    assert fewest_launches(1000, paired=False) == 9
    assert 2000 / math.comb(18, 9) <= 0.05 < 2000 / math.comb(16, 8)


def test_more_launches_are_needed_near_a_border_and_for_noisy_ratios() -> None:
    random = np.random.default_rng(1)
    quiet, noisy = random.normal(0, 0.01, 10), random.normal(0, 0.1, 10)
    assert further_launches(Paired(quiet), 0.03) == 1
    assert further_launches(Paired(noisy), 0.03) > 20
    assert further_launches(Paired(noisy + 0.03), 0.03) > further_launches(Paired(noisy + 0.3), 0.03)
    assert further_launches(Apart(noisy, quiet), 0.03) > 20


def test_the_best_is_not_slower_than_itself() -> None:
    logs = np.log(np.array([[1.0, 2.0, 1.01]] * 8)) + np.random.default_rng(2).normal(0, 0.01, (8, 3))
    p = against_best(logs)
    assert p[0] == 1.0
    assert p[1] < 0.01
    assert list(against_best(logs)) == list(p), "the same figures give the same answer"


def test_ways_of_different_launches_are_ranked_as_samples_apart() -> None:
    random = np.random.default_rng(3)
    ways = {name: {at + place: float(figure) for at, figure in enumerate(random.normal(mean, 1, 10))}
            for name, mean, place in (("slow", 120, 0), ("fast", 100, 20), ("alike", 100, 40))}  # fmt: skip
    ranked = rank_ways(ways)
    assert ranked.launches == 0
    assert set(ranked.tied) == {"fast", "alike"}
    assert ranked.order[-1] == "slow"


def test_a_shift_has_two_sides() -> None:
    shifts: list[Shift] = [Paired([1.0, 2.0, 4.0, -0.5]), Apart([1.0, 2.0, 4.0], [0.0, 3.0])]
    for shift in shifts:
        assert shift.turned().estimate == -shift.estimate
        assert shift.p_below(0.3) == shift.turned().p_above(-0.3)
        assert shift.p_above(-math.inf) < 0.5 < shift.p_above(math.inf)
