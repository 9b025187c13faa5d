"""Runs of two builds of one library in one folder: each build's runs show how much runs differ, the others do not."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import beds
import pytest
from planted_runs import change_records

from engine import preloaded

pytestmark = pytest.mark.mpi

ADDED_NS = 20_000
GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
PLAN = ["run", "pingpong", "--bytes", "8", "--set", "slot_s=0.01", "-n", "2", "--launches", "6"]


def without_readings(record: dict[str, Any]) -> None:
    """Take away in which state the machine was: a virtual one moves its CPUs, which is no matter of builds."""
    record.pop("line_ns", None)
    if record["kind"] == "start":
        record["limits"]["line_bounce_ns"] = None


@pytest.mark.slow
def test_a_replaced_library_is_slower_in_all_pairs_and_its_own_runs_are_not(
    embedded: beds.Library, tmp_path: Path
) -> None:
    used = tmp_path / "libsends.so"  # one path: only what is in the file differs
    environment = embedded.environment(
        {
            "GROMA_ENGINE": str(embedded.engine),
            "GROMA_MPIEXEC": f"{embedded.mpiexec} -bind-to core",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "LD_PRELOAD": embedded.preloads(used),
        }
    )
    runs: dict[str, list[Path]] = {}
    for build, delay_ns in (("old", 0), ("new", ADDED_NS)):
        (tmp_path / build).mkdir()
        made = preloaded.build(embedded, "sends", tmp_path / build, f"-DDELAY_NS={delay_ns}")
        shutil.copy(made, used)
        for number in (1, 2, 3):
            run = tmp_path / "runs" / f"{build}-{number}"
            said = beds.run([*GROMA, *PLAN, "-o", str(run)], environment)
            assert said.exit_code == 0, said.errors
            change_records(run, without_readings)
            runs.setdefault(build, []).append(run)

    def compared(first: Path, second: Path) -> dict[str, object]:
        said = beds.run([*GROMA, "compare", str(first), str(second), "--format", "json"], environment)
        assert said.exit_code == 0, said.errors
        found: dict[str, object] = json.loads(said.output)
        return found

    def verdicts(found: dict[str, object]) -> list[tuple[str, str]]:
        points = found["points"]
        assert isinstance(points, list)
        return [(point["verdict"], point["holds_for"]) for point in points]

    for pair in itertools.product(runs["old"], runs["new"]):
        found = compared(*pair)
        assert verdicts(found) == [("slower", "runs")], found
        (file,) = [one for one in found["differences"] if one["kind"] == "library"]  # type: ignore[attr-defined]
        assert file["what"] == "file libsends.so"
        assert file["baseline"] != file["candidate"]
        assert file["baseline"].startswith(f"{used} (")
    for own in runs.values():
        for pair in itertools.combinations(own, 2):
            ((verdict, _),) = verdicts(compared(*pair))
            assert verdict in ("same", "not decided")
