"""Properties that change points must have, whatever the figures are."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.analysis.changes.changes import SHORTEST, find_changes
from groma.analysis.changes.dependence import RunSeries

logs = st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=60)


@given(st.lists(logs, min_size=1, max_size=3))
def test_stretches_fill_the_series_and_intervals_leave_out_no_change(group: list[list[float]]) -> None:
    series = [RunSeries(np.array(values)) for values in group]
    for one, levels in zip(series, find_changes([series])[0], strict=True):
        places = [0, *(change.at for change in levels.changes), one.logs.size]
        assert len(levels.means) == len(places) - 1
        assert all(b - a >= SHORTEST for a, b in pairwise(places)) or not levels.changes
        for change in levels.changes:
            assert change.earliest <= change.at <= change.latest
            assert 0.0 not in change.interval
            assert change.shift in change.interval
            assert change.p <= 0.05
        assert all(math.isfinite(mean) for mean in levels.means)


@given(st.integers(0, 1000), st.floats(-20, 20), st.integers(8, 30), st.integers(8, 30))
def test_another_unit_of_time_changes_nothing(seed: int, unit: float, before: int, after: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(0, 0.01, before + after) + 0.2 * (np.arange(before + after) >= before)
    found = [find_changes([[RunSeries(own)]])[0][0].changes for own in (values, values + unit)]
    assert [change.at for change in found[0]] == [change.at for change in found[1]]
    for one, other in zip(*found, strict=True):
        assert one.shift == pytest.approx(other.shift, abs=1e-9)
