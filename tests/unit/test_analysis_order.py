"""Order statistics against their definitions, published ranks and simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from one_series import effective_size, lag1_autocorrelation, quantiles, relative_iqr, serial_median_interval
from scipy import stats

from groma.analysis.order import median_interval, median_ranks

KNOWN_RANKS = {6: (1, 6), 10: (2, 9), 20: (6, 15), 30: (10, 21), 50: (18, 33), 100: (40, 61), 1000: (469, 532)}


@pytest.mark.parametrize(("n", "ranks"), KNOWN_RANKS.items())
def test_known_ranks(n: int, ranks: tuple[int, int]) -> None:
    assert median_ranks(n) == ranks


@pytest.mark.parametrize("n", range(1, 6))
def test_below_six_there_is_no_95_percent_interval(n: int) -> None:
    assert median_ranks(n) is None
    assert median_interval(np.arange(n)) is None


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_ranks_are_the_largest_with_the_tail_below_half_of_alpha(confidence: float) -> None:
    for n in range(1, 300):
        ranks = median_ranks(n, confidence)
        low = 0 if ranks is None else ranks[0]
        tail = (1 - confidence) / 2
        assert stats.binom.cdf(low - 1, n, 0.5) <= tail
        assert stats.binom.cdf(low, n, 0.5) > tail
        assert ranks is None or ranks[1] == n + 1 - low


@pytest.mark.parametrize("n", [6, 7, 10, 21, 100])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_interval_covers_the_median_as_often_as_it_says(n: int, confidence: float) -> None:
    draws = np.random.default_rng(1).lognormal(size=(4000, n))
    intervals = [median_interval(row, confidence) for row in draws]
    covered = np.mean([1.0 in interval for interval in intervals if interval is not None])
    assert covered == pytest.approx(confidence, abs=0.012)


@pytest.mark.parametrize("n", [6, 7, 10, 21, 100])
def test_the_interval_lies_between_the_order_statistics_that_cover_more_and_less(n: int) -> None:
    values = np.random.default_rng(2).lognormal(size=n)
    ordered, interval, ranks = np.sort(values), median_interval(values), median_ranks(n)
    assert interval is not None
    assert ranks is not None
    assert ordered[ranks[0] - 1] <= interval.low <= ordered[ranks[0]]
    assert ordered[ranks[1] - 2] <= interval.high <= ordered[ranks[1] - 1]


def autoregressive(rho: float, length: int, series: int) -> np.ndarray:
    random = np.random.default_rng(2)
    values = random.normal(size=(series, length))
    for place in range(1, length):
        values[:, place] = rho * values[:, place - 1] + np.sqrt(1 - rho**2) * values[:, place]
    return values


def coverage(values: np.ndarray, corrected: bool) -> float:
    intervals = [serial_median_interval(row) if corrected else median_interval(row) for row in values]
    return float(np.mean([0.0 in interval for interval in intervals if interval is not None]))


@pytest.mark.one_case
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.8])
def test_correlated_samples_are_covered_only_with_the_correction(rho: float) -> None:
    values = autoregressive(rho, 300, 1500)
    assert coverage(values, corrected=True) >= 0.93
    if rho >= 0.6:
        assert coverage(values, corrected=False) < 0.85


def test_uncorrelated_samples_are_worth_about_as_many() -> None:
    values = np.random.default_rng(3).normal(size=5000)
    assert effective_size(values) == pytest.approx(5000, rel=0.05)
    assert effective_size(values) <= 5000


def test_autocorrelation_of_ranks_is_not_hidden_by_an_outlier() -> None:
    values = autoregressive(0.6, 2000, 1)[0]
    outlier = values.copy()
    outlier[1000] = 1e6
    assert lag1_autocorrelation(outlier) == pytest.approx(lag1_autocorrelation(values), abs=0.01)
    assert lag1_autocorrelation(values) == pytest.approx(0.58, abs=0.05)  # 6/pi asin(0.6/2)


def test_constant_samples_have_an_interval_of_no_width() -> None:
    interval = serial_median_interval([7.0] * 50)
    assert interval is not None
    assert (interval.low, interval.high) == (7.0, 7.0)


def test_samples_worth_fewer_than_six_have_no_interval() -> None:
    assert serial_median_interval(np.arange(40.0)) is None


def test_quantiles_are_given_only_where_a_sample_lies_beyond() -> None:
    levels = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
    known = {
        n: [level for level, value in zip(levels, quantiles(np.arange(n), levels), strict=True) if not np.isnan(value)]
        for n in (1, 3, 4, 19, 20, 99, 100)
    }
    assert known[1] == known[3] == [0.0, 0.5, 1.0]
    assert known[4] == known[19] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert known[20] == known[99] == [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0]
    assert known[100] == list(levels)


def test_relative_iqr() -> None:
    assert relative_iqr([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)
    assert relative_iqr([1.0, 2.0, 3.0]) is None
    assert relative_iqr([0.0] * 5) is None
