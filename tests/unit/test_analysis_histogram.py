"""Bins show peaks: separate where the times are, one where they are not, and nothing is lost."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from groma.analysis.peaks import MOST_BINS, Histogram, histogram


def mixture(n: int, *parts: tuple[float, float], seed: int = 11) -> np.ndarray:
    """Return n times around `(at, share)`, with a spread of 3 %."""
    random = np.random.default_rng(seed)
    centres = random.choice([at for at, _ in parts], n, p=[share for _, share in parts])
    return np.asarray(centres * np.exp(random.normal(0, 0.03, n)))


def heaps(found: Histogram) -> list[tuple[float, float]]:
    """Return from where to where bins hold more than a stray time, without a gap of 15 % between them."""
    full = found.counts >= found.counts.max() / 20
    joined: list[tuple[float, float]] = []
    for low, high in zip(found.edges[:-1][full], found.edges[1:][full], strict=True):
        joined.append((joined.pop()[0], high) if joined and low < 1.15 * joined[-1][1] else (low, high))
    return joined


@pytest.mark.parametrize("n", [100, 200, 2000])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_two_peaks_are_two_heaps(n: int, seed: int, share: float) -> None:
    first, second = heaps(histogram(mixture(n, (1815.0, share), (4085.0, 1 - share), seed=seed)))
    assert 1815 * 0.8 < first[0] < first[1] < second[0] < second[1] < 4085 * 1.4
    for heap, place in ((first, 1815), (second, 4085)):  # of ten times, none may lie in the bin of the middle
        assert heap[0] < 1.03 * place
        assert heap[1] > 0.97 * place


def test_linear_bins_would_have_put_both_into_one() -> None:
    times = np.append(mixture(200, (1815.0, 0.5), (4085.0, 0.5)), np.full(2, 60_000.0))
    assert np.count_nonzero(np.histogram(times, 16)[0]) == 2
    assert len(heaps(histogram(times))) == 2


def test_one_peak_is_one_heap() -> None:
    assert len(heaps(histogram(mixture(400, (2500.0, 1.0))))) == 1


def test_every_time_is_in_one_row_and_shares_rise_to_one() -> None:
    times = np.append(mixture(300, (100.0, 0.7), (200.0, 0.3)), [5000.0, 9000.0, 50_000.0, 60_000.0])
    rows = list(histogram(times).rows(float(times.max())))
    assert sum(count for _, _, count, _ in rows) == times.size
    assert [low for low, *_ in rows[1:]] == [high for _, high, *_ in rows[:-1]], "without a gap"
    assert (rows[0][0], rows[-1][1]) == (times.min(), times.max())
    for _, high, _, share in rows[:-1]:
        assert share == pytest.approx((times < high).mean(), abs=1.5 / times.size)
    assert rows[-1][3] == 1
    assert not any(first[2] == second[2] == 0 for first, second in itertools.pairwise(rows))


def test_the_slowest_have_no_bins_and_no_others_are_without() -> None:
    times = np.append(mixture(996, (100.0, 0.9), (200.0, 0.1), seed=6), [1e4, 2e4, 3e4, 4e4])
    found = histogram(times)
    assert found.slower == 10
    assert found.edges[-1] < 250
    long = histogram(np.exp(np.random.default_rng(2).normal(0, 3, 5000)))
    assert long.slower == 50


@pytest.mark.parametrize("times", [[5.0], [5.0] * 200, [0.0] * 10, [0.0, 1000.0, 1000.0, 2000.0]])
def test_equal_and_coarse_times_have_bins_too(times: list[float]) -> None:
    found = histogram(times)
    assert found.counts.sum() + found.slower == len(times)
    assert 1 <= found.counts.size <= MOST_BINS
    assert np.all(np.diff(found.edges) > 0)


def test_no_bin_is_narrower_than_a_step_of_the_clock() -> None:
    times = np.rint(np.random.default_rng(3).normal(140, 2, 20_000))  # whole nanoseconds, 2 % apart at most
    assert np.diff(np.log(histogram(times).edges)).min() >= 0.9 * np.log1p(1 / 140)
