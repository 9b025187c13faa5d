"""Each process's own times: a rank whose calls last one of two times has two peaks, the others have one (seed 004)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import numpy as np
import pytest
from engine.launches import launch_plan

from engine import preloaded
from groma.analysis.histogram import histogram
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
        (own[0], [FIRST_US]),
        (own[1], [FIRST_US, SECOND_US]),
        (own.ravel(), [FIRST_US, SECOND_US]),
    ):
        found = histogram(times)
        assert [peak.at for peak in found.peaks] == pytest.approx(places, rel=0.1)
        full = [(low, high) for low, high, count, _ in found.rows(times.max()) if count > times.size / 20]
        assert {
            place for place in (FIRST_US, SECOND_US) for low, high in full if low <= 1.02 * place and place < high
        } == {*places}


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
