"""The row of benchmarks/new_pages.py: ratios within launches, whatever the launches' levels are."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import new_pages


def test_the_ratio_is_that_within_launches() -> None:
    random = np.random.default_rng(1)
    new_us = [random.normal(level, 0.001 * level, 20) for level in (8, 8, 8, 16, 16, 16, 16)]
    launches = [np.column_stack([times, times * 0.96]) for times in new_us]
    library, size, new, listed, ratio, interval = new_pages.row("openmpi", 65536, launches)
    assert (library, size, ratio) == ("openmpi", "64 KiB", "0.960")
    assert float(listed) / float(new) == pytest.approx(0.96, abs=0.002)
    low, high = map(float, interval.split(" to "))
    assert low <= 0.96 <= high < 0.961


def test_few_launches_have_no_interval() -> None:
    assert new_pages.row("mpich", 16384, [np.ones((20, 2))] * 3)[-2:] == ["1.000", ""]
