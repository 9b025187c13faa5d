"""What a program measures after the plan of its profile: stages, each a run of its own in the run's folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stage:
    """The points of one stage, and why; it begins `pause_s` after the end of the stage before it at the earliest.

    `name` is that of its folder in the run's. It has the launches, the rank count and the library of the run.
    """

    name: str
    points: list[dict[str, Any]]
    reason: str
    pause_s: float = 0.0
