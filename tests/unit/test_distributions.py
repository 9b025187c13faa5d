"""Student's t and the binomial distribution: against scipy, closed forms and exact fractions, into the far tails."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special, stats

from groma.analysis.distributions import binomial_at_most, log_incomplete_beta, student_quantile, student_tail
from groma.analysis.rows import _STUDENT

PRECISE = 1e-11
# Nearer to the middle than here is scipy off itself: by 1e-9 at 1e-8, with one degree of freedom.
AGREE = 1e-10
SMALLEST = 1e-290

shapes = st.floats(math.log(0.5), math.log(1e6)).map(math.exp)
freedoms = st.one_of(st.integers(1, 200), st.integers(201, 10**6), st.floats(1, 1e6))
tails = st.floats(math.log(SMALLEST), math.log(0.5)).map(math.exp)


@given(shapes, shapes, st.floats(-35, 35))
def test_the_incomplete_beta_function_is_scipys(a: float, b: float, deviations: float) -> None:
    """From 35 standard deviations below the mean of the logit to as many above it."""
    logit = math.log(a / b) + deviations * math.sqrt((a + b) / (a * b))
    below, above = (float(np.exp(log_incomplete_beta(*of)[0])) for of in ((a, b, logit), (b, a, -logit)))
    x, y = special.expit(logit), special.expit(-logit)
    # Where x is rounded to 1, only its complement tells it from others.
    known = special.betainc(a, b, x) if x < 0.5 else special.betaincc(b, a, y)
    # The smaller of x and 1 - x has a rounding, too: it moves the tail by as much as it is steep.
    allowed = AGREE + 4e-16 * (1 + abs(logit)) * abs(b * x - a * y)
    if known > SMALLEST:
        assert below == pytest.approx(known, rel=allowed)
    assert below + above == pytest.approx(1, rel=PRECISE)


@given(shapes, shapes, st.floats(-5, 5))
def test_the_slope_is_the_density_of_the_logit(a: float, b: float, deviations: float) -> None:
    logit = math.log(a / b) + deviations * math.sqrt((a + b) / (a * b))
    x, y = special.expit(logit), special.expit(-logit)
    _, slope = log_incomplete_beta(a, b, logit)
    assert float(slope) == pytest.approx(stats.beta.logpdf(x, a, b) + math.log(x) + math.log(y), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 5), (17, 3), (40, 60), (300, 200)])
@pytest.mark.parametrize("x", [0.001, 0.25, 0.5, 0.75, 0.999])
def test_whole_shapes_are_exact_sums_of_fractions(a: int, b: int, x: float) -> None:
    exact, draws = Fraction(x), a + b - 1
    known = sum(math.comb(draws, k) * exact**k * (1 - exact) ** (draws - k) for k in range(a, draws + 1))
    found = float(np.exp(log_incomplete_beta(a, b, math.log(x / (1 - x)))[0]))
    assert found == pytest.approx(float(known), rel=1e-12)


@given(freedoms, st.floats(-3, 4).map(lambda power: 10**power))
def test_tails_of_student_are_those_of_scipy(freedom: float, value: float) -> None:
    known = float(stats.t.sf(value, freedom))
    found = float(student_tail(freedom, value))
    if known > SMALLEST:
        assert found == pytest.approx(known, rel=AGREE)
    assert float(student_tail(freedom, -value)) == pytest.approx(1 - found, rel=1e-15)


@given(freedoms, st.floats(-9, -4).map(lambda power: 10**power))
def test_near_the_middle_the_tail_falls_by_the_density(freedom: float, value: float) -> None:
    lost = 0.5 - float(student_tail(freedom, value))
    assert lost == pytest.approx(value * float(stats.t.pdf(0, freedom)), rel=1e-6)


@pytest.mark.parametrize("value", [0.0, 1e-200, 1e-9, 0.3, 1.0, 7.0, 1e5, 1e150])
def test_tails_of_one_and_two_degrees_of_freedom_are_their_closed_forms(value: float) -> None:
    assert float(student_tail(1, value)) == pytest.approx(math.atan2(1, value) / math.pi, rel=1e-13)
    root = math.hypot(value, math.sqrt(2))
    assert float(student_tail(2, value)) == pytest.approx(1 / root / (root + value), rel=1e-13)


def test_very_many_degrees_of_freedom_are_a_normal_distribution() -> None:
    values = np.array([0.5, 2.0, 6.0])
    assert student_tail(1e12, values) == pytest.approx(stats.norm.sf(values), rel=1e-9)


@given(freedoms, tails)
def test_a_quantile_has_the_tail_that_was_asked_for(freedom: float, tail: float) -> None:
    quantile = student_quantile(freedom, tail)
    assert quantile <= 0
    assert float(student_tail(freedom, -quantile)) == pytest.approx(tail, rel=PRECISE)


@given(freedoms, st.floats(1e-12, 1 - 1e-12))
def test_quantiles_of_student_are_those_of_scipy(freedom: float, share: float) -> None:
    found = student_quantile(freedom, share)
    assert found == pytest.approx(float(stats.t.ppf(share, freedom)), rel=AGREE, abs=1e-13)


@given(freedoms, st.integers(1, 2**20 - 1).map(lambda part: part / 2**20))
def test_quantiles_are_symmetric(freedom: float, share: float) -> None:
    assert student_quantile(freedom, share) == -student_quantile(freedom, 1 - share)


def test_quantiles_at_the_middle_and_beyond_all_numbers() -> None:
    assert student_quantile(7, 0.5) == 0
    assert student_quantile(1, 0.75) == pytest.approx(1, rel=1e-14)
    assert student_quantile(2, 0.5 + 1e-12) == pytest.approx(1e-12 * 2 * math.sqrt(2), rel=1e-4)
    assert student_quantile(1, 1e-300) == pytest.approx(-1e300 / math.pi, rel=1e-12)
    assert student_quantile(1, 5e-324) == -math.inf


def test_the_constant_of_batch_means_is_a_quantile() -> None:
    """The engine has the same."""
    assert round(student_quantile(15, 0.975), 3) == _STUDENT


def test_tails_have_the_shape_of_what_they_are_of() -> None:
    assert student_tail(3, 0.0).shape == ()
    assert student_tail([1, 2, 3], [[1.0], [2.0]]).shape == (2, 3)
    assert student_tail(np.ones((0, 4)), 1.0).shape == (0, 4)
    known = [[stats.t.sf(value, freedom) for freedom in (1, 2, 3)] for value in (1.0, -2.0)]
    assert student_tail([1, 2, 3], [[1.0], [-2.0]]) == pytest.approx(np.array(known), rel=1e-12)


def test_tails_at_the_ends_of_the_line() -> None:
    assert student_tail(5, [0.0, -0.0, math.inf, -math.inf, 1e300]).tolist() == [0.5, 0.5, 0.0, 1.0, 0.0]
    assert np.isnan(student_tail([1, 2], [math.nan, 0.0])).tolist() == [True, False]


@pytest.mark.parametrize("freedom", [0, 0.99, -3])
def test_without_a_degree_of_freedom_there_is_no_distribution(freedom: float) -> None:
    with pytest.raises(ValueError, match="at least one degree"):
        student_tail([2, freedom], 1.0)
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_quantile(freedom, 0.9)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.1, math.nan])
def test_only_probabilities_between_0_and_1_have_quantiles(share: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        student_quantile(5, share)
    with pytest.raises(ValueError, match="no binomial"):
        binomial_at_most(5, share)


def known_sums(count: int, share: float) -> NDArray[np.float64]:
    """Return P(Bin <= k) of fractions, rounded once."""
    exact = Fraction(share)
    below, known = Fraction(0), []
    for k in range(count + 1):
        below += math.comb(count, k) * exact**k * (1 - exact) ** (count - k)
        known.append(float(below))
    return np.array(known)


@given(st.integers(0, 3000), st.floats(1e-6, 1 - 1e-6))
def test_binomial_sums_are_those_of_scipy(count: int, share: float) -> None:
    found, known = binomial_at_most(count, share), stats.binom.cdf(np.arange(count + 1), count, share)
    assert found.shape == (count + 1,)
    assert found[-1] == 1
    assert (np.diff(found) >= 0).all()
    assert found[known > SMALLEST] == pytest.approx(known[known > SMALLEST], rel=AGREE)


@pytest.mark.parametrize("count", [0, 1, 2, 9, 150])
@pytest.mark.parametrize("share", [0.001, 0.5, 0.9])
def test_binomial_sums_of_few_are_exact(count: int, share: float) -> None:
    assert binomial_at_most(count, share) == pytest.approx(known_sums(count, share), rel=1e-12, abs=0)


def test_binomial_sums_of_very_many_keep_their_tails() -> None:
    count = 10**6
    for share in (0.5, 0.9):
        middle, width = count * share, math.sqrt(count * share * (1 - share))
        places = np.array([middle + away * width for away in (-20, -6, -2, 0, 2)]).astype(int)
        known = stats.binom.cdf(places, count, share)
        assert binomial_at_most(count, share)[places] == pytest.approx(known, rel=1e-9)


def test_a_negative_number_of_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="no binomial distribution of -1 draws"):
        binomial_at_most(-1, 0.5)
