"""The documents of a run beside its records: who ran what, where and when. docs/contract.md prints what is said here.

nodes.json is the engine's, which describes its members; run.json, launch.json and plan.json are the front end's, and
these are their only declaration: written and read by the same structs. Members with a default are missing in some
older runs.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from groma.catalog.refinement import Refinement
from groma.catalog.reporting import Reporting
from groma.errors import UNDECODABLE
from groma.plan.parts import Part
from groma.plan.variants import Variant
from groma.results.bounds import SCHEMA, Count, CpuList, Launches, Real, Settings, Whole

State = Literal["running", "complete", "partial", "interrupted", "paused"]


_Kind = TypeVar("_Kind")


def readable(path: Path, kind: type[_Kind]) -> _Kind | None:
    """Return one of these documents; None if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, *UNDECODABLE):
        return None


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
    cpu_quota: Real | None = None


class RankPlace(msgspec.Struct, frozen=True):
    """Where one rank was, and where it was allowed to be."""

    rank: Count
    node: Count
    allowed_cpus: CpuList = ""
    cpu: Whole = -1
    numa_node: Whole = -1
    core: Whole | None = None
    cache: Whole | None = None
    socket: Whole | None = None


class Nodes(msgspec.Struct, frozen=True):
    """nodes.json: the placement as measured on every rank."""

    schema: int
    nodes: list[Node]
    ranks: list[RankPlace]


class LaunchPlan(msgspec.Struct, frozen=True):
    """plan.json: the points that one launch was given, as document 2 says."""

    schema: int
    points: list[Settings]
    order: str = ""
    seed: int | None = None


class LibraryDocument(msgspec.Struct):
    """The MPI library that ran; until the first launch, name and version are the launcher's."""

    name: Annotated[str, Meta(description="such as MPICH")] = ""
    version: Annotated[str, Meta(description="its own")] = ""
    engine_path: Annotated[str, Meta(description="the program that measured")] = ""
    launcher: Annotated[str, Meta(description="mpiexec path and arguments")] = ""


class Build(msgspec.Struct, frozen=True):
    """The files that measured, by their contents; empty texts for unknown files."""

    engine: Annotated[str, Meta(description="the first 16 digits of the SHA-256 of the engine's file")] = ""
    library: Annotated[str, Meta(description="the same of the MPI library's file, without its plugins")] = ""
    library_path: Annotated[str, Meta(description="where the loader of the front end's host finds that file")] = ""
    loaded: Annotated[
        dict[str, str] | None,
        Meta(
            description="the same of the other files that the loader gives the engine, preloaded ones too, by their "
            "paths; null in older runs, and for an engine that is a script"
        ),
    ] = None

    @property
    def contents(self) -> tuple[str, ...] | None:
        """Identity of these files, wherever they are; None if a file is not known."""
        loaded = self.loaded or {}
        known = self.engine and (self.library or self.loaded is not None) and all(loaded.values())
        named = sorted(f"{PurePath(path).name} {digest}" for path, digest in loaded.items())
        return (self.engine, self.library, *named) if known else None


class LaunchDocument(msgspec.Struct, kw_only=True):
    """launch.json: how one launch was started and how it ended."""

    schema: Annotated[int, Meta(description="1")] = SCHEMA
    number: Annotated[Count, Meta(description="of the launch, from 1 on; names its folder")]
    ranks: Annotated[Count, Meta(description="asked for")]
    command: Annotated[list[str], Meta(description="the launcher and the engine, with their arguments")]
    variant: Annotated[str | None, Meta(description='such as `"tcp"`; null without variants')] = None
    library: Annotated[LibraryDocument | None, Meta(description="of a variant with its own; else null")] = None
    build: Annotated[Build | None, Meta(description="files that measured; null in older runs")] = None
    environment: Annotated[dict[str, str], Meta(description="variables about MPI, as given to the ranks")] = {}
    set_by_groma: Annotated[list[str], Meta(description="names of those that Groma chose, and not its user")] = []
    started: Annotated[str | None, Meta(description="when, in ISO 8601")] = None
    points: Annotated[Count, Meta(description="of its plan")] = 0
    finished: Annotated[str | None, Meta(description="when, in ISO 8601; null while it runs")] = None
    exit_code: Annotated[Whole | None, Meta(description="the launcher's; null while it runs")] = None
    misplaced: Annotated[
        str, Meta(description="a rank that was not where the command should have put it; empty if none")
    ] = ""
    not_arrived: Annotated[
        list[Count],
        Meta(
            description="ranks of all nodes that did not arrive at the point that exceeded its limit_s; a failure "
            "record has those of the node of rank 0"
        ),
    ] = []
    wall_s: Annotated[
        Real | None,
        Meta(
            description="from the start of the launcher to its end; less the end record's elapsed_ns: the launcher, "
            "and the start and end of MPI and of the engine. Null while it runs; older runs have none"
        ),
    ] = None


class PlanDocument(msgspec.Struct):
    """What every launch measures, as it was asked."""

    order: Annotated[str, Meta(description="of the points in a launch")] = ""
    points: Annotated[list[Settings], Meta(description="document 2's points")] = []
    settings: Annotated[dict[str, Any], Meta(description="document 2's other fields that were given")] = {}

    def __post_init__(self) -> None:
        """Refuse a point without an operation, by the TypeError that msgspec expects."""
        for at, point in enumerate(self.points):
            if not isinstance(point.get("operation"), str):
                raise TypeError(f"Expected the name of an operation - at `$.points[{at}].operation`")


class FoundPair(msgspec.Struct, frozen=True):
    """The pair of ranks that a pattern found, for later launches whose ranks are on the same hosts."""

    pattern: Annotated[str, Meta(description='such as `"farthest"`')]
    ranks: Annotated[int, Meta(description="among which it searched")]
    bytes: Annotated[int, Meta(description="of its probes")]
    placement: Annotated[str, Meta(description="a number for the ranks' hosts")]
    pair: Annotated[tuple[int, int], Meta(description="that was found")]
    launch: Annotated[int, Meta(description="that found it")]

    @property
    def name(self) -> str:
        """Return what was searched and where, as the engine names it."""
        return f"{self.pattern}/{self.ranks}/{self.bytes}@{self.placement}"


class HostFiles(msgspec.Struct, frozen=True):
    """Engine and library on one host, asked before the first launch of a run on several known hosts."""

    name: Annotated[str, Meta(description="as the host calls itself")]
    engine: Annotated[str, Meta(description="path of the engine")]
    engine_sum: Annotated[str, Meta(description="its checksum and size, as `cksum` prints them")] = ""
    library: Annotated[str, Meta(description="path of the MPI library that the host's loader finds for it")] = ""
    library_sum: Annotated[str, Meta(description="its checksum and size")] = ""


class Extension(msgspec.Struct, frozen=True):
    """Rounds that `groma run --resume RUN --launches N` added to a run, and what was asked before."""

    at: Annotated[str, Meta(description="when, in ISO 8601")]
    launches: Annotated[Launches, Meta(description="rounds that were asked for before")]
    first: Annotated[Launches, Meta(description="number of the first launch that was added")]
    budget_s: Annotated[Real | None, Meta(description="for the whole run before")] = None


class Owner(msgspec.Struct, frozen=True):
    """The front end's process; its start time distinguishes it from a later process with the same id."""

    pid: Annotated[int, Meta(description="its id")]
    start_ticks: Annotated[int, Meta(description="its start since the host's, in ticks of the kernel")]
    boot: Annotated[str, Meta(description="a number of the host's start")]


class RunDocument(msgspec.Struct, kw_only=True):
    """run.json: what was asked, and the result."""

    schema: Annotated[int, Meta(description="1")] = SCHEMA
    id: Annotated[str, Meta(description="names the run; its copies have it too; empty in older runs")] = ""
    name: Annotated[str, Meta(description='such as `"quick"`')]
    profile: Annotated[str | None, Meta(description="that the plan was made from")] = None
    groma: Annotated[str, Meta(description="version of the front end")] = ""
    created: Annotated[str, Meta(description="when, in ISO 8601")]
    finished: Annotated[str | None, Meta(description="when, in ISO 8601; null while it runs")] = None
    state: Annotated[
        State,
        Meta(description="`running` without its owner alive is a run that was killed"),
    ]
    command: Annotated[list[str], Meta(description="argv as typed")] = []
    host: Annotated[str, Meta(description="on which the front end ran")] = ""
    seed: Annotated[int, Meta(description="of the run; the seed of launch n's plan is this + n")] = 0
    launches: Annotated[Launches, Meta(description="rounds that are asked for")]
    rank_counts: Annotated[list[Count], Meta(description="the smallest first")]
    budget_s: Annotated[Real | None, Meta(description="for the whole run")] = None
    within: Annotated[Real | None, Meta(description="half-width that every interval must reach, as a share")] = None
    every_s: Annotated[Real | None, Meta(description="time from the start of a round to the start of the next")] = None
    hosts: Annotated[
        str, Meta(description="named by the user, such as `a:2,b:2`; empty: the allocation's, or the launcher's")
    ] = ""
    ppn: Annotated[int | None, Meta(description="ranks on each host, if that was asked")] = None
    any_placement: Annotated[bool, Meta(description="whether ranks may be elsewhere than asked")] = False
    any_build: Annotated[
        bool, Meta(description="whether launches may be of different builds of the engine or the MPI library")
    ] = False
    variants: Annotated[list[Variant], Meta(description="environments, placements and libraries that take turns")] = []
    plan: Annotated[PlanDocument, Meta(description="what every launch measures")] = msgspec.field(
        default_factory=PlanDocument
    )
    report: Annotated[
        Reporting,
        Meta(description="how a launch's samples become its figure (groma.catalog.reporting); absent in older runs"),
    ] = Reporting()
    programs: Annotated[
        dict[str, Part], Meta(description="of several profiles, which are variants: what each of them measures")
    ] = {}
    style: Annotated[
        str | None, Meta(description="the program whose layout suits it (its program in src/groma/programs)")
    ] = None
    refinement: Annotated[Refinement, Meta(description="sizes that are added")] = msgspec.field(
        default_factory=Refinement
    )
    program: Annotated[
        dict[str, float], Meta(description="settings of the profile's program; its stages lie in folders of the run")
    ] = {}
    lacking: Annotated[
        dict[str, str],
        Meta(
            description="variants of the profile's program that this machine cannot measure, or what some of several "
            "profiles lack, and why, by name"
        ),
    ] = {}
    library: Annotated[LibraryDocument, Meta(description="that ran; of several, the first")] = msgspec.field(
        default_factory=LibraryDocument
    )
    libraries: Annotated[
        dict[str, LibraryDocument], Meta(description="by variant, of the variants that have their own")
    ] = {}
    machine: Annotated[
        dict[str, Any],
        Meta(
            description='by name of a check: `{"value", "state": "good" | "warn" | "bad" | "unknown", "meaning"}`; '
            "older runs say `light` and `warning`"
        ),
    ] = {}
    pairs: Annotated[
        list[FoundPair],
        Meta(
            description="pairs that patterns found, and the launch that did; later launches on the same hosts measure "
            "them"
        ),
    ] = []
    host_files: Annotated[
        list[HostFiles], Meta(description="engine and library of each host, if there are several")
    ] = []
    extensions: Annotated[
        list[Extension], Meta(description="rounds that were added later, oldest first; `launches` includes them")
    ] = []
    owner: Annotated[Owner | None, Meta(description="the front end's process")] = None
    notes: Annotated[list[str], Meta(description="a sentence for each difference from what was asked")] = []

    @property
    def identity(self) -> str:
        """The run's id, which copies have too; of an older run, what no other run has as well."""
        return self.id or repr((self.name, self.created, self.host, self.seed, self.command, self.owner))

    @property
    def round_length(self) -> int:
        """Launches after which every rank count and variant has had one turn."""
        return max(1, len(self.rank_counts)) * max(1, len(self.variants))

    @property
    def asked_numbers(self) -> list[int]:
        """The numbers of the launches that were asked for, ascending; others are of a budget or of added sizes.

        Rounds that were added later begin after all launches that there were, at the beginning of a round.
        """
        starts = [(0, 1), *((extension.launches, extension.first) for extension in self.extensions)]
        ends = [min(rounds, self.launches) for rounds, _ in starts[1:]] + [self.launches]
        return [
            first + at
            for (before, first), end in zip(starts, ends, strict=True)
            for at in range(max(0, end - before) * self.round_length)
        ]

    @property
    def used_libraries(self) -> list[LibraryDocument]:
        """The libraries of all variants, or that of the whole run."""
        own = [self.library_of(variant.name) for variant in self.variants]
        return own or [self.library]

    def of_program(self, name: str | None) -> RunDocument:
        """Return the document as it is for one of several profiles: its points, their order and their report."""
        part = self.programs.get(name or "")
        if part is None:
            return self
        points = [self.plan.points[place] for place in part.points]
        plan = PlanDocument(part.order or self.plan.order, points, self.plan.settings | part.settings)
        return msgspec.structs.replace(self, profile=name, plan=plan, report=part.report, style=part.style, programs={})

    def library_of(self, variant: str | None) -> LibraryDocument:
        """Return the library of a variant: its own, or that of the whole run."""
        return self.libraries.get(variant or "", self.library)
