"""How often intervals contain the truth, by simulation of noise that launches really have (issue: 95 % means 95 %).

A launch's samples: correlated, in two modes, or with a step somewhere; every launch has an effect of its own. The truth
is the median of what launches report, from very many of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from groma.analysis.order import median_interval
from groma.explain import attribute

SAMPLES, RUNS, POPULATION = 40, 3000, 60_000
Noise = Callable[[np.random.Generator, int], np.ndarray]


def correlated(random: np.random.Generator, launches: int) -> np.ndarray:
    """AR(1) with rho = 0.6 around 1."""
    rho, state = 0.6, random.normal(0, 1, launches)
    rows = np.empty((SAMPLES, launches))
    for row in rows:
        state = rho * state + np.sqrt(1 - rho**2) * random.normal(0, 1, launches)
        row[:] = state
    return 1 + 0.05 * rows.T


def bimodal(random: np.random.Generator, launches: int) -> np.ndarray:
    """Samples in two modes, 1 and 1.4, whose shares differ from launch to launch: as an allreduce after a barrier."""
    share = random.beta(2, 3, (launches, 1))
    modes = np.where(random.random((launches, SAMPLES)) < share, 1.4, 1.0)
    return modes * np.exp(random.normal(0, 0.03, (launches, SAMPLES)))


def stepped(random: np.random.Generator, launches: int) -> np.ndarray:
    """A quarter slower from some moment on, anywhere in the launch or after it."""
    since = random.integers(0, 2 * SAMPLES, (launches, 1))
    times = np.where(np.arange(SAMPLES) >= since, 1.25, 1.0)
    return times * np.exp(random.normal(0, 0.03, (launches, SAMPLES)))


def launch_medians(noise: Noise, random: np.random.Generator, launches: int) -> np.ndarray:
    effect = np.exp(random.normal(0, 0.03, launches))
    return np.asarray(effect * np.median(noise(random, launches), axis=1))


@pytest.mark.one_case
@pytest.mark.parametrize("noise", [correlated, bimodal, stepped])
@pytest.mark.parametrize("launches", [6, 10, 20])
def test_the_interval_of_the_headline_covers_the_truth(noise: Noise, launches: int) -> None:
    random = np.random.default_rng([launches, SAMPLES])
    truth = np.median(launch_medians(noise, random, POPULATION))
    runs = launch_medians(noise, random, launches * RUNS).reshape(RUNS, launches)
    covered = np.mean([truth in interval for run in runs if (interval := median_interval(run))])
    assert 0.93 <= covered <= 0.97


def test_pooled_samples_would_not_cover_it() -> None:
    random = np.random.default_rng(3)
    truth = np.median(launch_medians(correlated, random, POPULATION))
    runs = (np.exp(random.normal(0, 0.03, 10))[:, None] * correlated(random, 10) for _ in range(300))
    covered = np.mean([truth in interval for run in runs if (interval := median_interval(run.ravel()))])
    assert covered < 0.6


@pytest.mark.slow
@pytest.mark.parametrize("noise", [correlated, bimodal, stepped])
def test_equal_methods_are_not_said_to_differ(noise: Noise) -> None:
    """All factors equal: total and shares have a ratio of 1 in their intervals, in 95 of 100 runs or more."""
    random = np.random.default_rng(8)
    changes, launches, runs = 3, 10, 100
    agreeing = np.zeros(changes + 1)
    for run in range(runs):
        shared = np.exp(random.normal(0, 0.05, launches))  # what a launch does to all of its points
        times = {mask: 1000 * shared * launch_medians(noise, random, launches) for mask in range(1 << changes)}
        found = attribute(times, changes, seed=run)
        agreeing += [bool(term.interval and 0.0 in term.interval) for term in (found.total, *found.shares)]
    assert (agreeing >= 0.95 * runs).all(), agreeing
