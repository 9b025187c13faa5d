"""Outliers at the top: a one-sided generalised ESD test (Rosner 1983).

Of values that scatter normally, the largest ones are set aside one after another; each is compared with those that
remain, by Student's test and corrected for how many could have been the largest. As many are outliers as the last
significant step says, so that several do not hide each other. With none there, the chance of naming any is the level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis.distributions import student_quantile, student_tail
from groma.programs.pairs.fit import LEAST_SPREAD

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outliers:
    """The places of outliers, the largest first, and what the other values are: centre, spread, degrees of freedom.

    `reach` is how far above the centre one more value would have to be to be named; infinite if nothing could be.
    """

    places: tuple[int, ...]
    centre: float
    spread: float
    freedom: int
    reach: float


def outliers(values: Floats, *, level: float, most: int, parts: int = 1, family: int | None = None) -> Outliers:
    """Return the outliers at the top of these values; NaN values are left out.

    level   chance of any false name among the whole family
    most    outliers that can be named
    parts   fitted parameters: 1 is the values' mean; with more, values are residuals around 0
    family  values from which these were chosen, if more than there are
    """
    places = np.flatnonzero(np.isfinite(values))
    order = places[np.argsort(-values[places], kind="stable")]
    of = max(family or 0, order.size)
    found = 0
    for number in range(1, most + 1):
        test = _compared(values[order], number, parts)
        if test is None:
            break
        statistic, freedom = test
        if (of - number + 1) * student_tail(freedom, statistic) <= _share(level, number, most):
            found = number
    return _described(values, order, found, parts, _share(level, found + 1, max(most, found + 1)) / max(1, of - found))


def _share(level: float, number: int, most: int) -> float:
    """Return the part of the level for one step, half of it for the first: many steps name no more by chance."""
    return level if most == 1 else level / 2 if number == 1 else level / 2 / (most - 1)


def _compared(ordered: Floats, number: int, parts: int) -> tuple[float, int] | None:
    """Return Student's statistic of the value `number` against those after it, and its degrees of freedom."""
    rest = ordered[number:]
    freedom = rest.size - parts
    if freedom < 1:
        return None
    centre, spread = _scatter(rest, parts, freedom)
    return (ordered[number - 1] - centre) / (spread * _factor(rest.size, parts)), freedom


def _scatter(rest: Floats, parts: int, freedom: int) -> tuple[float, float]:
    centre = float(rest.mean()) if parts == 1 else 0.0
    return centre, max(LEAST_SPREAD, float(np.sqrt(np.sum((rest - centre) ** 2) / freedom)))


def _factor(size: int, parts: int) -> float:
    """Return the standard error of a new value's distance from a mean of `size`; residuals have theirs already."""
    return float(np.sqrt(1 + 1 / size)) if parts == 1 else 1.0


def _described(values: Floats, order: NDArray[np.int64], found: int, parts: int, level: float) -> Outliers:
    rest = values[order][found:]
    freedom = rest.size - parts
    if freedom < 1:
        return Outliers(tuple(map(int, order[:found])), 0.0, float("inf"), 0, float("inf"))
    centre, spread = _scatter(rest, parts, freedom)
    reach = -student_quantile(freedom, level) * spread * _factor(rest.size, parts)
    return Outliers(tuple(map(int, order[:found])), centre, spread, freedom, reach)
