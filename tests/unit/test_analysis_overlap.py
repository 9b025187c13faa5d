"""Overlap from phases: a transport that gets a known share of its work done while the ranks compute."""

from __future__ import annotations

import numpy as np
import pytest

from groma.analysis.overlap import phases_of

EXCHANGE_NS, POST_NS = 1000.0, 50.0


def transport(progress: float, compute_ns: float, seed: int = 1, tests_ns: float = 0.0) -> dict[str, np.ndarray]:
    """Return the phases of a transport that does `progress` of an exchange per time while the ranks compute."""
    jitter = np.random.default_rng(seed).normal(1.0, 0.01, 301)
    left = max(EXCHANGE_NS - POST_NS - progress * compute_ns, 0.0)
    values = {
        "pure": EXCHANGE_NS,
        "compute": compute_ns,
        "post": POST_NS,
        "work": compute_ns,
        "test": tests_ns,
        "wait": left - tests_ns,
    }
    return {name: np.round(value * jitter).astype(np.int64) for name, value in values.items()}


@pytest.mark.parametrize("progress", [0.0, 0.5, 1.0])
def test_the_planted_share_comes_back(progress: float) -> None:
    found = phases_of(transport(progress, EXCHANGE_NS))
    hidden = min(progress * EXCHANGE_NS, EXCHANGE_NS - POST_NS) / EXCHANGE_NS
    assert found.overlap == pytest.approx(hidden, abs=0.02)
    wait = EXCHANGE_NS - POST_NS - hidden * EXCHANGE_NS
    assert found.eff == pytest.approx((POST_NS - wait) / EXCHANGE_NS, abs=0.02)
    assert found.together_ns == pytest.approx(2 * EXCHANGE_NS - hidden * EXCHANGE_NS, rel=0.02)


@pytest.mark.parametrize("progress", [0.0, 0.5, 1.0])
def test_time_in_tests_is_time_of_its_own(progress: float) -> None:
    without, tested = (phases_of(transport(progress, 900.0, tests_ns=ns)) for ns in (0.0, 20.0))
    assert tested.test_ns == pytest.approx(20, abs=1)
    assert tested.together_ns == pytest.approx(without.together_ns, rel=0.001)
    assert tested.overlap == pytest.approx(without.overlap, abs=0.002)
