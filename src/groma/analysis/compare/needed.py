"""How many launches a comparison needs before it can be decided."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from groma.analysis.compare.exact import Paired
from groma.analysis.order import MINIMUM_FOR_INTERVAL

if TYPE_CHECKING:
    from groma.analysis.compare.exact import Shift

SIGNIFICANCE = 0.05
# How probable it is that so many launches decide.
_POWER = 0.8
# Nearer to a border of the margin than this, in logarithms, or than half of the margin, no number is worth naming.
_LEAST_DISTANCE = 0.01
# The interval of one standard error to either side of the estimate.
_ONE_ERROR = 0.68


def fewest_launches(comparisons: int, *, paired: bool = True) -> int:
    """Return how many launches the test needs before one of so many comparisons can be significant.

    With n launches the smallest two-sided p-value is 2^(1 - n) in pairs, and 2 n! n! / (2n)! for two samples of n;
    Holm's correction multiplies it by the number of comparisons. Six are the fewest that have an interval.
    """
    most = SIGNIFICANCE / max(1, comparisons)
    if paired:
        return 1 + math.ceil(math.log2(1 / most))
    return next(n for n in itertools.count(MINIMUM_FOR_INTERVAL) if most * math.comb(2 * n, n) >= 2)


def further_launches(shift: Shift, margin: float, comparisons: int = 1) -> int:
    """Return about how many more launches would decide, with a probability of 80 %, where `comparisons` are open.

    `margin` is in the unit of the shift: launches decide once they show the shift beyond +-`margin`, or within. The
    standard error of the estimate is read off its own interval (Lehmann, Nonparametric confidence intervals for a shift
    parameter, 1963), and shrinks with the root of the launches. The nearer border is left out with that probability
    where it is z_alpha + z_power standard errors away, the normal approximation that Noether uses too (Sample size
    determination for some common nonparametric tests, 1987). Fewer than three launches have no such interval: then the
    answer is what the test needs at least.
    """
    needed = fewest_launches(comparisons, paired=isinstance(shift, Paired))
    ends = shift.interval(_ONE_ERROR)
    if ends is not None:
        normal = NormalDist()
        error = (ends.high - ends.low) / 2 / normal.inv_cdf((1 + _ONE_ERROR) / 2)
        errors = normal.inv_cdf(1 - SIGNIFICANCE / 2 / max(1, comparisons)) + normal.inv_cdf(_POWER)
        distance = max(abs(abs(shift.estimate) - margin), margin / 2, _LEAST_DISTANCE)
        needed = max(needed, math.ceil(shift.launches * (errors * error / distance) ** 2))
    return max(1, needed - shift.launches)
