"""A check: one thing that was tested of a run, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["good", "warn", "bad", "unknown"]


@dataclass(frozen=True)
class Check:
    """One check: its name, its state and one sentence for the user."""

    name: str
    state: State
    text: str
