"""Times of pairs in parts: log time = common part + sender + receiver + what is left to the pair, robustly.

A slow node is then one large effect, and not as many slow pairs as it has partners. The start is a median polish
(Tukey 1977), the end weighted least squares with Tukey's biweight (Beaton and Tukey 1974; c = 4.685): up to almost half
of a node's pairs may be slow without an influence on it. Effects have the median 0 each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_BIWEIGHT = 4.685
_POLISHES = 12
_STEPS = 60
_NORMAL_MAD = 0.6745
LEAST_SPREAD = 0.005  # relative: clocks and figures are no better


@dataclass(frozen=True, eq=False)
class Fit:
    """The parts, natural logarithms all: effects by unit, residuals by edge.

    `deleted` is what a pair's residual would be in a fit without it, scaled so that it scatters as one pair does.
    `parts` is the number of effects that were fitted. Effects of units without a measured pair are NaN.
    """

    sender: Floats
    receiver: Floats
    residual: Floats
    deleted: Floats
    parts: int


def fit(units: int, senders: Places, receivers: Places, log_s: Floats, *, symmetric: bool = False) -> Fit:
    """Return the parts of the times of these edges.

    With `symmetric` an edge stands for both directions, and the effects of a unit as sender and receiver are one. Fewer
    edges than parts leave nothing to pairs.
    """
    ends = (senders, receivers)
    values = log_s
    if symmetric:  # both directions, so that both effects come out alike
        ends = (np.concatenate([senders, receivers]), np.concatenate([receivers, senders]))
        values = np.concatenate([log_s, log_s])
    effects = _polished(units, ends, values)
    parts = int(np.unique(senders).size + np.unique(receivers).size - 1)
    if symmetric:
        parts = int(np.unique(np.concatenate([senders, receivers])).size)
    left, weights = _weighted(units, ends, values, effects, (parts * 2 - 1) if symmetric else parts)
    sender, receiver = (_centred(effects[side], ends[side], units) for side in (0, 1))
    if symmetric:
        sender = receiver = (sender + receiver) / 2
        half = log_s.size
        left, weights = (left[:half] + left[half:]) / 2, weights[:half]
    leverage = min(0.99, parts / log_s.size)
    deleted = left / (1 - weights * leverage) * np.sqrt(1 - leverage)
    return Fit(sender, receiver, left, deleted, parts)


def _polished(units: int, ends: tuple[Places, Places], values: Floats) -> list[Floats]:
    """Return effects of senders and receivers (with the common part) by alternating medians."""
    effects = [np.zeros(units), np.zeros(units)]
    for _ in range(_POLISHES):
        before = [effect.copy() for effect in effects]
        for side in (0, 1):
            rest = values - effects[1 - side][ends[1 - side]]
            effects[side] = medians_by(units, ends[side], rest)
        if all(np.allclose(old, new, atol=1e-9) for old, new in zip(before, effects, strict=True)):
            break
    return effects


def medians_by(units: int, places: Places, values: Floats) -> Floats:
    """Return the median of the values of each place; 0 if there are none."""
    order = np.lexsort((values, places))
    counts = np.bincount(places, minlength=units)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    found = np.zeros(units)
    has = counts > 0
    ordered = values[order]
    low, high = starts[has] + (counts[has] - 1) // 2, starts[has] + counts[has] // 2
    found[has] = (ordered[low] + ordered[high]) / 2
    return found


def _weighted(
    units: int, ends: tuple[Places, Places], values: Floats, effects: list[Floats], parts: int
) -> tuple[Floats, Floats]:
    """Improve the effects in place by weighted least squares; return what is left of each edge, and its weight.

    The scale stays that of the start, as in an MM-estimate (Yohai 1987): else it could grow until outliers fit.
    """
    left = values - effects[0][ends[0]] - effects[1][ends[1]]
    scale = _BIWEIGHT * _scale(left, parts)
    weights = np.clip(1 - (left / scale) ** 2, 0, None) ** 2
    for _ in range(_STEPS):
        before = left
        for side in (0, 1):
            rest = values - effects[1 - side][ends[1 - side]]
            total = np.bincount(ends[side], weights, units)
            sums = np.bincount(ends[side], weights * rest, units)
            effects[side] = np.where(total > 1e-9, sums / np.maximum(total, 1e-9), effects[side])
        left = values - effects[0][ends[0]] - effects[1][ends[1]]
        weights = np.clip(1 - (left / scale) ** 2, 0, None) ** 2
        if np.max(np.abs(left - before)) < 1e-7:
            break
    return left, weights


def _scale(left: Floats, parts: int) -> float:
    """Return the normal standard deviation of residuals, from the median of those that the parts do not force to 0."""
    ordered = np.sort(np.abs(left))[min(parts - 1, left.size - 1) :]
    return max(LEAST_SPREAD, float(np.median(ordered)) / _NORMAL_MAD)


def scale_of(values: Floats, parts: int = 1) -> float:
    """Return the robust standard deviation around 0 of effects or, with as many fitted `parts`, of residuals.

    In the unit of the values, which are logarithms of times; NaN among them is left out.
    """
    return _scale(values[np.isfinite(values)], parts)


def _centred(effects: Floats, places: Places, units: int) -> Floats:
    """Return the effects less their median, NaN for units that were not measured."""
    seen = np.bincount(places, minlength=units) > 0
    return np.where(seen, effects - np.median(effects[seen]), np.nan)
