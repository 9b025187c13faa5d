"""How alike runs next to each other are, and single runs that are far off: both estimated in spite of changes.

A change of level is one large difference between neighbours, and an outlier two. So what is estimated from trimmed
differences of neighbours hardly notices either (Chakar, Lebarbier, Lévy-Leduc, Robin, *A robust approach for estimating
change-points in the mean of an AR(1) process*, Bernoulli 2017, whose medians of differences are replaced by trimmed
means of squares, which scatter by half as much).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groma.analysis.rows import median

_OF_NORMAL = 1.482602  # the standard deviation over the median absolute deviation
_NEIGHBOURS = 3  # on either side of a run, whose median it is compared with
_FAR_OFF = 2.5  # standard deviations from that median to which a run that lies farther off is moved
_TRIMMED = 0.1  # the share of the differences that may be changes and outliers
_MOST = 0.95
_FEWEST = 7  # runs
_HALF = 40  # runs of which half of what a series' own correlation is above the usual one counts


@dataclass(frozen=True, eq=False)
class RunSeries:
    """A figure's logarithms in runs, in time order, and the variance that the launches of a run explain."""

    logs: NDArray[np.float64]
    explained: float = 0.0

    @cached_property
    def clipped(self) -> NDArray[np.float64]:
        """The logarithms, with runs that are far from their neighbours moved towards these (Hampel's filter)."""
        size = self.logs.size
        near = [self.logs[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1] for at in range(size)]
        middle = np.array([median(own) for own in near])
        away = self.logs - middle
        most = _FAR_OFF * _OF_NORMAL * median(np.abs(away)) if size else 0.0
        return middle + np.clip(away, -most, most) if most > 0 else self.logs

    @cached_property
    def likeness(self) -> float | None:
        """The correlation of neighbours: the mean square over two runs over that over one is 1 plus it.

        None below seven runs, and where figures are equal.
        """
        if self.logs.size < _FEWEST:
            return None
        one, two = (_trimmed(self.clipped[step:] - self.clipped[:-step]) for step in (1, 2))
        return two / one - 1 if one > 0 else None


def usual_likeness(group: Sequence[RunSeries]) -> float:
    """Return the median correlation of the series of the same runs; 0 if none is known."""
    known = [series.likeness for series in group if series.likeness is not None]
    return median(known) if known else 0.0


def dependences(group: Sequence[RunSeries]) -> list[float]:
    """Return the correlation of neighbours to assume for every series of the same runs, from 0 to 0.95.

    The median of all series, and of what a series' own is more, the larger part the more runs it has; and the standard
    error of a correlation, about 1 / sqrt(runs), because too small a correlation would make false alarms.
    """
    usual, found = usual_likeness(group), []
    for series in group:
        runs, own = max(1, series.logs.size), usual if series.likeness is None else series.likeness
        more = max(0.0, own - usual) * runs / (runs + _HALF)
        found.append(min(_MOST, max(0.0, usual + more + 1 / math.sqrt(runs))))
    return found


def mean_variance(count: int, likeness: float) -> float:
    """Return the variance of the mean of `count` values over that of one value, from 1 / `count` to 1.

    The values follow each other; each has the correlation `likeness` with the next (an AR(1) process).
    """
    steps = np.arange(1, count)
    return float((1 + 2 * ((1 - steps / count) * likeness**steps).sum()) / count)


def _trimmed(differences: NDArray[np.float64]) -> float:
    """Return the mean square without the largest tenth: the same share of the whole for any normal distribution."""
    squares = np.sort(np.square(differences))
    return float(squares[: squares.size - math.ceil(_TRIMMED * squares.size)].mean()) if squares.size > 1 else 0.0
