"""Spending a wall-time budget: slots that let every launch fit, then more launches for the widest intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from groma.run.pace import ASSUMED_OVERHEAD_S, ASSUMED_POINT_FACTOR, Pace

SHORTEST_SLOT_S = 0.01
# Launches are fitted into this share of the budget: the rest absorbs a slow launch or refines the widest points.
_PLANNED_SHARE = 0.85
# A launch starts only if the time it is predicted to take, with this margin, is left.
_MARGIN = 1.1
# A refining launch takes this share of the points that are still too wide; then the choice is made again.
_WIDEST_SHARE = 0.5

Key = tuple[int, int]  # (rank count, or rank count and variant in one number; index of the point in the plan)


def fitting_slot_s(budget_s: float, launches: int, points: int) -> float:
    """Return the longest slot per point with which all launches fit the budget, never below SHORTEST_SLOT_S."""
    per_launch = budget_s * _PLANNED_SHARE / launches - ASSUMED_OVERHEAD_S
    return max(SHORTEST_SLOT_S, round(per_launch / points / ASSUMED_POINT_FACTOR, 4))


def fits(predicted_s: float, left_s: float) -> bool:
    """Whether a launch may start."""
    return predicted_s * _MARGIN <= left_s


def relative_half_widths(medians_ns: Mapping[Key, Sequence[float]]) -> dict[Key, float]:
    """Return half the 95 % interval over each point's launch medians, relative to their median; inf below 6 of them."""
    import numpy as np  # noqa: PLC0415 - only a budget needs them, and only between launches

    from groma.analysis.order import median_interval  # noqa: PLC0415

    widths: dict[Key, float] = {}
    for key, medians in medians_ns.items():
        interval = median_interval(list(medians))
        centre = float(np.median(medians)) if len(medians) else 0.0
        widths[key] = interval.half_width(centre) if interval is not None and centre > 0 else math.inf
    return widths


def widest(
    widths: Mapping[Key, float], targets: Sequence[float], pace: Pace, left_s: float
) -> tuple[int, list[int]] | None:
    """Choose a refining launch: the rank count with the widest interval and its widest points, as many as fit.

    `targets` holds per point the relative half-width that is narrow enough. Returns (rank count, point indices) or None
    if nothing is too wide or nothing fits.
    """
    wide = {key: width for key, width in widths.items() if width > targets[key[1]]}
    if not wide:
        return None
    ranks = max(wide, key=lambda key: wide[key])[0]
    indices = sorted((key[1] for key in wide if key[0] == ranks), key=lambda index: -wide[ranks, index])
    chosen: list[int] = []
    for index in indices[: math.ceil(len(indices) * _WIDEST_SHARE)]:
        if fits(pace.predict(ranks, [*chosen, index]), left_s):
            chosen.append(index)
    return (ranks, sorted(chosen)) if chosen else None
