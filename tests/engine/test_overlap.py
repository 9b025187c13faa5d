"""A transport of known progress, put before the library's own: the engine's phases give its share back."""

from __future__ import annotations

from pathlib import Path

import beds
import msgspec
import numpy as np
import pytest
from engine.launches import launch_plan

from engine import preloaded
from groma.analysis.overlap import phases_of
from groma.results.records import Point, decode_record

pytestmark = pytest.mark.mpi

MESSAGE_BYTES = 1016  # no traffic of the engine's own has this length
REPETITIONS = 301
LEAST_DISTURBED = 15  # of them, by other processes
EXCHANGE_NS = 150_000  # so long that the real exchange behind it counts for little


@pytest.mark.parametrize("progress", [0.0, 0.5, 1.0])
def test_the_share_that_the_transport_hides_is_reported(
    embedded: beds.Library, tmp_path: Path, progress: float
) -> None:
    variables = {
        "GROMA_TRANSPORT_NS": str(EXCHANGE_NS),
        "GROMA_TRANSPORT_BYTES": str(MESSAGE_BYTES),
        "GROMA_TRANSPORT_PROGRESS": str(progress),
    }
    point = {"operation": "overlap", "bytes": MESSAGE_BYTES, "repetitions": REPETITIONS, "tests": 2}
    slow = preloaded.build(embedded, "slow", tmp_path)
    launch = launch_plan(embedded, 2, tmp_path, [point], preload=slow, variables=variables)
    assert launch.result.exit_code == 0, launch.report()
    (written,) = launch.of_kind("point")
    record = decode_record(msgspec.json.encode(written))
    assert isinstance(record, Point)
    assert record.phases_ns is not None
    values = {name: np.asarray(times) for name, times in record.phases_ns.items()}
    assert {times.size for times in values.values()} == {record.samples_ns.size} == {REPETITIONS}
    assert np.all(sum(values.values()) <= record.samples_ns), "the phases of a repetition are parts of its time"
    shortest = np.argsort(record.samples_ns)[:LEAST_DISTURBED]
    least = phases_of({name: times[shortest] for name, times in values.items()})
    longer = max(least.pure_ns, least.compute_ns)
    assert least.overlap == pytest.approx(min(progress * least.compute_ns, least.pure_ns) / longer, abs=0.15)
    assert least.eff == pytest.approx(min(progress * least.compute_ns / least.pure_ns, 1) - 1, abs=0.15)
