"""The documents of a run beside its records, as docs/contract.md states them: who ran what, where and when."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from groma.plan.variants import Variant
from groma.refinement import Refinement
from groma.reporting import Reporting


class Node(msgspec.Struct, frozen=True):
    """One host as its first rank saw it."""

    name: str
    ranks: int
    kernel: str = ""
    cpu_model: str = ""
    cpus: int = 0
    numa_nodes: int = 0
    memory_bytes: int = 0
    last_level_cache_bytes: int = 0
    governor: str = ""
    smt: bool = False
    clock_source: str = ""
    virtual_machine: bool = False


class RankPlace(msgspec.Struct, frozen=True):
    """Where one rank was, and where it was allowed to be."""

    rank: int
    node: int
    allowed_cpus: str = ""
    cpu: int = -1
    numa_node: int = -1


class Nodes(msgspec.Struct, frozen=True):
    """nodes.json: the placement as measured on every rank."""

    schema: int
    nodes: list[Node]
    ranks: list[RankPlace]


class LaunchMeta(msgspec.Struct, frozen=True):
    """launch.json: how one launch was started and how it ended.

    `wall_s` is None for a launch that has not ended, and in older runs.
    """

    schema: int
    number: int
    ranks: int
    command: list[str]
    variant: str | None = None
    environment: dict[str, str] = {}
    started: str | None = None
    finished: str | None = None
    exit_code: int | None = None
    wall_s: float | None = None
    points: int = 0


class RunLibrary(msgspec.Struct, frozen=True):
    """The library, engine and launcher that the run used."""

    name: str = ""
    version: str = ""
    engine_path: str = ""
    launcher: str = ""


class RunPlan(msgspec.Struct, frozen=True):
    """What was asked to be measured."""

    order: str = ""
    points: list[dict[str, Any]] = []


class LaunchPlan(msgspec.Struct, frozen=True):
    """plan.json: the points that one launch was given."""

    schema: int
    points: list[dict[str, Any]]
    order: str = ""
    seed: int | None = None


class RunMeta(msgspec.Struct, frozen=True):
    """run.json: what was asked and what became of it."""

    schema: int
    name: str
    state: Literal["running", "complete", "partial", "interrupted"]
    created: str
    launches: int
    rank_counts: list[int]
    profile: str | None = None
    groma: str = ""
    finished: str | None = None
    command: list[str] = []
    host: str = ""
    seed: int | None = None
    budget_s: float | None = None
    within: float | None = None
    every_s: float | None = None
    variants: list[Variant] = []
    plan: RunPlan = RunPlan()
    report: Reporting = Reporting()
    style: str | None = None
    refinement: Refinement = msgspec.field(default_factory=Refinement)
    library: RunLibrary = RunLibrary()
    machine: Any = None
    notes: list[str] = []

    @property
    def round_length(self) -> int:
        """Launches after which every rank count and variant has had one turn."""
        return max(1, len(self.rank_counts)) * max(1, len(self.variants))
