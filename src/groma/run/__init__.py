"""A campaign: launches one after another into a run directory, within a budget, and resumable."""

from __future__ import annotations

from groma.run.campaign import Campaign, Outcome
from groma.run.directory import RunDirectory, newest_run, runs_under
from groma.run.documents import RunDocument, owner_is_alive
from groma.run.launching import Assignment

__all__ = [
    "Assignment",
    "Campaign",
    "Outcome",
    "RunDirectory",
    "RunDocument",
    "newest_run",
    "owner_is_alive",
    "runs_under",
]
