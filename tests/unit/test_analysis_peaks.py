"""Peaks: as many as there are, where they are, and none made of chance."""

from __future__ import annotations

import numpy as np
import pytest

from groma.analysis.peaks import Peak, in_words, peaks, two_groups

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


@pytest.mark.parametrize(("n", "most"), [(6, 0.05), (8, 0.02), (20, 0.01)])
def test_chance_makes_two_groups_of_few_sets_only(n: int, most: float) -> None:
    random = np.random.default_rng(8)
    found = [two_groups(100 * np.exp(random.normal(0, 0.2, n))) for _ in range(600)]
    assert sum(groups is not None for groups in found) <= most * 600


def test_two_groups_are_told_with_their_medians_and_shares() -> None:
    low, high = two_groups([100, 101, 102, 120, 121, 99]) or pytest.fail("no groups")
    assert [low.at, high.at] == pytest.approx([100.5, 120.5], rel=1e-3)
    assert [low.share, high.share] == pytest.approx([4 / 6, 2 / 6])


@pytest.mark.parametrize(
    "figures",
    [[100, 100, 120, 120, 120], [100, 100, 100, 100, 100, 200], [100, 100, 100, 104, 104, 104], [0, 0, 0, 5, 5, 5]],
    ids=["too few", "one alone", "close", "no time"],
)
def test_other_figures_are_not_two_groups(figures: list[float]) -> None:
    assert two_groups(figures) is None


def test_peaks_in_words() -> None:
    assert in_words([Peak(1234.56, 0.7), Peak(12_340_000.0, 0.3)]) == "1.235 µs 70%, 12340 µs 30%"
    assert in_words([]) == ""
