"""The documents of a run beside its records, as docs/contract.md states them: who ran what, where and when."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from groma.plan.variants import Variant
from groma.refinement import Refinement
from groma.reporting import Reporting
from groma.results.bounds import Count, CpuList, Launches, Real, Settings, Whole


class Node(msgspec.Struct, frozen=True):
    """One host as its first rank saw it."""

    name: str
    ranks: Count
    kernel: str = ""
    cpu_model: str = ""
    cpus: Count = 0
    numa_nodes: Count = 0
    memory_bytes: Whole = 0
    last_level_cache_bytes: Whole = 0
    governor: str = ""
    smt: bool = False
    clock_source: str = ""
    virtual_machine: bool = False


class RankPlace(msgspec.Struct, frozen=True):
    """Where one rank was, and where it was allowed to be."""

    rank: Count
    node: Count
    allowed_cpus: CpuList = ""
    cpu: Whole = -1
    numa_node: Whole = -1


class Nodes(msgspec.Struct, frozen=True):
    """nodes.json: the placement as measured on every rank."""

    schema: int
    nodes: list[Node]
    ranks: list[RankPlace]


class RunLibrary(msgspec.Struct, frozen=True):
    """The library, engine and launcher that a run or a variant used."""

    name: str = ""
    version: str = ""
    engine_path: str = ""
    launcher: str = ""


class LaunchMeta(msgspec.Struct, frozen=True):
    """launch.json: how one launch was started and how it ended.

    `wall_s` is None for a launch that has not ended, and in older runs.
    """

    schema: int
    number: Count
    ranks: Count
    command: list[str]
    variant: str | None = None
    library: RunLibrary | None = None
    environment: dict[str, str] = {}
    started: str | None = None
    finished: str | None = None
    exit_code: Whole | None = None
    wall_s: Real | None = None
    points: Count = 0


class RunPlan(msgspec.Struct, frozen=True):
    """What was asked to be measured."""

    order: str = ""
    points: list[Settings] = []


class LaunchPlan(msgspec.Struct, frozen=True):
    """plan.json: the points that one launch was given."""

    schema: int
    points: list[Settings]
    order: str = ""
    seed: int | None = None


class RunMeta(msgspec.Struct, frozen=True):
    """run.json: what was asked and what became of it."""

    schema: int
    name: str
    state: Literal["running", "complete", "partial", "interrupted"]
    created: str
    launches: Launches
    rank_counts: list[Count]
    profile: str | None = None
    groma: str = ""
    finished: str | None = None
    command: list[str] = []
    host: str = ""
    seed: int | None = None
    budget_s: Real | None = None
    within: Real | None = None
    every_s: Real | None = None
    variants: list[Variant] = []
    plan: RunPlan = RunPlan()
    report: Reporting = Reporting()
    style: str | None = None
    refinement: Refinement = msgspec.field(default_factory=Refinement)
    library: RunLibrary = RunLibrary()
    libraries: dict[str, RunLibrary] = {}
    machine: Any = None
    notes: list[str] = []

    @property
    def round_length(self) -> int:
        """Launches after which every rank count and variant has had one turn."""
        return max(1, len(self.rank_counts)) * max(1, len(self.variants))
