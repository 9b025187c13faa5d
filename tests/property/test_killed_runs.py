"""A run killed at any byte keeps every record that was whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import SIZES, Scenario, make_run

from groma.analysis import checks, summarise, verdict
from groma.results import load_run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    scenario = Scenario(launches=1, samples=4, operations=("pingpong", "barrier"), sizes=SIZES[:2], state="running")
    path = make_run(tmp_path_factory.mktemp("killed") / "run", scenario)
    return path, (path / "launches/001/points.jsonl").read_bytes()


@given(share=st.floats(0, 1))
def test_a_record_file_cut_anywhere_keeps_its_whole_records(made: tuple[Path, bytes], share: float) -> None:
    path, whole = made
    left = whole[: int(share * len(whole))]
    (path / "launches/001/points.jsonl").write_bytes(left)
    run = load_run(path)
    (launch,) = run.launches
    records = left.split(b"\n")
    complete = whole.split(b"\n")[: len(records)]
    kept = sum(record == other for record, other in zip(records, complete, strict=True) if record)
    found = len(launch.points) + (launch.start is not None) + (launch.end is not None)
    assert found == kept
    assert launch.torn == (len(records[-1]) > 0 and records[-1] != complete[-1])
    assert run.missing()
    assert verdict(checks(run, summarise(run))).state != "good"
