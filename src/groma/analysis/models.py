"""Lines through a curve of times over message sizes, and the sizes at which one line ends and the next begins.

Hockney's T = t0 + n/r by least squares weighted with 1/T^2, so that every size counts alike; where one
line is off by more than 10 % anywhere, segments instead, whose number and ends minimise the Bayesian criterion (BIC).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

MOST_BREAKS = 5
LEAST_POINTS = 4
LINE_ERROR_LIMIT = 0.1
# Residuals below this share of the time do not justify a segment; exact times would otherwise always add another one.
_FLOOR = 1e-3
# A break counts as three parameters, not one, because it is the best of many places. On 23 sizes with 2 % noise, a
# plain line then gets a break in 1 of 75 simulations instead of 1 of 4, and jumps of 20 % are found as before.
_LINE_PARAMETERS, _BREAK_PARAMETERS = 2, 3


@dataclass(frozen=True)
class Line:
    """T = t0 + n/r over the sizes from `first` to `last` bytes; `ns_per_byte` is 1/r."""

    first: int
    last: int
    points: int
    t0_ns: float
    ns_per_byte: float
    max_error: float

    @property
    def bandwidth_mb_s(self) -> float | None:
        """Return r in MB/s (10^6 bytes); None if times do not grow with the size."""
        return 1e3 / self.ns_per_byte if self.ns_per_byte > 0 else None

    @property
    def half_bytes(self) -> float | None:
        """Return n_half = t0 * r in bytes, the size at which half of the bandwidth r is reached; None without one."""
        return self.t0_ns / self.ns_per_byte if self.ns_per_byte > 0 and self.t0_ns > 0 else None

    def time_ns(self, size: float) -> float:
        """Return the line's time in ns at a size in bytes."""
        return self.t0_ns + size * self.ns_per_byte


@dataclass(frozen=True)
class Model:
    """One line through all points, and the segments that the criterion prefers (one, if it prefers that line)."""

    line: Line
    segments: tuple[Line, ...]

    @property
    def one_line(self) -> bool:
        """True if a single line fits the curve within `LINE_ERROR_LIMIT`."""
        return self.line.max_error <= LINE_ERROR_LIMIT


def fit(sizes: Sequence[int], times_ns: Sequence[float]) -> Model | None:
    """Fit one line and the best segments to times by ascending size; None for fewer than `LEAST_POINTS` of them."""
    if len(sizes) < LEAST_POINTS or min(times_ns) <= 0:
        return None
    curve = _Curve(np.array(sizes, dtype=np.float64), np.array(times_ns, dtype=np.float64))
    ends = curve.best_ends()
    return Model(curve.line(0, len(sizes)), tuple(curve.line(low, high) for low, high in pairwise([0, *ends])))


def line(sizes: Sequence[int], times_ns: Sequence[float]) -> Line:
    """Fit one line to times by ascending size, each weighted with the inverse of its square."""
    curve = _Curve(np.array(sizes, dtype=np.float64), np.array(times_ns, dtype=np.float64))
    return curve.line(0, len(sizes))


class _Curve:
    """Prefix sums of the weighted moments: the line of any stretch and its residual in constant time."""

    def __init__(self, sizes: NDArray[np.float64], times: NDArray[np.float64]) -> None:
        self.sizes, self.times = sizes, times
        self._scale = max(float(sizes.max()), 1.0)  # moments of bytes to the fourth power would lose digits
        x, weight = sizes / self._scale, 1 / times**2
        moments = [weight, weight * x, weight * x * x, weight * times, weight * x * times, weight * times * times]
        self._sums = np.concatenate([np.zeros((6, 1)), np.cumsum(moments, axis=1)], axis=1)

    def line(self, low: int, high: int) -> Line:
        """Return the line of the points from `low` up to, not including, `high`."""
        t0, slope, _ = self._solve(low, high)
        sizes, times = self.sizes[low:high], self.times[low:high]
        error = float(np.max(np.abs(t0 + slope * sizes / self._scale - times) / times))
        return Line(int(sizes[0]), int(sizes[-1]), high - low, t0, slope / self._scale, error)

    def best_ends(self) -> list[int]:
        """Return where the segments end (exclusive), by dynamic programming over their number and BIC."""
        points = len(self.sizes)
        most_segments = min(MOST_BREAKS + 1, points // LEAST_POINTS)
        cost = np.full((most_segments + 1, points + 1), np.inf)
        came_from = np.zeros((most_segments + 1, points + 1), dtype=int)
        cost[0, 0] = 0.0
        for count in range(1, most_segments + 1):
            for end in range(count * LEAST_POINTS, points + 1):
                for start in range((count - 1) * LEAST_POINTS, end - LEAST_POINTS + 1):
                    total = cost[count - 1, start] + self._solve(start, end)[2]
                    if total < cost[count, end]:
                        cost[count, end], came_from[count, end] = total, start
        count = min(
            range(1, most_segments + 1), key=lambda segments: _bic(float(cost[segments, points]), points, segments)
        )
        ends = [points]
        for segments in range(count, 1, -1):
            ends.append(int(came_from[segments, ends[-1]]))
        return ends[::-1]

    def _solve(self, low: int, high: int) -> tuple[float, float, float]:
        """Return t0, the slope over scaled sizes and the weighted sum of squared residuals of one stretch."""
        w, wx, wxx, wt, wxt, wtt = (self._sums[:, high] - self._sums[:, low]).tolist()
        determinant = w * wxx - wx * wx
        slope = (w * wxt - wx * wt) / determinant if determinant > 1e-12 * w * wxx else 0.0
        t0 = (wt - slope * wx) / w
        return t0, slope, max(0.0, wtt - t0 * wt - slope * wxt)


def _bic(residual: float, points: int, segments: int) -> float:
    parameters = _LINE_PARAMETERS * segments + _BREAK_PARAMETERS * (segments - 1)
    return points * math.log(max(residual / points, _FLOOR**2)) + parameters * math.log(points)
