"""Marks, test beds and fixtures that all tests share.

`@pytest.mark.bed("openmpi", "objdump")` skips a test, saying why, where a bed of tests/beds.py is missing; the fixture
`library` runs it once for every MPI library, `embedded` on the MPI of this virtual environment.
"""

from __future__ import annotations

import beds
import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("bed"):
        for bed in mark.args:
            beds.need(bed)


@pytest.fixture(params=list(beds.libraries()))
def library(request: pytest.FixtureRequest) -> beds.Library:
    """Each MPI library in turn."""
    name: str = request.param
    beds.need(name)
    return beds.libraries()[name]


@pytest.fixture
def embedded() -> beds.Library:
    """The MPI library of this virtual environment."""
    beds.need("embedded")
    return beds.libraries()["embedded"]
