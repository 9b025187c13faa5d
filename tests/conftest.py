"""Marks, test beds and fixtures that all tests share.

`@pytest.mark.bed("openmpi", "objdump")` skips a test, saying why, where a bed of tests/beds.py is missing; the fixture
`library` runs it once for every MPI library, `embedded` on the MPI of this virtual environment.

A plain `pytest` leaves out what is marked slow, and says so; GROMA_SLOW=1, as in CI, or naming tests runs it. Slow are,
on all libraries but the embedded one, also the modules of `_MANY_LAUNCHES`.
"""

from __future__ import annotations

import os
from pathlib import Path

import beds
import pytest

# No test sees the profiles and programs of the person who runs it.
os.environ["GROMA_CONFIG"] = str(Path(__file__).parent / "no-configuration")
# Nor the width of their terminal, which workers of pytest-xdist are given.
os.environ.pop("COLUMNS", None)

_MANY_LAUNCHES = {"test_documents", "test_faults", "test_programs", "test_ready_sends", "test_wrong_inputs"}
_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        library = getattr(item, "callspec", None) and item.callspec.params.get("library")  # type: ignore[attr-defined]
        if library not in (None, "embedded") and item.path.stem in _MANY_LAUNCHES:
            item.add_marker(pytest.mark.slow)
    plain = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.markexpr
    if plain and not os.environ.get("GROMA_SLOW"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        items[:] = [item for item in items if item not in set(slow)]
        config.hook.pytest_deselected(items=slow)
        config.stash[_LEFT_OUT] = len(slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left_out := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out} slow tests were skipped; to run them: GROMA_SLOW=1 make test")


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
