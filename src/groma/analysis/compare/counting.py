"""Exact null distributions of rank sums, by counting; ranks are whole numbers, so callers double shared ranks."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


@lru_cache(maxsize=1024)
def signed_tails(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    """Return P(sum of the positive ranks >= s) for s from 0, if each sign is a fair coin (Wilcoxon 1945)."""
    chances = np.zeros(sum(ranks) + 1)
    chances[0] = 1
    for rank in ranks:
        without = chances / 2
        chances = without.copy()
        chances[rank:] += without[: without.size - rank]
    return _at_least(chances)


@lru_cache(maxsize=8192)
def drawn_tails(ranks: tuple[int, ...], count: int) -> NDArray[np.float64]:
    """Return P(sum of `count` of the ranks >= s) for s from 0, if every choice is as likely (Wilcoxon 1945)."""
    chances = np.zeros((count + 1, sum(ranks) + 1))
    chances[0, 0] = 1
    for rank in ranks:
        chances[1:, rank:] += chances[:-1, : chances.shape[1] - rank].copy()
    return _at_least(chances[count] / chances[count].sum())


def _at_least(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    tails: NDArray[np.float64] = np.cumsum(chances[::-1])[::-1]
    return tails
