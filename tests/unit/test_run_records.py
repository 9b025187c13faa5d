"""Following records while they are written."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.launch.words import last_words, skip_reasons
from groma.run.following import Follower
from groma.run.launching import END_LIMIT_S, GONE_LIMIT_S, START_LIMIT_S, Patience

RECORDS: list[dict[str, Any]] = [
    {"kind": "start", "library": {"name": "MPICH", "version": "5"}},
    {"kind": "point", "index": 0, "elapsed_ns": 2_000_000, "median_ns": 5.5, "samples_ns": [1, 2, 3]},
    {"kind": "failure", "index": 2, "reason": "timeout", "message": "rank 1 did not arrive"},
    {"kind": "failure", "index": 1, "reason": "wrong_data", "message": "offset 3"},
    {"kind": "end"},
]
TEXT = "".join(json.dumps({"schema": 1} | record) + "\n" for record in RECORDS).encode()


@given(cuts=st.lists(st.integers(0, len(TEXT)), max_size=8))
def test_records_are_the_same_however_the_file_grows(cuts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.jsonl"
        follower = Follower(path)
        follower.read()
        assert not follower.started
        for cut in [*sorted(cuts), len(TEXT)]:
            path.write_bytes(TEXT[:cut])
            follower.read()
    assert (follower.started, follower.ended, follower.done) == (True, True, 3)
    assert follower.library == {"name": "MPICH", "version": "5"}
    assert (follower.elapsed_s, follower.median_ns) == ({0: 0.002}, {0: 5.5})
    assert follower.failures == {2: "rank 1 did not arrive", 1: "offset 3"}
    assert follower.timed_out == {2}


def test_a_damaged_line_does_not_stop_the_campaign(tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    path.write_bytes(b'{"kind": "start"}\n{"kind": 3}\nnonsense\n{"kind": "end"}\n{"kind": "poi')
    follower = Follower(path)
    follower.read()
    assert (follower.started, follower.ended) == (True, True)


def test_the_engines_own_message_is_found_among_the_launchers(tmp_path: Path) -> None:
    output = tmp_path / "stderr"
    assert last_words(output) == ""
    output.write_text("-----\nA prefix was wrong.\n\nThis is fatal.\n-----\n")
    assert last_words(output) == "A prefix was wrong."
    output.write_text("=====\n= BAD TERMINATION\nTERMINATED WITH THE EXIT STRING: Killed (signal 9)\nsee the FAQ\n")
    assert last_words(output) == "Killed (signal 9)"
    output.write_text("groma-engine: bytes=3 is not a multiple\n=====\n=   BAD TERMINATION\n\n")
    assert last_words(output) == "bytes=3 is not a multiple"


def test_patience_ends_with_a_launch_that_does_not_start_or_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    follower, patience = Follower(Path("none")), Patience(0.0)
    now_s[0] = START_LIMIT_S - 1
    assert patience.overdue(follower) == ""
    now_s[0] = START_LIMIT_S + 1
    assert "did not start" in patience.overdue(follower)
    follower.started = True
    now_s[0] = 1e6
    assert patience.overdue(follower) == ""
    follower.records += 1
    follower.ended = True
    assert patience.overdue(follower) == ""
    now_s[0] += END_LIMIT_S + 1
    assert "did not end" in patience.overdue(follower)


def test_patience_ends_with_ranks_that_said_that_they_wait_for_ever() -> None:
    said = ["srun: error: a node is slow\n"]
    follower, patience = Follower(Path("none")), Patience(time.monotonic(), printed=lambda: "".join(said))
    assert patience.overdue(follower) == ""
    said.append("slurmstepd: error: mpi/pmi2: value not properly terminated in client request\nslurmstepd: more\n")
    assert "run it again" in patience.overdue(follower)
    follower.started = True
    assert patience.overdue(follower) == ""


def test_patience_ends_with_ranks_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    follower, patience = Follower(Path("none")), Patience(0.0, longest_point_s=7.0)
    follower.started, follower.records = True, 3
    assert patience.overdue(follower) == ""
    now_s[0] += 7.0 + END_LIMIT_S - 1
    assert patience.overdue(follower) == ""
    follower.records += 1
    now_s[0] += 2
    assert patience.overdue(follower) == "", "a record came"
    follower.timed_out.add(0)
    now_s[0] += GONE_LIMIT_S - 1
    assert patience.overdue(follower) == ""
    now_s[0] += 2
    assert "within 15 s of its ranks" in patience.overdue(follower)
    follower.timed_out.clear()
    now_s[0] += 7.0 + END_LIMIT_S
    assert "nothing was recorded for 83 s" in patience.overdue(follower)


def test_reasons_for_leaving_points_out_are_put_together() -> None:
    lacking = "needs ranks on at least 2 nodes, and all are on one; launch on more nodes"
    messages = [
        f"pattern=internode of pingpong {lacking}",
        f"pattern=bisection of targets {lacking}",
        f"pattern=internode of targets {lacking}",
        "targets needs at least 2 ranks and has 1; launch it with -n 2 or more",
        "targets=4 of targets with pattern=all needs rings of more ranks than the 2 there are; use targets=1 or fewer",
    ]
    assert skip_reasons(messages) == [
        f"3 points of pingpong, targets with pattern=bisection, internode: {lacking}.",
        "1 point of targets: needs at least 2 ranks and has 1; launch it with -n 2 or more.",
        "1 point of targets with targets=4: needs rings of more ranks than the 2 there are; use targets=1 or fewer.",
    ]
