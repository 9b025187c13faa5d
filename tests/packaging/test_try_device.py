"""tools/try-device: what it packs measures on a machine that has nothing but Python and a driver."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import beds
import pytest
from engine.preloaded import build
from engine.test_devices import driver, with_driver

from groma.results import load_run

TOOL = beds.ROOT / "tools" / "try-device"


@pytest.mark.mpi
@pytest.mark.slow
def test_a_package_measures_on_the_stand_in_and_stops_in_time(embedded: beds.Library, tmp_path: Path) -> None:
    package, out = tmp_path / "device.tar.xz", tmp_path / "out"
    quick = dict(os.environ) | {"GROMA_INTEL_MPI": "/none", "GROMA_DEVICE_XZ": "-0"}
    packed = beds.run([str(TOOL), "pack", str(package)], quick, timeout_s=600)
    assert packed.exit_code == 0, packed.errors
    assert beds.run(["tar", "xf", str(package), "-C", str(tmp_path)]).exit_code == 0
    planted = with_driver(embedded, driver(tmp_path), GROMA_DEVICE_S=60, GROMA_DEVICE_BYTES="8,4K")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    aware = embedded.preloads(build(embedded, "aware", tmp_path, "-ldl"))
    environment = embedded.environment({**planted, "PATH": path, "LD_PRELOAD": aware})
    done = beds.run([str(tmp_path / "groma-device" / "run"), str(out)], environment, timeout_s=300)
    assert done.exit_code == 0, done.errors
    run = load_run(out / "mpich-cuda")
    points = [point for launch in run.launches for point in launch.points]
    assert {point.point["memory"] for point in points} == {"cuda"}
    assert all(point.checked_elements > 0 for point in points)
    assert (out / "devices.txt").exists() or "no time left for devices" in done.output


def test_a_wrong_word_is_answered_with_how_to_use_it() -> None:
    said = beds.run([str(TOOL), "pak"])
    assert said.exit_code == 2
    assert "tools/try-device pack FILE" in said.output
