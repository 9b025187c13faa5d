"""A slow receive from any source, put before the MPI library's own: `groma advice` says how slow."""

from __future__ import annotations

import sys
from pathlib import Path

import beds
import pytest

from engine import preloaded
from groma.analysis import summarise
from groma.analysis.advice.costs import costs
from groma.results import load_run

pytestmark = pytest.mark.mpi

ADDED_NS = 20_000  # far above what two states of a machine differ by in a ping-pong
GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]


@pytest.mark.slow
def test_a_planted_cost_of_any_source_is_reported(embedded: beds.Library, tmp_path: Path) -> None:
    environment = preloaded.environment(embedded, "slow", tmp_path, {"GROMA_SLOW_ANY_SOURCE_NS": ADDED_NS})
    # The fastest of single calls: whatever else runs here only adds.
    settings = [f"--set={one}" for one in ("slot_s=0.1", "timing=call", "stop=time", "estimator=min")]
    words = ["run", "pingpong", "pingpong_any_source", "--bytes", "8", *settings, "-n", "2", "--launches", "6"]
    ran = beds.run([*GROMA, *words, "-o", str(tmp_path / "run")], environment)
    assert ran.exit_code == 0, ran.errors
    (cost,) = costs(summarise(load_run(tmp_path / "run")))
    assert cost.rule.name == "any source"
    assert cost.verdict == "slower"
    assert cost.comparison.difference_ns == pytest.approx(ADDED_NS, rel=0.1)
    said = beds.run([*GROMA, "advice", str(tmp_path / "run")], environment)
    assert said.exit_code == 0, said.errors
    assert "any source" in said.output
    assert "slower" in said.output
