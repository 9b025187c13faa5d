"""The hardware minimum of a point: which hand-off counts, between and beyond the sizes measured."""

from __future__ import annotations

import numpy as np
import pytest

from groma.analysis.minimum import Minima, Shortest, in_one_state
from groma.results.instruments import Handoff, Limits, Tcp, TcpRow
from groma.results.records import Point

ROWS = [
    Handoff([0, 1], 8, ns=60.0, stream_ns=4.0),
    Handoff([0, 1], 1024, ns=90.0, stream_ns=30.0),
    Handoff([0, 1], 4096, ns=300.0, stream_ns=120.0),
    Handoff([2, 3], 8, ns=50.0, stream_ns=3.0),
]
LIMITS = Limits(line_bounce_ns=58.0, handoff=ROWS)


def record(operation: str, size: int, members: tuple[int, ...] = (0, 1), hosts: int = 1, **changes: object) -> Point:
    return Point(
        schema=1,
        index=0,
        sequence=0,
        point={"operation": operation, "bytes": size} | changes,
        samples_ns=np.array([1000]),
        repetitions_per_sample=1,
        divisor=1,
        members=list(members),
        member_count=len(members),
        hosts=hosts,
        message_bytes=size,
    )


def limit_ns(
    operation: str, size: int, members: tuple[int, ...] = (0, 1), hosts: int = 1, **changes: object
) -> float | None:
    return Minima(LIMITS).machine_ns(record(operation, size, members, hosts, **changes))


def test_one_message_is_handed_over_once() -> None:
    assert limit_ns("pingpong", 8) == 60.0
    assert limit_ns("allreduce", 1024, timing="call") == 90.0


def test_windows_and_blocks_of_collective_calls_have_many_under_way() -> None:
    assert limit_ns("stream", 1024, window=64) == 64 * 30.0
    assert limit_ns("targets", 1024, window=2, targets=3) == 6 * 30.0
    assert limit_ns("bcast", 1024, timing="block") == 30.0
    assert limit_ns("scan", 1024, timing="block") == 30.0


@pytest.mark.parametrize("operation", ["allreduce", "alltoall", "bcast_then_barrier", "reduce_then_barrier"])
def test_a_call_that_waits_for_all_ranks_is_no_stream(operation: str) -> None:
    assert limit_ns(operation, 1024, timing="block") == 90.0


def test_without_a_message_a_cache_line_is_the_least() -> None:
    assert limit_ns("barrier", 8) == 58.0
    assert limit_ns("pingpong", 0) == 58.0


@pytest.mark.parametrize("operation", ["message_rate", "stream", "bcast", "allreduce"])
def test_where_no_rank_waits_for_an_empty_message_there_is_no_minimum(operation: str) -> None:
    assert limit_ns(operation, 0, window=64) is None


def test_ranks_that_take_turns_on_a_cpu_have_no_minimum() -> None:
    minima = Minima(LIMITS, oversubscribed=True)
    assert minima.machine_ns(record("allreduce", 8, (0, 1, 2, 3))) is None
    assert minima.machine_ns(record("pingpong", 8)) == 60.0


NONE = np.nan


@pytest.mark.parametrize(
    ("states", "limit", "middle"),
    [
        ([0, 0, 0, 0], 30.0, 1000.0),
        ([0, 1, 1, 1], 200.0, 1100.0),  # three launches of the slow state, against its own limit
        ([0, 0, 1, 1], 30.0, 850.0),  # as many of both: the fast state
        ([NONE, NONE, 1, 1], 210.0, 1150.0),
        ([-1, -1, -1, -1], 30.0, 1000.0),
        ([NONE, NONE, NONE, NONE], NONE, NONE),
    ],
)
def test_a_figure_and_its_minimum_are_of_one_state(states: list[float], limit: float, middle: float) -> None:
    times, limits = np.array([[800.0, 900.0, 1100.0, 1200.0]]), np.array([[30.0, 200.0, 210.0, 220.0]])
    least, median = in_one_state(times, limits, np.array([states], dtype=float))
    assert (least[0], median[0]) == pytest.approx((limit, middle), nan_ok=True)


@pytest.mark.parametrize("operation", ["noop", "overlap", "request_trains", "sts_async"])
def test_what_is_no_hand_off_has_no_minimum(operation: str) -> None:
    assert limit_ns(operation, 8) is None


def test_ranks_of_several_hosts_have_no_minimum() -> None:
    assert limit_ns("pingpong", 8, hosts=2) is None


def test_a_pair_that_was_not_measured_has_the_shortest_of_all() -> None:
    assert limit_ns("pingpong", 8, members=(4, 5)) == 50.0
    assert limit_ns("pingpong", 8, members=(2, 3)) == 50.0


def test_sizes_between_are_interpolated_and_larger_ones_are_several_of_the_largest() -> None:
    rows = ROWS[:3]
    assert Shortest(rows, streamed=False).at(2048) == pytest.approx((90 * 300) ** 0.5)
    assert Shortest(rows, streamed=False).at(8192) == 600.0
    assert Shortest(rows, streamed=False).at(4) is None


def test_records_of_older_engines_have_no_minimum() -> None:
    assert Minima(Limits(line_bounce_ns=58.0)).machine_ns(record("pingpong", 8)) is None


BETWEEN_HOSTS = Limits(
    line_bounce_ns=58.0,
    handoff=ROWS,
    tcp=Tcp([TcpRow([0, 2], 8, ns=20_000.0, stream_ns=900.0), TcpRow([1, 3], 8, ns=15_000.0, stream_ns=700.0)]),
)


def tcp_ns(operation: str, members: tuple[int, ...], hosts: int = 2, size: int = 8, **changes: object) -> float | None:
    return Minima(BETWEEN_HOSTS).tcp_ns(record(operation, size, members, hosts, **changes))


def test_between_hosts_tcp_is_a_yardstick_and_no_limit() -> None:
    assert tcp_ns("pingpong", (0, 2)) == 20_000.0
    assert tcp_ns("allreduce", (0, 1, 2, 3), timing="call") == 20_000.0
    assert tcp_ns("stream", (0, 2), window=10) == 9000.0
    assert tcp_ns("pingpong", (1, 2)) == 15_000.0
    assert Minima(BETWEEN_HOSTS).machine_ns(record("pingpong", 8, (0, 2), hosts=2)) is None


def test_one_host_has_no_yardstick_and_neither_has_what_sends_nothing() -> None:
    assert tcp_ns("pingpong", (0, 2), hosts=1) is None
    assert tcp_ns("barrier", (0, 2)) is None
    assert tcp_ns("noop", (0, 2)) is None
    assert tcp_ns("pingpong", (0, 2), size=4) is None
