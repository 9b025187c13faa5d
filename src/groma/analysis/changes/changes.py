"""Finding changes in series of runs, placing them, and stating their size with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from groma.analysis.changes.dependence import RunSeries, dependences, mean_variance
from groma.analysis.compare.family import SIGNIFICANCE
from groma.analysis.distributions import student_quantile, student_tail
from groma.analysis.order import CONFIDENCE, Interval

SHORTEST = 3  # runs on either side of a change: one or two slow runs are no new level
FEWEST_RUNS = 2 * SHORTEST + 1  # whitening takes one
# The likelihood ratio of a change's place below which it is in its 95 % set: (1 - exp(-x / 2))^2 = 0.95 (Bai 1997;
# Eo and Morley, Likelihood-ratio-based confidence sets for the timing of structural breaks, 2015).
_PLACES = -2 * math.log(1 - math.sqrt(CONFIDENCE))
_ROUNDS = 5


@lru_cache(maxsize=64)
def windows(count: int) -> NDArray[np.int64]:
    """Return begin, change and end of every window of `count` values, as rows of three; the end is not in it.

    The parts before and after the change have 3, 6, 12, ... values, or all that there are. So a change to a level that
    has only three runs yet is tested against the long stretch before it.
    """
    if count < 2 * SHORTEST:
        return np.empty((0, 3), dtype=np.int64)
    found = [np.stack(rows, axis=1) for rows in _all(count)]
    return np.array(sorted({*map(tuple, np.concatenate(found).tolist())}), dtype=np.int64)


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


@dataclass(frozen=True)
class LevelChange:
    """A change of level: `at` is the first run after it; with 95 % it is among `earliest` to `latest`.

    `shift` and `interval` are differences of logarithms, `p` is corrected for all windows of all series.
    """

    at: int
    earliest: int
    latest: int
    shift: float
    interval: Interval
    p: float


@dataclass(frozen=True)
class Levels:
    """A series in stretches of one level: its changes, the mean logarithm of each stretch, and the spread around it.

    `deviation` is the standard deviation of a run, as a logarithm; None without enough runs. `likeness` is the
    correlation of neighbours that was assumed.
    """

    changes: tuple[LevelChange, ...]
    means: tuple[float, ...]
    deviation: float | None
    likeness: float


def find_changes(groups: Sequence[Sequence[RunSeries]]) -> list[list[Levels]]:
    """Return the stretches of every series, in the order given; the series of a group come from the same runs.

    The probability that any change of all series together is a false one is at most 5 %: none lies in a window of runs
    without a change.
    """
    family = sum(len(windows(max(0, series.logs.size - 1))) for group in groups for series in group)
    return [
        [_levels(series, likeness, family) for series, likeness in zip(group, dependences(group), strict=True)]
        for group in groups
    ]


def _levels(series: RunSeries, likeness: float, family: int) -> Levels:
    values, places = series.clipped, _tested(series, likeness, family)
    while True:
        places = _settled(values, places, likeness)
        ends = [0, *places, values.size]
        spread = _spread(values, ends, likeness, series.explained)
        p = _final(series, ends, likeness) * family
        changes = [
            _change(values, part, likeness, spread, min(1.0, own))
            for part, own in zip(_triples(ends), p.tolist(), strict=True)
        ]
        doubtful = [one for one in changes if one.p > SIGNIFICANCE or 0.0 in one.interval]
        if not doubtful:
            break
        places.remove(max(doubtful, key=lambda one: one.p).at)  # nothing is left of it between its final neighbours
    means = tuple(float(values[a:b].mean()) for a, b in pairwise(ends)) if values.size else ()
    return Levels(tuple(changes), means, spread, likeness)


def _settled(values: NDArray[np.float64], places: list[int], likeness: float) -> list[int]:
    """Return the places that fit best between their neighbours."""
    for _ in range(_ROUNDS):  # each move may move the neighbours
        parts = _triples([0, *places, values.size])
        moved = [begin + _placed(values[begin:end], likeness)[0] for begin, _, end in parts]
        if moved == places or any(b - a < SHORTEST for a, b in pairwise([0, *moved])):
            break
        places = moved
    return places


def _triples(ends: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return every change with the ends of the stretches before and after it."""
    return list(zip(ends, ends[1:], ends[2:], strict=False))


def _tested(series: RunSeries, likeness: float, family: int) -> list[int]:
    """Return the places of changes: that of the surest window first, then of those that do not contain it."""
    if series.logs.size < FEWEST_RUNS:
        return []
    tested = windows(series.logs.size - 1)
    distance = _student_t(series, tested, likeness)
    far = distance >= NormalDist().inv_cdf(1 - SIGNIFICANCE / 2 / family)  # no nearer one is sure, in however many runs
    tested, distance = tested[far], distance[far]
    p = p_values(tested, distance)
    sure = p * family <= SIGNIFICANCE
    tested, p, distance = tested[sure], p[sure], distance[sure]
    found = []
    while p.size:
        place = int(tested[np.lexsort((-distance, p))[0], 1])  # the smallest p-values are all zero
        found.append(place + 1)
        rest = (tested[:, 2] <= place) | (tested[:, 0] > place)
        tested, p, distance = tested[rest], p[rest], distance[rest]
    return sorted(found)


def _final(series: RunSeries, ends: Sequence[int], likeness: float) -> NDArray[np.float64]:
    """Return the p-value of every change between its neighbours."""
    if len(ends) < 3:
        return np.empty(0)
    tested = np.array([[begin, at - 1, end - 1] for begin, at, end in _triples(ends)])
    return p_values(tested, _student_t(series, tested, likeness))


def _student_t(series: RunSeries, tested: NDArray[np.int64], likeness: float) -> NDArray[np.float64]:
    """Return `student_t` of the whitened series, in which the first run after a change is one place earlier."""
    values = series.clipped
    white = values[1:] - likeness * values[:-1]
    return student_t(white - white.mean(), tested, 1 - likeness, series.explained * (1 + likeness**2))


def _placed(values: NDArray[np.float64], likeness: float) -> tuple[int, int, int]:
    """Return the best place of one change in these values, and the first and the last of its 95 % set.

    Least squares of the whitened values: a step at a place becomes 1 there and 1 - likeness after it.
    """
    white = values[1:] - likeness * values[:-1]
    white = white - white.mean()
    count, after = white.size, np.arange(white.size - 1, -1, -1)
    rest = 1 - likeness
    later = np.cumsum(white[::-1])[::-1] - white
    explained = white + rest * later
    total = 1 + rest * after
    power = 1 + rest**2 * after - total**2 / count
    gain = np.divide(explained**2, power, out=np.zeros(count), where=power > 0)
    inside = slice(SHORTEST - 1, count - SHORTEST + 1)
    best = int(gain[inside].argmax()) + inside.start
    left = np.maximum(float(white @ white) - gain, 1e-15 * (1 + float(values @ values)))
    ratio = count * np.log(left / left[best])
    kept = np.flatnonzero(ratio[inside] <= _PLACES) + inside.start
    return best + 1, int(kept[0]) + 1, int(kept[-1]) + 1


def _change(
    values: NDArray[np.float64],
    ends: tuple[int, int, int],
    likeness: float,
    spread: float | None,
    p: float,
) -> LevelChange:
    begin, at, end = ends
    counts = at - begin, end - at
    shift = float(values[at:end].mean() - values[begin:at].mean())
    error = (spread or 0.0) * math.sqrt(sum(mean_variance(count, likeness) for count in counts))
    effective = sum(counts) * (1 - likeness**2) / (1 + likeness**2)
    reach = student_quantile(max(2, round(effective) - 2), (1 + CONFIDENCE) / 2) * error
    _, earliest, latest = _placed(values[begin:end], likeness)
    return LevelChange(at, begin + earliest, begin + latest, shift, Interval(shift - reach, shift + reach), min(1.0, p))


def _spread(values: NDArray[np.float64], ends: Sequence[int], likeness: float, explained: float) -> float | None:
    """Return the standard deviation of a run around its stretch's level, as it is without the levels' being fitted."""
    parts = [values[a:b] for a, b in pairwise(ends) if b - a > 1]
    free = sum(part.size * (1 - mean_variance(part.size, likeness)) for part in parts)
    if free <= 0:
        return None
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
    return math.sqrt(max(squares / free, explained))
