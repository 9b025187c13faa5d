"""Files of limits, and made runs that they are about."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from planted_runs import QUIET, made

from groma.analysis.limits import Judgement, judged, read_limits
from groma.catalog.catalog import packaged
from groma.results import load_run

STEADY = replace(QUIET, launch_effect=0.004)
# Times of the synthetic machine (tests/synthetic.py): pingpong 8 B takes 0.28 us, allreduce 8 B 0.43 us.
LIMITS = """
limit = [
  {operation = "pingpong", bytes = 8, value = 0.28, lower = -0.2, upper = 0.2, unit = "us"},
  {operation = "pingpong", bytes = "64K", figure = "bandwidth", value = 8.6, lower = -0.2, unit = "GB/s"},
  {operation = "allreduce", bytes = 8, value = 430, upper = 0.2, unit = "ns"},
]
"""


def make_runs() -> None:
    """Make runs: `good` keeps all limits of `site.toml`, the allreduce of `slow` takes 1.5 times as long."""
    made(Path("good"), 1, STEADY)
    made(Path("slow"), 2, STEADY, {"allreduce": 1.5})
    Path("site.toml").write_text(LIMITS)


def judged_by(text: str, *paths: str, system: str = "") -> Judgement:
    """Return the judgement of runs by limits."""
    Path("limits.toml").write_text(text)
    return judged([load_run(path) for path in paths], read_limits("limits.toml", packaged()), system)


def one(**settings: object) -> str:
    """Return a file with one limit of `pingpong 8 B`, with other settings."""
    known = {"operation": "pingpong", "bytes": 8, "value": 0.28, "upper": 0.2, "unit": "us"} | settings
    return "[[limit]]\n" + "\n".join(
        f"{name} = {json.dumps(value)}" for name, value in known.items() if value is not None
    )
