"""A check: one thing that was tested of a machine or of a run, and what was found; and the limits that checks share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["good", "warn", "bad", "unknown"]

# Other processes that use more than this share of a core disturb figures.
FOREIGN_CORES_LIMIT = 0.15
# More than this share of CPU time lost and medians may move: benchmarks/noise_threshold.py plants loads and prints it.
LOST_SHARE_LIMIT = 0.05
# Two ranks that lose so much each are interrupted, one or the other, in half of the time: medians are of such calls.
LOST_SHARE_MOST = 0.25


@dataclass(frozen=True)
class Check:
    """One check: its name, its state and one sentence for the user; `value` is the property itself, if it has one."""

    name: str
    state: State
    text: str
    value: str = ""
