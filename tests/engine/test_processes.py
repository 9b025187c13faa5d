"""Times of each process: a rank whose calls have two typical times has two peaks, the others one (the Altix paper)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import numpy as np
import pytest
from engine.launches import launch_plan
from numpy.typing import NDArray

from engine import preloaded
from groma.analysis.peaks import Histogram, histogram
from groma.catalog import packaged
from groma.plan import expand, read_profile

pytestmark = pytest.mark.mpi

BYTES, FIRST_US, SECOND_US, REPETITIONS = 4000, 1815, 4085, 200  # no other broadcast has this length


def test_planted_peaks_are_those_of_their_process(embedded: beds.Library, tmp_path: Path) -> None:
    uneven = preloaded.build(embedded, "uneven", tmp_path)
    variables = {
        "GROMA_UNEVEN_BYTES": str(BYTES),
        "GROMA_UNEVEN_US": str(FIRST_US),
        "GROMA_UNEVEN_RANK": "1",
        "GROMA_UNEVEN_OTHER": str(SECOND_US),
    }
    launch = launch_plan(embedded, 2, tmp_path, [broadcast()], preload=uneven, variables=variables)
    (record,) = launch.of_kind("point")
    own = np.array(record["ranks_ns"]) / 1e3
    assert own.shape == (2, REPETITIONS), launch.report()
    for times, places in (
        (own[0], {FIRST_US}),
        (own[1], {FIRST_US, SECOND_US}),
        (own.ravel(), {FIRST_US, SECOND_US}),
    ):
        # Where other programs take the CPU meanwhile, some calls are longer: at no place of their own.
        found = histogram(times)
        assert {place for place in (FIRST_US, SECOND_US) if share_near(times, place) > 0.12} == places
        assert all(any(abs(peak.at / place - 1) < 0.1 for peak in found.peaks) for place in places), found.peaks
        if len(places) > 1:
            least = min(fullest_at(found, place) for place in places)
            assert fewest_between(found, 1.1 * FIRST_US, 0.9 * SECOND_US) < least / 2


def share_near(times: NDArray[np.float64], place: float) -> float:
    """Return the share of the times within 10 % of a place."""
    return float(np.mean(np.abs(times / place - 1) < 0.1))


def fullest_at(found: Histogram, place: float) -> int:
    """Return how many times are in the fullest bin within 10 % of a place."""
    inside = (found.edges[:-1] < 1.1 * place) & (found.edges[1:] > 0.9 * place)
    return int(found.counts[inside].max())


def fewest_between(found: Histogram, low: float, high: float) -> int:
    """Return how many times are in the emptiest bin that reaches into this stretch."""
    inside = (found.edges[:-1] < high) & (found.edges[1:] > low)
    return int(found.counts[inside].min())


@pytest.mark.parametrize("ranks", [2, 3])
def test_every_process_has_as_many_times_as_there_are_samples(
    embedded: beds.Library, tmp_path: Path, ranks: int
) -> None:
    (record,) = launch_plan(embedded, ranks, tmp_path, [broadcast() | {"repetitions": 20}]).of_kind("point")
    own = np.array(record["ranks_ns"])
    assert own.shape == (ranks, len(record["samples_ns"])) == (ranks, 20)
    assert record["samples_ns"] == np.floor(own.mean(axis=0) + 0.5).astype(int).tolist()


def broadcast() -> dict[str, Any]:
    """Return a broadcast as the profile mpibench measures it, by a clock that every machine has."""
    catalog = packaged()
    plan = expand(read_profile("mpibench", catalog), catalog)
    (point,) = [one for one in plan.points if one["operation"] == "bcast" and one["bytes"] == 4096]
    return point | {"bytes": BYTES, "clock": "monotonic", "repetitions": REPETITIONS, "block": 0}
