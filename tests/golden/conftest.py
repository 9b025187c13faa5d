"""The run that golden files are made of: small, with everything in it that can go wrong."""

from __future__ import annotations

import pytest
from synthetic import Scenario, make_run

from groma.results import Run, load_run

TROUBLED = Scenario(
    launches=9,
    samples=40,
    operations=("pingpong", "stream", "allreduce", "barrier"),
    sizes=(8, 1024, 65536, 1048576),
    disturbed=(4,),
    ended_early={7: 5},
    torn=(7,),
    never_started=(9,),
    failed={2: "timeout"},
    clocked=True,
    invalid=1,
    state="interrupted",
    notes=("stream at 1 MiB was skipped in later launches on 2 ranks.",),
)


@pytest.fixture(scope="session")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load_run(make_run(tmp_path_factory.mktemp("golden") / "quick-20260102-030405", TROUBLED))


@pytest.fixture(scope="session")
def four_launches(tmp_path_factory: pytest.TempPathFactory) -> Run:
    scenario = Scenario(launches=4, samples=20, operations=("allreduce", "barrier"), sizes=(8, 65536), pinned=True)
    return load_run(make_run(tmp_path_factory.mktemp("golden") / "four", scenario))
