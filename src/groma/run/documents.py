"""What the front end writes into a run directory: run.json and launch.json (docs/contract.md, document 5)."""

from __future__ import annotations

import datetime as dt
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from groma.plan.variants import Variant
from groma.refinement import Refinement
from groma.reporting import Reporting

if TYPE_CHECKING:
    from groma.plan import Point

SCHEMA = 1
State = Literal["running", "complete", "partial", "interrupted"]


class Owner(msgspec.Struct, frozen=True):
    """The front end's process: its id alone could be another process by now, with its start time it cannot."""

    pid: int
    start_ticks: int
    boot: str


class PlanDocument(msgspec.Struct):
    """What every launch measures, as it was asked; `settings` are the plan's own fields beside order and seed."""

    order: str
    points: list[dict[str, Any]]
    settings: dict[str, Any] = {}


class LibraryDocument(msgspec.Struct):
    """The MPI library that ran; name and version are the launcher's until a first launch has said its own."""

    name: str
    version: str
    engine_path: str
    launcher: str


class FoundPair(msgspec.Struct, frozen=True):
    """The pair of ranks that a pattern found in `launch`, for later launches whose ranks are on the same hosts."""

    pattern: str
    ranks: int
    bytes: int
    placement: str
    pair: tuple[int, int]
    launch: int

    @property
    def name(self) -> str:
        """Return what was searched and where, as the engine names it."""
        return f"{self.pattern}/{self.ranks}/{self.bytes}@{self.placement}"


class RunDocument(msgspec.Struct, kw_only=True):
    """run.json: what was asked and what became of it."""

    schema: int = SCHEMA
    name: str
    profile: str | None
    groma: str
    created: str
    finished: str | None
    state: State
    command: list[str]
    host: str
    seed: int
    launches: int
    rank_counts: list[int]
    budget_s: float | None
    within: float | None = None
    every_s: float | None = None
    variants: list[Variant] = []
    plan: PlanDocument
    report: Reporting = Reporting()
    style: str | None = None
    refinement: Refinement = msgspec.field(default_factory=Refinement)
    library: LibraryDocument
    libraries: dict[str, LibraryDocument] = {}
    machine: dict[str, Any]
    pairs: list[FoundPair] = []
    owner: Owner | None = None
    notes: list[str] = []

    @property
    def used_libraries(self) -> list[LibraryDocument]:
        """The libraries of all variants, or that of the whole run."""
        own = [self.library_of(variant.name) for variant in self.variants]
        return own or [self.library]

    def library_of(self, variant: str | None) -> LibraryDocument:
        """Return the library of a variant: its own, or that of the whole run."""
        return self.libraries.get(variant or "", self.library)


class LaunchDocument(msgspec.Struct, kw_only=True):
    """launch.json: what one launch started, how it ended, and how long that took from the start of its launcher on."""

    schema: int = SCHEMA
    number: int
    ranks: int
    command: list[str]
    variant: str | None = None
    library: LibraryDocument | None = None
    environment: dict[str, str]
    started: str
    points: int
    finished: str | None = None
    exit_code: int | None = None
    wall_s: float | None = None


def launch_plan(asked: PlanDocument, seed: int, points: list[Point]) -> dict[str, Any]:
    """Return the engine's plan of one launch (document 2)."""
    return {"schema": SCHEMA, "order": asked.order, "seed": seed, **asked.settings, "points": points}


def now_iso() -> str:
    """Return the local time with its offset, to the second."""
    return dt.datetime.now().astimezone().isoformat(timespec="seconds")


def this_process() -> Owner:
    """Return the identity of the calling process."""
    pid = os.getpid()
    return Owner(pid=pid, start_ticks=_start_ticks(pid) or 0, boot=_boot())


def owner_is_alive(document: RunDocument) -> bool | None:
    """Return whether the front end that writes this run still lives; None where this host cannot know."""
    owner = document.owner
    if document.state != "running" or owner is None:
        return False
    if document.host != socket.gethostname():
        return None
    return owner.boot == _boot() and owner.start_ticks == _start_ticks(owner.pid)


def _start_ticks(pid: int) -> int | None:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return None
    return int(after_name.split()[19])  # field 22 of proc(5), counted from the state, field 3


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
