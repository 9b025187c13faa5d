"""Shares add up to the whole, whatever the times are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.explain import attribute


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, dict[int, np.ndarray]]:
    changes = draw(st.integers(1, 5))
    launches = draw(st.integers(1, 4))
    row = st.lists(st.floats(0.1, 1e9), min_size=launches, max_size=launches)
    return changes, {mask: np.array(draw(row)) for mask in range(1 << changes)}


@given(tables())
def test_shares_add_up_to_the_whole(table: tuple[int, dict[int, np.ndarray]]) -> None:
    changes, times = table
    found = attribute(times, changes)
    logs = {mask: float(np.median(np.log(row))) for mask, row in times.items()}
    assert math.fsum(share.log for share in found.shares) == pytest.approx(found.total.log, abs=1e-9)
    assert found.total.log == pytest.approx(logs[(1 << changes) - 1] - logs[0], abs=1e-9)


@given(tables(), st.integers(0, 4))
def test_a_factor_that_changes_nothing_has_no_share(
    table: tuple[int, dict[int, np.ndarray]],
    bit: int,
) -> None:
    changes, times = table
    idle = bit % changes
    same = {mask: times[mask & ~(1 << idle)] for mask in times}
    assert attribute(same, changes).shares[idle].log == pytest.approx(0, abs=1e-9)
