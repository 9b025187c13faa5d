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
    point = {"operation": "overlap", "bytes": MESSAGE_BYTES, "repetitions": 101, "tests": 2}
    slow = preloaded.build(embedded, "slow", tmp_path)
    launch = launch_plan(embedded, 2, tmp_path, [point], preload=slow, variables=variables)
    assert launch.result.exit_code == 0, launch.report()
    (written,) = launch.of_kind("point")
    record = decode_record(msgspec.json.encode(written))
    assert isinstance(record, Point)
    assert record.phases_ns is not None
    assert {len(values) for values in record.phases_ns.values()} == {101}
    phases = phases_of(record.phases_ns)
    longer = max(phases.pure_ns, phases.compute_ns)
    assert phases.overlap == pytest.approx(min(progress * phases.compute_ns, phases.pure_ns) / longer, abs=0.15)
    assert phases.eff == pytest.approx(min(progress * phases.compute_ns / phases.pure_ns, 1) - 1, abs=0.15)
    parts = sum(np.asarray(values) for values in record.phases_ns.values())
    assert np.all(parts <= record.samples_ns), "the phases of a repetition are parts of its time"
