"""Marks, test beds and fixtures that all tests share.

`@pytest.mark.bed("openmpi", "objdump")` skips a test, saying why, where a bed of tests/beds.py is missing; the fixture
`library` runs it once for every MPI library, `embedded` on the MPI of this virtual environment.
"""

from __future__ import annotations

import beds
import pytest


def _need(bed: str) -> None:
    reason = beds.missing(bed)
    if not reason:
        return
    if beds.required(bed):
        pytest.fail(f"test bed {bed} is required by GROMA_REQUIRE_BEDS, and missing: {reason}", pytrace=False)
    pytest.skip(f"test bed {bed} is missing: {reason}; see tools/install-test-beds and `make test`")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("bed"):
        for bed in mark.args:
            _need(bed)


@pytest.fixture(params=list(beds.libraries()))
def library(request: pytest.FixtureRequest) -> beds.Library:
    """Each MPI library in turn."""
    name: str = request.param
    _need(name)
    return beds.libraries()[name]


@pytest.fixture
def embedded() -> beds.Library:
    """The MPI library of this virtual environment."""
    _need("embedded")
    return beds.libraries()["embedded"]
