"""Student's distribution for whole degrees of freedom; scipy, which has it too, takes a third of a second to import."""

from __future__ import annotations

import math
from functools import lru_cache

_HALVINGS = 60


@lru_cache(maxsize=256)
def student_quantile(freedom: int, share: float) -> float:
    """Return the value below which Student's t lies with the probability `share`, from 0.5 to 1.

    By halving the angle atan(t / sqrt(freedom)), on which `_within` is a finite sum.
    """
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(freedom, middle) < 2 * share - 1 else (low, middle)
    return math.tan(low) * math.sqrt(freedom)


def student_tail(freedom: int, value: float) -> float:
    """Return the probability that Student's t lies above `value`."""
    beyond = (1 - _within(freedom, math.atan(abs(value) / math.sqrt(freedom)))) / 2
    return max(0.0, beyond) if value >= 0 else 1 - beyond


def _within(freedom: int, angle: float) -> float:
    """Return P(|t| <= tan(angle) sqrt(freedom)) (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    odd = freedom % 2
    power = math.cos(angle) if odd else 1.0
    term, total = power, 0.0
    for step in range(1, freedom // 2 + 1):
        total += term
        term *= math.cos(angle) ** 2 * (2 * step - (not odd)) / (2 * step + odd)
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
