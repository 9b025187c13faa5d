"""All windows of a series that are tested for two levels, and their p-values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from groma.analysis.distributions import student_tail

SHORTEST = 3  # runs on either side of a change: one or two slow runs are no new level


@lru_cache(maxsize=64)
def windows(count: int) -> NDArray[np.int64]:
    """Return begin, change and end of every window of `count` values, as rows of three; the end is not in it.

    The parts before and after the change have 3, 6, 12, ... values, or all that there are. So a change to a level that
    has only three runs yet is tested against the long stretch before it.
    """
    if count < 2 * SHORTEST:
        return np.empty((0, 3), dtype=np.int64)
    found = [np.stack(rows, axis=1) for rows in _all(count)]
    return np.unique(np.concatenate(found), axis=0)


def _all(count: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    lengths = [SHORTEST * 2**step for step in range(count.bit_length()) if SHORTEST * 2**step < count]
    places = np.arange(SHORTEST, count - SHORTEST + 1)
    yield np.zeros_like(places), places, np.full_like(places, count)
    for before in lengths:
        late, early = places[places >= before], places[places <= count - before]
        yield late - before, late, np.full_like(late, count)
        yield np.zeros_like(early), early, early + before
        for after in lengths:
            inner = late[late <= count - after]
            yield inner - before, inner, inner + after


def student_t(
    white: NDArray[np.float64], tested: NDArray[np.int64], rest: float = 1.0, least_variance: float = 0.0
) -> NDArray[np.float64]:
    """Return the absolute value of Student's t for each window having one level, by least squares.

    `white` holds the whitened logarithms of one series, by run; `tested` has a row for each window: begin, change and
    end, as places in `white`. The values are independent but for the step: 1 at the change and `rest` after it, times
    its size. They vary by `least_variance` at least, where by chance they agree.
    """
    sums, squares = (np.concatenate([[0.0], np.cumsum(of)]) for of in (white, white**2))
    begin, change, end = tested.T
    count, later = end - begin, end - change - 1
    total, step = sums[end] - sums[begin], 1 + rest * later
    explained = white[change] + rest * (sums[end] - sums[change + 1]) - total * step / count
    power = 1 + rest**2 * later - step**2 / count
    gain = explained**2 / power
    left = squares[end] - squares[begin] - total**2 / count - gain
    rounding = 1e-14 * (1 + float(np.square(white).max(initial=0.0)))
    variance = np.maximum(left / (count - 2), max(least_variance, rounding))
    distance: NDArray[np.float64] = np.sqrt(gain / variance)
    return distance


def p_values(tested: NDArray[np.int64], distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two-sided p-value of each window, from its `student_t`."""
    return 2 * student_tail(tested[:, 2] - tested[:, 0] - 2, distance)
