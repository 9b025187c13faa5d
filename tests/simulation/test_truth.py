"""The engine's figures beside the truth of simulated networks: all times, and a finding of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from simulation import bisection, clocks, findings, networks, report, scale, sick, truths
from simulation.claims import Claim
from simulation.platforms import Link, Platform, fully_connected, one_way_ns
from simulation.simulator import simulate

pytestmark = [pytest.mark.bed("simgrid"), pytest.mark.mpi]


LONG = {truths.clocked, truths.overheads, truths.congestion}


@pytest.mark.parametrize(
    "subject",
    [pytest.param(one, marks=[pytest.mark.slow] if one in LONG else [], id=one.__name__) for one in truths.SUBJECTS],
)
def test_every_claimed_time_is_the_true_one(subject: truths.Subject) -> None:
    claims = list(subject())
    assert claims
    assert [claim for claim in claims if not claim.holds] == []


def test_a_network_that_is_slower_than_said_is_told_from_the_true_one() -> None:
    slower = fully_connected(2, Link(1e-6, 10e9 / 1.01))
    claimed = simulate(slower, [{"operation": "pingpong", "bytes": 1 << 20}]).times_ns()[0]
    told = Claim("1 % less bandwidth", 1 << 20, 1000 + (2**20 + 16) / 10, claimed)
    assert not told.holds


def test_the_bisection_bandwidth_is_the_capacity_of_the_cut() -> None:
    found = bisection.bisections()
    assert [one for one in found if not one.holds] == []


def test_a_cut_of_another_capacity_is_told_from_the_true_one() -> None:
    cut = Link(100e-9, 5e9)
    narrower = bisection.dumbbell(4, Link(100e-9, 5e9 / 1.03))
    assert bisection.claimed_gb_s(narrower) < (1 - bisection.TOLERANCE) * bisection.capacity_gb_s(cut)


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", clocks.RANKS)
def test_planted_clocks_are_found_within_the_bound(ranks: int) -> None:
    found = clocks.clock("hca3", ranks)
    assert found.holds, found
    # What no ping can see is there: half of what the way up takes longer than the way down, a level of the tree.
    hidden_ns = 0.5e9 * (clocks.UP.latency_s - clocks.DOWN.latency_s)
    assert abs(found.true_error_ns) >= hidden_ns - 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "ranks"),
    # jk asks one rank after the other: on 5 ranks that takes a minute.
    [("hca3", 3), ("hca3", 5), ("hca3", 8), pytest.param("jk", 3, marks=pytest.mark.slow)],
)
def test_paths_that_differ_each_way_are_seen_around_three_ranks(method: str, ranks: int) -> None:
    uneven = clocks.clock(method, ranks)
    assert abs(uneven.closure_ns or 0) == pytest.approx(clocks.CLOSURE_NS, abs=10)
    alike = clocks.clock(method, ranks, clocks.UP, clocks.UP)
    assert abs(alike.closure_ns or 0) <= 10


def test_two_ranks_have_no_third_to_tell_their_paths_by() -> None:
    assert clocks.clock("hca3", 2).closure_ns is None


@pytest.mark.slow
@pytest.mark.parametrize("layout", range(findings.CONGESTED_LAYOUTS))
def test_the_farthest_pair_is_found_although_its_round_hides_it(layout: int) -> None:
    found = findings.congested(layout)
    assert found.holds, found


def test_the_farthest_pair_of_long_messages_is_that_with_the_thinnest_link() -> None:
    assert [found for found in findings.farthest_by_size() if not found.holds] == []


@pytest.mark.one_case
@pytest.mark.parametrize("seed", range(3))
def test_what_is_odd_on_a_random_platform_is_found(seed: int) -> None:
    for found in (findings.random_slow_link(seed), findings.farthest(findings.random_topology(seed))):
        assert found.holds, found


@pytest.mark.slow
def test_a_protocol_threshold_is_found_to_the_byte() -> None:
    found = findings.protocol_threshold(12345)
    assert found.holds, found


def test_farthest_pairs_of_a_torus_and_a_fat_tree_are_found() -> None:
    for topology in (findings.torus((4, 3)), findings.fat_tree(3, 2)):
        for found in (findings.all_farthest(topology), findings.farthest(topology)):
            assert found.holds, found


def test_equal_links_leave_no_pair_alone() -> None:
    platform: Platform = fully_connected(4, Link(1e-6, 10e9))
    assert len(findings.slowest_pairs(platform)) == 6


@pytest.mark.slow
def test_records_do_not_grow_with_ranks_and_the_set_up_by_rounds() -> None:
    costs = scale.costs((64, 128))
    assert scale.grows_as_it_should(costs), costs
    assert 2 * costs[1].clock_messages == 3 * costs[0].clock_messages


# A healthy torus, and each kind with slow nodes and links, on 12 to 20 nodes.
SICK = (1, 3, 8, 12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SICK)
def test_planted_slow_nodes_and_links_are_named_and_nothing_else(seed: int) -> None:
    found = sick.diagnosed(sick.network(seed), seed)
    assert found.named == found.true
    assert found.stages[0] == "screen"
    assert ("later" in found.stages) == bool(found.true)


def test_what_is_not_named_and_what_is_invented_are_told() -> None:
    planted, other = networks.Planted((3,), "sending"), networks.Planted((4, 2), "pair")
    missed = sick.Diagnosis("missed", 12, frozenset({planted}), frozenset(), ("screen",))
    invented = sick.Diagnosis("invented", 12, frozenset(), frozenset({other}), ("screen",))
    assert not missed.holds
    assert not invented.holds
    rows = [report.slow_row(one) for one in (missed, invented)]
    assert [(row.slow_nodes, row.missed, row.invented, row.holds) for row in rows] == [
        ("3 sending", "3 sending", "none", False),
        ("none", "none", "4 > 2", False),
    ]


def test_a_load_lasts_as_long_as_the_samples() -> None:
    """Its own messages leave gaps between them, far shorter than one of them."""
    point = {"operation": "pingpong", "bytes": 65536, "load": "incast", "load_bytes": 16 << 20, "repetitions": 60}
    (record,) = simulate(truths.over_one_link(4), [point]).launch.points
    alone_ns, slowed_ns = (
        one_way_ns((truths.ACCESS, truths.BACKBONE, truths.ACCESS), 65536, sharing) for sharing in (1, 5)
    )
    times = np.asarray(record.samples_ns) / (record.repetitions_per_sample * record.divisor)
    assert np.mean(times > 0.99 * slowed_ns) > 0.9
    assert times.min() > 2 * alone_ns
    assert record.load is not None
    assert record.load.bytes / record.load.seconds == pytest.approx(truths.BACKBONE.bytes_per_s, rel=0.25)
