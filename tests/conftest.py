"""Marks, test beds and fixtures that all tests share.

`@pytest.mark.bed("openmpi", "objdump")` skips a test, saying why, where a bed of tests/beds.py is missing; the fixture
`library` runs it once for every MPI library, `embedded` on the MPI of this virtual environment.

A plain `pytest` leaves out what is marked slow, and says so; GROMA_SLOW=1 or naming tests runs it. GROMA_SLOW=2/3 runs
the second of three parts of what is slow, as CI does by turns. Slow are also all tests on libraries that are not in
`_ALWAYS`, the modules of `_MANY_LAUNCHES` on all but the embedded one, and all cases but the first of a test marked
one_case: the others go the same way with other values. Properties are tried on five times as many examples where all
slow tests run.

What measures on real ranks is marked alone here: nothing may run beside it (tools/test).
"""

from __future__ import annotations

import os
from pathlib import Path

import beds
import pytest
import slow_parts
from hypothesis import HealthCheck, settings

# No test sees the profiles and programs of the person who runs it.
os.environ["GROMA_CONFIG"] = str(Path(__file__).parent / "no-configuration")
# Nor the width of their terminal, which workers of pytest-xdist are given.
os.environ.pop("COLUMNS", None)

# No test asserts real time, and examples may share the folder of their test.
_NO_CLAIMS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
_EXAMPLES = 200 if os.environ.get("GROMA_SLOW") == "1" else 40
settings.register_profile("no_clock", deadline=None, max_examples=_EXAMPLES, suppress_health_check=_NO_CLAIMS)
settings.load_profile("no_clock")

# One library with the standard ABI and one that needs an engine of its own; the others are like these.
_ALWAYS = {"embedded", "openmpi"}
_MANY_LAUNCHES = {
    *("test_check", "test_documents", "test_faults", "test_ladder", "test_last_warmup", "test_loops"),
    *("test_operations", "test_programs", "test_ready_sends", "test_reproduce", "test_steady_state"),
    *("test_windows", "test_wrong_inputs"),
}
# These start no ranks of their own, or simulated ones.
_SHARING_FOLDERS = {"unit", "golden", "property", "packaging", "simulation", "browser"}
# These start ranks, and judge what is delivered and said, never how long it took. Those of many calls on many ranks are
# not here: with others beside them they take five times as long.
_SHARING_MODULES = {
    *("test_calls", "test_check", "test_cpus", "test_declarations", "test_documents", "test_faults", "test_fuzz"),
    *("test_lbw_pvm", "test_left_out", "test_loops", "test_nothing_lost", "test_own_operation", "test_patterns"),
    *("test_placements", "test_programs", "test_slurm_nodes", "test_stage", "test_threads", "test_wrong_inputs"),
}
# With more than one worker these begin first: one of them that begins last is waited for by all.
_LONGEST = ("test_documented_commands", "test_documents", "test_every_page", "test_gate", "test_history", "test_truth")
_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    begun = set[str]()
    for item in items:
        used, test = _libraries(item), item.nodeid.partition("[")[0]
        if not used <= (_ALWAYS if item.path.stem not in _MANY_LAUNCHES else {"embedded"}) or test in begun:
            item.add_marker(pytest.mark.slow)
        elif item.get_closest_marker("one_case") and not item.get_closest_marker("slow"):
            begun.add(test)
        if not _shares_processors(item):
            item.add_marker(pytest.mark.alone)
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS or bool(config.option.markexpr)
    slow = [item for item in items if item.get_closest_marker("slow") and not _has_its_turn(item, named=named)]
    items[:] = [item for item in items if item not in set(slow)]
    if os.environ.get("PYTEST_XDIST_WORKER"):
        items.sort(key=lambda item: item.path.stem not in _LONGEST)
    config.hook.pytest_deselected(items=slow)
    config.stash[_LEFT_OUT] = len(slow)


def _has_its_turn(item: pytest.Item, *, named: bool) -> bool:
    """Tell whether a slow test runs: by GROMA_SLOW, without which those run that are named or chosen by their marks."""
    asked = os.environ.get("GROMA_SLOW", "")
    if asked in {"", "1"}:
        return named or bool(asked)
    try:
        return slow_parts.has(asked, item.nodeid)
    except ValueError as error:
        raise pytest.UsageError(f"GROMA_SLOW={error}") from None


def _libraries(item: pytest.Item) -> set[str]:
    """Return the libraries that are named in the parameters of a test with ranks or with the fixture `library`."""
    if not (hasattr(item, "callspec") and (item.get_closest_marker("mpi") or "library" in item.callspec.params)):
        return set()
    words = {word for value in item.callspec.params.values() if isinstance(value, str) for word in value.split()}
    return words & beds.libraries().keys()


def _shares_processors(item: pytest.Item) -> bool:
    """Tell whether other tests may run beside this one."""
    return item.path.parent.name in _SHARING_FOLDERS or item.path.stem in _SHARING_MODULES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left_out := config.stash.get(_LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out} slow tests were skipped; to run all: GROMA_SLOW=1 make test")


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


@pytest.fixture(scope="module")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for a run that all tests of a module use or copy; the first one fills it."""
    return tmp_path_factory.mktemp("shared") / "out"


@pytest.fixture
def embedded() -> beds.Library:
    """The MPI library of this virtual environment."""
    beds.need("embedded")
    return beds.libraries()["embedded"]
