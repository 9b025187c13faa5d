"""Calls that a preloaded library makes slow for a time are left out of the figure, or the record says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import beds
import numpy as np
import pytest
from engine.launches import Launch, launch_plan
from one_series import serial_median_interval

from benchmarks.planted import DELAY_US, PLANTS, Plant, Seen, read_seen, words
from engine import preloaded
from groma.analysis.launchpoint import LaunchPoint, launch_point
from groma.analysis.steadiness import doubt_of
from groma.results.launched import load_launch

pytestmark = pytest.mark.mpi

CONTROL_BYTES = 2000
# What changes after a time comes first: its level is to change after its turn and before its second visit.
# Other programs move a call by as much as a fifth: a plant of that share is judged in simulation and by `make steady`.
_LARGE = sorted((plant for plant in PLANTS if not plant.share), key=lambda plant: "late" not in plant.kind)
PLANTED = {CONTROL_BYTES - 8 * (place + 1): plant for place, plant in enumerate(_LARGE)}
SLOT_S = 0.4
DISTURBED = 0.25  # half-width of an interval that only other programs make so wide
POINT: dict[str, Any] = {"stop": "ci", "warmups": 10, "slot_s": SLOT_S, "settle_s": 2.0, "precision": 0.02, "block": 0}


@dataclass(frozen=True)
class Case:
    """What was measured of one plant, beside the control."""

    plant: Plant
    record: dict[str, Any]
    point: LaunchPoint
    control_ns: float
    seen: Seen

    @property
    def call_ns(self) -> float:
        """The figure's time of one whole call."""
        return self.point.median_ns * self.point.divisor

    @property
    def true_ns(self) -> float:
        """The true time of a call."""
        return self.plant.true_ns(self.control_ns, self.seen, block=self.record["point"]["timing"] == "block")

    @property
    def within(self) -> bool:
        """True if the figure is the truth, as nearly as a machine with other programs lets a test say."""
        interval = self.point.interval
        # Other programs disturb each launch differently: an interval so wide says of itself that the figure is none.
        if interval is None or interval.half_width(self.point.median_ns) > DISTURBED:
            return True
        covered = self.true_ns / self.point.divisor in interval
        allowed_ns = max(0.02 * self.true_ns, self.plant.delay_ns(self.control_ns) / 10)
        return covered or abs(self.call_ns - self.true_ns) <= allowed_ns

    def __str__(self) -> str:
        shown = {key: self.record[key] for key in ("state", "verified", "calls", "segments", "half_width")}
        visit = self.point.value("revisit_ratio")
        return f"{self.plant.name}: {self.call_ns:.0f} ns, true {self.true_ns:.0f}, visited {visit}, {shown}"


Measured = Callable[[beds.Library, str], dict[str, Case]]


@pytest.fixture(scope="module", params=["pingpong", "allreduce"])
def operation(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Measure an operation with a library, once for all tests."""
    known: dict[tuple[str, str], dict[str, Case]] = {}

    def cases(library: beds.Library, operation: str) -> dict[str, Case]:
        key = library.name, operation
        if key not in known:
            known[key] = measure(library, tmp_path_factory.mktemp("planted"), operation)
        return known[key]

    return cases


def measure(library: beds.Library, folder: Path, operation: str) -> dict[str, Case]:
    """Return what was measured of each kind of plant."""
    # Starts by the clock come late on a busy machine, and would leave no sample.
    typed = {"datatype": "int64", "sync": "barrier", "reduce": "max"} if operation == "allreduce" else {}
    points = [POINT | {"operation": operation, "bytes": size} | typed for size in (*PLANTED, CONTROL_BYTES)]
    (alone,) = launch_plan(library, 2, folder, points[-1:]).of_kind("point")
    control_ns = alone["median_ns"] * alone["divisor"]
    inner = folder / "001"
    inner.mkdir()
    variables = {"GROMA_PLANTS": words(PLANTED, control_ns), "GROMA_PLANTED": str(inner / "planted")}
    preload = preloaded.build(library, "phases", folder)
    launch: Launch = launch_plan(library, 2, inner, points, preload=preload, variables=variables)
    assert launch.result.exit_code == 0, launch.report()
    seen = read_seen(inner / "planted")
    loaded = load_launch(inner)
    control = launch_point(loaded, loaded.points[-1])
    control_ns = control.median_ns * control.divisor
    records = zip(PLANTED.items(), launch.of_kind("point"), loaded.points, strict=False)
    return {
        plant.kind: Case(plant, record, launch_point(loaded, decoded), control_ns, seen[size])
        for (size, plant), record, decoded in records
    }


@pytest.mark.one_case
def test_planted_phases_are_left_out_or_told(measured: Measured, library: beds.Library, operation: str) -> None:
    cases = measured(library, operation)
    for case in cases.values():
        assert case.within or doubt_of(case.point), str(case)
        check_record(case.record)
    for kind in ("first:500", "first:5000"):
        # Where the single calls were parted, the slow ones are on record; noise of other programs can hide their end.
        calls, slow_ns = cases[kind].record["calls"], np.array(cases[kind].record["warmup_ns"])
        slow = np.count_nonzero(slow_ns > 1000 * DELAY_US)
        assert calls["state"] != "warmup" or slow > int(kind.partition(":")[2]) / 2, str(cases[kind])


def check_record(record: dict[str, Any]) -> None:
    """Check that the interval is that of the samples, and what the record says of its own slot and state."""
    figures = np.array(record["samples_ns"]) / record["repetitions_per_sample"] / record["divisor"]
    interval = serial_median_interval(figures)
    assert (interval.half_width(record["median_ns"]) if interval else None) == pytest.approx(record["half_width"])
    assert record["point"]["slot_s"] == SLOT_S
    assert SLOT_S / 2 <= record["slot_left_s"] < SLOT_S
    kept = {"steady", "warmup"}
    assert not record["verified"] or (record["state"] in {*kept, "unknown"} and record["calls"]["state"] in kept)
    assert not record["verified"] or record["calls"]["made"] >= record["calls"]["needed"]


@pytest.mark.slow
def test_a_tail_is_in_the_mean_of_a_block_and_beside_the_median(
    measured: Measured, library: beds.Library, operation: str
) -> None:
    record = measured(library, operation)["every:10"].record
    calls = record["calls"]
    assert calls["mean_ns"] > calls["median_ns"] + 0.05 * DELAY_US * 1000
    assert calls["slow_share"] > 0.08
    if operation == "allreduce" or record["block_short"]:
        return
    # Every tenth call is slow: the mean is a tenth of the delay above the others, which is what a long block shows.
    assert record["repetitions_per_sample"] >= 20
    assert record["median_ns"] * record["divisor"] > calls["median_ns"] + 0.05 * DELAY_US * 1000
