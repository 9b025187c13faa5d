"""What the comparison of programs could not explain follows from definitions, on networks where all is known."""

from __future__ import annotations

import pytest

from benchmarks.reasons.found import SIMULATED, Case
from benchmarks.reasons.simulated import RANKS as ALTIX_RANKS
from benchmarks.reasons.simulated import explained
from simulation.definitions import RANKS, SPREAD_US, reports, ring_and_pairs, slowest_of_pairs

pytestmark = [pytest.mark.bed("simgrid"), pytest.mark.mpi]


def test_a_report_is_longer_than_every_node_in_two_cases_alone() -> None:
    own_together, span_together, own_in_turn, span_in_turn, changing = reports()
    for alike in (own_together, span_together, own_in_turn):
        assert alike.ratio == pytest.approx(1), "definitions alone make no difference"
    assert span_in_turn.first_us > SPREAD_US > 20 * span_in_turn.second_us, "the span has the late entries, no node has"
    assert 1.5 < changing.ratio <= RANKS, "the mean of maxima is at most the sum of the means"


def test_a_ring_goes_at_the_pace_of_its_slowest_link_and_pairs_at_their_own() -> None:
    alike, slow = ring_and_pairs()
    assert alike.ratio == pytest.approx(1)
    assert slow.first_us == pytest.approx(2 * alike.first_us, rel=0.02), "every rank of the ring waits"
    assert slow.second_us == pytest.approx((3 * 1 + 2) / 4 * alike.second_us, rel=0.02), "one pair of four is slow"


@pytest.mark.bed("embedded")
@pytest.mark.parametrize(
    ("programs", "operation", "field", "ratio"),
    [
        (("mpbench", "mpibench"), "bcast", "total", 1.0),  # a barrier is nothing beside 1 MiB
        (("mpbench", "mpibench"), "pingpong", "pattern", 2.0),  # two pairs on each channel between the bricks
        (("pmb", "skampi"), "pingpong", "pattern", 4.0),  # a channel has a quarter of a bus
        (("mpibench", "pmb"), "sendrecv", "pattern", 0.5),  # a ring crosses each channel once, pairs twice
    ],
)
def test_what_is_between_two_programs_on_the_simulated_altix(
    programs: tuple[str, str], operation: str, field: str, ratio: float
) -> None:
    factor = explained(Case(programs, operation, 1 << 20, ALTIX_RANKS, SIMULATED)).by(field)
    assert factor is not None
    assert factor.ratio == pytest.approx(ratio, rel=0.02)
    assert factor.interval == (factor.ratio, factor.ratio), "nothing varies"


def test_the_bandwidth_of_several_pairs_at_once_is_that_of_the_slowest() -> None:
    """The profile acceptance gives the bisection so: with one pair at half speed, the time of all is twice as long."""
    alike, slow = slowest_of_pairs()
    assert slow == pytest.approx(2 * alike, rel=0.02)
