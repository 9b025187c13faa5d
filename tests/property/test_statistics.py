"""Properties that statistics of times must have, whatever the times are."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from one_series import effective_size, lag1_autocorrelation, quantiles, relative_iqr, serial_median_interval
from scipy import stats

from groma.analysis.estimators import estimate
from groma.analysis.order import mean_ranks, median_interval, median_ranks
from groma.catalog.reporting import ESTIMATORS, OUTLIERS, Reporting

times = st.lists(st.integers(1, 10**9), min_size=6, max_size=80)
levels = st.floats(0.01, 0.999)


@given(times, st.randoms(use_true_random=False))
def test_order_of_launches_does_not_matter(values: list[int], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert median_interval(shuffled) == median_interval(values)
    assert relative_iqr(shuffled) == relative_iqr(values)


@given(times, st.sampled_from([0.5, 2.0, 1024.0]))
def test_another_unit_gives_the_same_interval_in_that_unit(values: list[int], factor: float) -> None:
    scaled = np.array(values) * factor
    for interval_of in (median_interval, serial_median_interval):
        before, after = interval_of(values), interval_of(scaled)
        assert (before is None) == (after is None)
        if before is not None and after is not None:
            assert (after.low, after.high) == (before.low * factor, before.high * factor)
    assert relative_iqr(scaled) == relative_iqr(values)


@given(times)
def test_time_and_rate_have_the_same_interval(values: list[int]) -> None:
    """Rates are times turned around, and so must be their interval: no monotone change of unit matters."""
    time, rate = serial_median_interval(values), serial_median_interval(-np.array(values, dtype=float))
    assert (time is None) == (rate is None)
    if time is not None and rate is not None:
        assert (-rate.high, -rate.low) == (time.low, time.high)


@given(times)
def test_the_interval_contains_the_median_and_lies_within_the_values(values: list[int]) -> None:
    for interval in (median_interval(values), serial_median_interval(values)):
        if interval is not None:
            assert min(values) <= interval.low <= np.median(values) <= interval.high <= max(values)


@given(times, levels, levels)
def test_more_confidence_is_never_a_narrower_interval(values: list[int], first: float, second: float) -> None:
    low, high = sorted((first, second))
    wide, narrow = median_interval(values, high), median_interval(values, low)
    assert wide is None or narrow is not None
    if wide is not None and narrow is not None:
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high


@given(times)
def test_correlation_only_ever_widens(values: list[int]) -> None:
    plain, serial = median_interval(values), serial_median_interval(values)
    assert 0 < effective_size(values) <= len(values) or lag1_autocorrelation(values) >= 1
    if plain is not None and serial is not None:
        assert serial.low <= plain.low
        assert plain.high <= serial.high


@given(times)
def test_ranks_are_those_of_scipy(values: list[int]) -> None:
    repeated = [value % 7 for value in values]
    for series in (values, repeated):
        assert mean_ranks(series).tolist() == stats.rankdata(series).tolist()


@given(times)
def test_autocorrelation_lies_between_minus_one_and_one(values: list[int]) -> None:
    assert -1 <= lag1_autocorrelation(values) <= 1
    assert lag1_autocorrelation(values[::-1]) - lag1_autocorrelation(values) < 1e-9


@given(st.integers(1, 5000), levels)
def test_ranks_are_symmetric_and_enclose_the_middle(n: int, confidence: float) -> None:
    ranks = median_ranks(n, confidence)
    if ranks is not None:
        low, high = ranks
        assert 1 <= low <= (n + 1) / 2 <= high <= n
        assert low + high == n + 1


@given(st.integers(2, 2000), levels)
def test_one_value_more_never_lowers_the_lower_rank(n: int, confidence: float) -> None:
    fewer, more = median_ranks(n - 1, confidence), median_ranks(n, confidence)
    assert fewer is None or (more is not None and fewer[0] <= more[0])


@given(times)
def test_quantiles_rise_with_their_level_and_are_values_that_lie_between_the_ends(values: list[int]) -> None:
    found = quantiles(values, (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0))
    known = found[~np.isnan(found)]
    assert (np.diff(known) >= 0).all()
    assert (known[0], known[-1]) == (min(values), max(values))


@given(
    samples=st.lists(st.floats(1, 1e9), min_size=1, max_size=200),
    estimator=st.sampled_from([*ESTIMATORS, "p05", "p95"]),
    outliers=st.sampled_from(list(OUTLIERS)),
)
def test_a_figure_lies_among_the_samples_and_scales_with_them(
    samples: list[float], estimator: str, outliers: str
) -> None:
    reporting = Reporting(estimator, outliers)
    found = estimate(samples, reporting)
    slack = 1e-9 * max(samples)
    assert min(samples) - slack <= found.value <= max(samples) + slack
    assert 0 <= found.dropped < len(samples)
    doubled = estimate([2 * sample for sample in samples], reporting)
    assert doubled.dropped == found.dropped
    assert doubled.value == 2 * found.value
