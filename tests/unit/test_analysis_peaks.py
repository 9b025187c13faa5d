"""Peaks: as many as there are, where they are, and none made of chance."""

from __future__ import annotations

import numpy as np
import pytest

from groma.analysis.peaks import histogram_end, peaks

RUNS = 60


def mixture(random: np.random.Generator, n: int, *parts: tuple[float, float]) -> np.ndarray:
    """Return n times around `(at, share)`, with a spread of 3 %."""
    centres = random.choice([at for at, _ in parts], n, p=[share for _, share in parts])
    return np.asarray(centres * np.exp(random.normal(0, 0.03, n)))


@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.parametrize(
    "parts",
    [((100.0, 1.0),), ((100.0, 0.7), (130.0, 0.3)), ((100.0, 0.25), (150.0, 0.25), (200.0, 0.5))],
    ids=["one", "two", "binary tree"],
)
def test_peaks_are_found_where_they_are(parts: tuple[tuple[float, float], ...], n: int) -> None:
    random = np.random.default_rng(11)
    right = 0
    for _ in range(RUNS):
        found = peaks(mixture(random, n, *parts))
        if len(found) == len(parts):
            right += 1
            assert [peak.at for peak in found] == pytest.approx([at for at, _ in parts], rel=0.05)
            assert sum(peak.share for peak in found) == pytest.approx(1)
    assert right >= 0.9 * RUNS


def test_stray_samples_are_no_peak() -> None:
    random = np.random.default_rng(5)
    times = np.append(mixture(random, 500, (100.0, 1.0)), [1000.0, 1010.0, 5000.0])
    assert len(peaks(times)) == 1


def test_equal_times_are_one_peak_and_few_are_none() -> None:
    found = peaks([7.0] * 100)
    assert [(peak.at, peak.share) for peak in found] == [(7.0, 1.0)]
    assert peaks([1.0, 2.0] * 40) == []


def test_a_histogram_shows_all_peaks_and_no_stray_samples() -> None:
    random = np.random.default_rng(6)
    times = np.append(mixture(random, 400, (100.0, 0.9), (200.0, 0.1)), np.full(12, 50_000.0))
    assert 210 < histogram_end(times, peaks(times)) < 410
    assert histogram_end([5.0] * 10, []) > 5.0
