"""`groma-engine --check` judges a plan as a launch would, without MPI and without measuring."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from beds import Library

pytestmark = pytest.mark.mpi

RANKS = 2
REFUSED = (
    "allreduce --bytes 6",
    "bcast --timing block --cache flush",
    "bcast --sync barrier --arrival linear",
    "bcast --root_rank 2",
    "bcast_segmented --bytes 8 --segments 3",
    "swap/simple --swap_order simple",
    "pingpong --pattern list=0,9",
    "barrier --byts 8",
)


def judged(library: Library, *words: str, plan: str = "") -> subprocess.CompletedProcess[str]:
    """Run the engine's check as one process."""
    return subprocess.run(
        [library.engine, "--check", *words],
        input=plan,
        env=library.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", REFUSED)
def test_the_check_says_what_a_launch_says(library: Library, words: str) -> None:
    checked = judged(library, "--ranks", str(RANKS), *words.split())
    launched = library.run(RANKS, *words.split())
    assert (checked.returncode, launched.exit_code) == (2, 2)
    assert checked.stderr.startswith("groma-engine: ")
    assert checked.stderr.strip() in launched.errors


def test_all_refused_points_are_told_in_one_start(library: Library, tmp_path: Path) -> None:
    points = [{"operation": "bcast"}, {"operation": "pingpong"}, {"operation": "bcast", "root_rank": 2}]
    plan = json.dumps({"schema": 1, "points": [*points, {"operation": "pingpong", "optional": True}]})
    done = judged(library, "--ranks", "1,2,4", "--all", "--plan", "-", plan=plan)
    refused = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (2, "")
    assert [(one["ranks"], one["index"]) for one in refused] == [(1, 1), (1, 2), (2, 2)]
    file = tmp_path / "plan.json"
    file.write_text(plan)
    assert judged(library, "--ranks", "4", "--plan", str(file)).returncode == 0
