"""How far apart the ranks were: a span is no less than its slowest rank, and no more than that and the late entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from beds import Library
from engine.launches import launch_plan

from groma.catalog import packaged

pytestmark = pytest.mark.mpi

SYNCS = ("none", "barrier", "dissemination")
# With more ranks than CPUs most of these starts are missed, each after a turn of the scheduler: a few operations do.
PACED_SYNCS = ("window", "roundtime")
PACED = ("barrier", "bcast", "allreduce", "alltoall")


def points() -> Iterator[dict[str, Any]]:
    """Yield every collective after every synchronisation, with the spans and what each rank says of itself."""
    for operation in packaged().operations:
        # When MPI_Finalize returns, no rank can tell another how long it took.
        if operation.family != "collective" or operation.nccl or operation.name == "mpi_finalize":
            continue
        payload = {"bytes": 64} if "bytes" in operation.uses else {}
        for sync in SYNCS + (PACED_SYNCS if operation.name in PACED else ()):
            yield {
                "operation": operation.name,
                "sync": sync,
                "timing": "call",
                "reduce": "span",
                "per_rank": True,
                "force": True,
            } | payload


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "sharing"), [(3, "none"), (4, "host")])
def test_spans_lie_between_the_slowest_rank_and_that_plus_the_arrival_skew(
    embedded: Library, tmp_path: Path, ranks: int, sharing: str
) -> None:
    asked = list(points())
    settings = {"clock_sharing": sharing, "max_clock_error_us": 1e6}  # on a busy machine, one clock for all is enough
    launch = launch_plan(embedded, ranks, tmp_path, asked, settings=settings)
    records = launch.of_kind("point")
    lost = [failure["reason"] for failure in launch.of_kind("failure")]
    assert len(records) + len(lost) == len(asked), launch.report()
    assert set(lost) <= {"no_samples"}, launch.report()
    for record in records:
        what = f"{record['point']['operation']}, sync={record['point']['sync']}"
        slack_ns = 2 * record["clock_error"]["bound_ns"] + 1
        assert record["skew_ns"] is None or record["skew_ns"]["invariant_excess"] <= slack_ns, what
        # The same from what each rank said of itself, beside the spans that were made of all stamps.
        for span, *own in zip(record["samples_ns"], *record["ranks_ns"], strict=True):
            assert max(own) <= span + slack_ns, what
            assert span <= max(own) + record["skew_ns"]["arrival"][4] + slack_ns, what
    assert {record["point"]["sync"] for record in records} >= set(SYNCS)
    assert all(record["samples_ns"] for record in records)
