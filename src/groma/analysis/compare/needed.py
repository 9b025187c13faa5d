"""How many launches a comparison needs before it can be decided."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

from groma.analysis.compare.exact import Paired, Shift
from groma.analysis.order import MINIMUM_FOR_INTERVAL

SIGNIFICANCE = 0.05
# The probability that the stated number of launches decides.
_POWER = 0.8
# Nearer to a border of the margin than this, in logarithms, or than half of the margin, no number is worth naming.
_LEAST_DISTANCE = 0.01
_NORMAL = NormalDist()
# The interval of one standard error to either side of the estimate.
_ONE_ERROR = 0.68


def fewest_launches(comparisons: int, *, paired: bool = True) -> int:
    """Return how many launches the test needs before one of `comparisons` can be significant.

    With n launches the smallest two-sided p-value is 2^(1 - n) in pairs, and 2 n! n! / (2n)! for two samples of n;
    Holm's correction multiplies it by the number of comparisons. Six are the fewest that have an interval.
    """
    largest_p = SIGNIFICANCE / max(1, comparisons)
    if paired:
        return 1 + math.ceil(math.log2(1 / largest_p))
    return next(n for n in itertools.count(MINIMUM_FOR_INTERVAL) if largest_p * math.comb(2 * n, n) >= 2)


def further_launches(shift: Shift, margin: float, comparisons: int = 1) -> int:
    """Return about how many more launches would decide, with a probability of 80 %, where `comparisons` are open.

    Of runs (`shift.unit`), how many more of each side.

    `margin` is in the unit of the shift. Where the estimate lies within +-`margin`, launches decide once the 95 %
    interval does; else once that interval lies beyond, and the difference is significant after correction.

    The standard error of the estimate is read off its own interval (Lehmann, Nonparametric confidence intervals for a
    shift parameter, 1963), and shrinks with the root of the launches. A border is left out with that probability where
    it is z_alpha + z_power standard errors away, the normal approximation that Noether uses too (Sample size
    determination for some common nonparametric tests, 1987). Fewer than three launches have no such interval: then the
    answer is what the test needs at least.
    """
    estimate = abs(shift.estimate)
    borders = [(1, max(abs(estimate - margin), margin / 2, _LEAST_DISTANCE))]
    if not estimate < margin:
        borders.append((max(1, comparisons), max(estimate, _LEAST_DISTANCE)))
    needed = [fewest_launches(borders[-1][0], paired=isinstance(shift, Paired)) if shift.unit == "launch" else 1]
    ends = shift.interval(_ONE_ERROR)
    if ends is not None:
        error = (ends.high - ends.low) / 2 / _NORMAL.inv_cdf((1 + _ONE_ERROR) / 2)
        needed += [math.ceil(shift.repeats * (_errors(of) * error / away) ** 2) for of, away in borders]
    return max(1, math.ceil(max(needed) - shift.repeats))


def _errors(comparisons: int) -> float:
    """Return how many standard errors a border has to be away, if `comparisons` share the significance."""
    return _NORMAL.inv_cdf(1 - SIGNIFICANCE / 2 / comparisons) + _NORMAL.inv_cdf(_POWER)
