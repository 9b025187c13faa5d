"""How often a gate in turns alarms where nothing changed, and what it finds and decides, in simulated rounds.

Launches differ by 2 % (one sigma), half of it alike at all points of a launch; 3 % of ratios are ten times as far off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from groma.analysis.compare import MARGIN, Paired, judge
from groma.analysis.compare.comparison import Comparison
from groma.decide.gating import is_regression, is_suspect
from groma.decide.turns import LOOKS
from groma.plan.draft import DEFAULT_LAUNCHES

POINTS, SPREAD, ALIKE, FAR_OFF = 5, 0.02, 0.5, 0.03


@dataclass(frozen=True)
class Ended:
    """Whether a point was called slower, whether the first one was, and whether none stayed open."""

    alarm: bool
    found: bool
    decided: bool


def gate(random: np.random.Generator, slower: float = 0.0, margin: float = MARGIN, looks: int = LOOKS) -> Ended:
    """Make a gate as `groma gate` does in turns: R, 2R and 4R rounds of what is open; the first point is slower."""
    most = DEFAULT_LAUNCHES * 2 ** (LOOKS - 1)
    alike, own = random.normal(0, 1, most), random.normal(0, 1, (POINTS, most))
    far_off = np.where(random.random((POINTS, most)) < FAR_OFF, 10.0, 1.0)
    ratios = SPREAD * 2**0.5 * (ALIKE**0.5 * alike + (1 - ALIKE) ** 0.5 * own) * far_off
    ratios[0] += np.log1p(slower)
    rounds = [0] * POINTS
    still_open = set(range(POINTS))
    for look in range(LOOKS):
        for at in still_open:
            rounds[at] = DEFAULT_LAUNCHES * 2**look
        judged = judge([Comparison(Paired(ratios[at, : rounds[at]], looks), 1.0) for at in range(POINTS)], margin)
        slow = {at for at, one in enumerate(judged) if is_regression(one, "rounds")}
        still_open = {at for at, one in enumerate(judged) if is_suspect(one.comparison.interval, margin)} - slow
        if not still_open:
            break
    return Ended(bool(slow), 0 in slow, not still_open)


def gates(count: int, **how: float) -> list[Ended]:
    random = np.random.default_rng(40)
    return [gate(random, **how) for _ in range(count)]  # type: ignore[arg-type]


def at_most(count: int, of: int, share: float) -> bool:
    """Return whether the exact interval of a share contains this share, or lies below it."""
    return bool(stats.binomtest(count, of).proportion_ci().low <= share)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [MARGIN, 1e-9])
def test_at_most_one_gate_in_twenty_alarms_where_nothing_changed(margin: float) -> None:
    """Also without a margin, where only the correction for points and looks keeps the rate."""
    ended = gates(400, margin=margin)
    assert at_most(sum(one.alarm for one in ended), len(ended), 0.05)
    if margin == MARGIN:
        assert sum(one.decided for one in ended) >= 0.8 * len(ended)


@pytest.mark.slow
def test_a_tenth_is_found_and_what_is_at_the_margin_hardly_ever() -> None:
    assert sum(one.found for one in gates(100, slower=0.10)) >= 85
    assert sum(one.found for one in gates(100, slower=0.05)) <= 10


@pytest.mark.slow
def test_looks_that_are_not_counted_would_alarm_too_often() -> None:
    """What the correction is for: one point called different at any look, at 5 % each."""
    random, errs, count = np.random.default_rng(7), 0, 1000
    for _ in range(count):
        ratios = random.normal(0, 1, DEFAULT_LAUNCHES * 2 ** (LOOKS - 1))
        errs += any(Paired(ratios[: DEFAULT_LAUNCHES * 2**look]).p() <= 0.05 for look in range(LOOKS))
    assert stats.binomtest(errs, count).proportion_ci().low > 0.05
