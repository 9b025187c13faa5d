"""A campaign: launches one after another into a run directory, within a budget, and resumable."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.run.campaign import Campaign, Outcome
    from groma.run.directory import RunDirectory, newest_run, runs_under
    from groma.run.launching import Assignment
    from groma.run.writer import owner_is_alive

__all__ = [
    "Assignment",
    "Campaign",
    "Outcome",
    "RunDirectory",
    "newest_run",
    "owner_is_alive",
    "runs_under",
]

_PLACES = dict.fromkeys(("Campaign", "Outcome"), "campaign")
_PLACES |= dict.fromkeys(("RunDirectory", "newest_run", "runs_under"), "directory")
_PLACES |= {"owner_is_alive": "writer", "Assignment": "launching"}


def __getattr__(name: str) -> object:
    """Import what is asked for: what only reads runs does without the modules that start launches."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
