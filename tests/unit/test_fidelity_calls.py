"""MPI calls of a program and its profile: what a rank wrote down is read, and differences are named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.fidelity import programs
from benchmarks.fidelity.calls import Kind, differences, read
from groma.programs import printed

FACTS = {
    "datatype": "MPI_CHAR",
    "operation": "MPI_SUM",
    "in_place": False,
    "send_buffers": 1,
    "receive_buffers": 1,
    "same_buffer": False,
    "send_alignment": 4096,
    "receive_alignment": 4096,
    "roots": 1,
}


def rank(*kinds: dict[str, Any]) -> list[Kind]:
    """Return a rank's calls; each kind follows itself and the next one."""
    lines = []
    for place, kind in enumerate(kinds):
        one = {"function": "Allreduce", "bytes": 8, "calls": 1000, "next": [[(place + 1) % len(kinds), 1000]]} | FACTS
        lines.append(json.dumps(one | {"place": place} | kind))
    return read("\n".join(lines))


def of(name: str) -> printed.Test:
    return next(test for program in programs.PROGRAMS for test in program.tests if test.name == name)


BARRIER = {"function": "Barrier", "bytes": 0}


def test_the_same_calls_have_no_difference() -> None:
    assert differences(of("osu_allreduce"), 8, [rank({}, BARRIER)] * 2, [rank({}, BARRIER)] * 2, "MPI_CHAR") == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"datatype": "MPI_FLOAT"}, "Allreduce, datatype: MPI_CHAR against MPI_FLOAT"),
        ({"operation": "MPI_MAX"}, "Allreduce, operation: MPI_SUM against MPI_MAX"),
        ({"send_buffers": 64}, "Allreduce, send buffers: 1 against 64"),
        ({"receive_alignment": 16}, "Allreduce, receive alignment: a page against within a page"),
        ({"roots": 2}, "Allreduce, roots: 1 against 2"),
        ({"next": [[0, 1000]]}, "Allreduce, then: Barrier against itself"),
        ({"next": [[0, 900], [1, 100]]}, "Allreduce, then: Barrier against itself"),
        ({"bytes": 16}, "calls: Allreduce against none"),
    ],
)
def test_a_difference_is_named_once_for_all_ranks(changed: dict[str, Any], said: str) -> None:
    found = differences(of("osu_allreduce"), 8, [rank({}, BARRIER)] * 2, [rank(changed, BARRIER)] * 2, "MPI_CHAR")
    assert found == [said]


def test_collectives_in_a_row_are_compared_by_how_many_follow_each_other() -> None:
    gather, collect = {"function": "Gatherv", "bytes": 0}, {"function": "Allreduce", "bytes": 16}

    def series(calls: int, *others: dict[str, Any]) -> list[Kind]:
        return rank({"calls": 10 * calls, "next": [[0, 10 * calls - 10], [1, 10]]}, *others)

    def of_series(calls: int) -> list[str]:
        return differences(of("osu_allreduce"), 8, [series(8, gather)], [series(calls, collect)], "MPI_CHAR")

    assert of_series(6) == []
    assert of_series(3) == ["Allreduce, in a row: 8 against 3"]
    assert of_series(100) == ["Allreduce, in a row: 8 against 100"]


def test_a_rank_that_others_reach_has_no_calls_of_its_own() -> None:
    put, clock = {"function": "Put", "next": [[0, 1000]]}, {"function": "Send", "datatype": "MPI_BYTE"}
    both = [rank(put), rank(clock)]
    assert differences(of("osu_put_latency"), 8, both, [rank(put), rank()], "MPI_CHAR") == []
    other = [rank(put | {"datatype": "MPI_INT"}), rank()]
    said = "Put, datatype: MPI_CHAR against MPI_INT"
    assert differences(of("osu_put_latency"), 8, both, other, "MPI_CHAR") == [said]


def test_few_calls_of_the_length_and_other_collectives_are_not_what_is_timed() -> None:
    send, receive = {"function": "Send", "next": [[1, 1000]]}, {"function": "Recv", "next": [[0, 1000]]}
    check = {"function": "Sendrecv", "calls": 2}
    assert differences(of("osu_latency"), 8, [rank(send, receive)], [rank(send, receive, check)], "MPI_CHAR") == []
    # A clock's messages have the length of the ping-pong's, and another datatype.
    clock = {"function": "Send", "datatype": "MPI_DOUBLE", "calls": 9000, "send_buffers": 3}
    assert differences(of("osu_latency"), 8, [rank(send, receive, clock)], [rank(send, receive)], "MPI_CHAR") == []


def test_one_wait_for_all_is_told_from_a_wait_for_the_sends() -> None:
    def window(requests: int) -> list[Kind]:
        return rank(
            {"function": "Isend", "next": [[0, 630], [1, 10]], "calls": 640},
            {"function": "Waitall", "bytes": requests, "calls": 10, "datatype": "MPI_DATATYPE_NULL"},
        )

    assert differences(of("osu_bibw"), 8, [window(64)], [window(64)], "MPI_CHAR") == []
    assert differences(of("osu_bibw"), 8, [window(64)], [window(128)], "MPI_CHAR") == [
        "Isend, then: itself, 64 in a row or Waitall of 64 against itself, 64 in a row or Waitall of 128"
    ]
