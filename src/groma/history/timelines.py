"""Series of one figure over runs, by plan and machine, and where they change.

One series is one measurement (as `groma compare` matches points: operation, size, ranks and every setting that both
records state) of one plan on one machine with one MPI library. Its version is no part of that, nor is anything else
that an administrator changes: these are facts, whose changes stand on the time line.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from groma.analysis.changes.changes import LevelChange, Levels, find_changes
from groma.analysis.changes.dependence import RunSeries
from groma.catalog import suggestion
from groma.errors import InputError
from groma.history.store import Figure, Name, Store, StoredRun, copies, name_of
from groma.results.differences import KINDS, differs
from groma.text.sizes import format_size

_DOT = " \N{MIDDLE DOT} "
_VERSION = ("library", "MPI library")


class Machine(NamedTuple):
    """Facts that, with the plan, divide runs into groups: the machine, and the MPI library."""

    plan: str
    host: str
    cpu: str
    hosts: str
    library: str


class Fact(NamedTuple):
    """A fact of which a run has another value than all runs of the stretch before."""

    what: str
    before: str
    after: str


@dataclass(eq=False)
class Timeline:
    """One figure over runs, the oldest first: `runs` are places in the group's runs, `figures` as they are stored."""

    label: str
    operation: str
    size: int | None
    variant: str
    fields: dict[str, Any]
    runs: list[int] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    levels: Levels | None = None

    @cached_property
    def series(self) -> RunSeries:
        """The logarithms of its figures."""
        explained = [figure.explained for figure in self.figures]
        logs = np.log([figure.ns for figure in self.figures])
        return RunSeries(logs, float(np.mean(explained)) if explained else 0.0)

    @property
    def changes(self) -> tuple[LevelChange, ...]:
        """Where its level changed."""
        return self.levels.changes if self.levels else ()

    def stretches(self) -> list[tuple[int, int, float]]:
        """Return begin, end (not in it) and figure in ns of every stretch of one level."""
        ends = [0, *(change.at for change in self.changes), len(self.runs)]
        means = self.levels.means if self.levels else ()
        return [(a, b, math.exp(mean)) for a, b, mean in zip(ends, ends[1:], means, strict=False)]


@dataclass(eq=False)
class Group:
    """The runs of one plan on one machine with one library, and their series in the order of the first run."""

    machine: Machine
    runs: list[StoredRun]
    timelines: list[Timeline]
    _known: dict[tuple[int, str], dict[tuple[str, str], str]] = field(default_factory=dict)

    def facts_changed(self, timeline: Timeline, change: LevelChange) -> list[Fact]:
        """Return the facts that are new after a change, at the last of its dates, against the stretch before it."""
        before = max([0, *(one.at for one in timeline.changes if one.at < change.at)])
        known = {place: self._facts_of(place, timeline.variant) for place in timeline.runs[before : change.latest + 1]}
        earlier = [known[place] for place in timeline.runs[before : change.earliest]]
        return _new_facts(earlier, known[timeline.runs[change.latest]])

    def _facts_of(self, place: int, variant: str) -> dict[tuple[str, str], str]:
        if (place, variant) not in self._known:
            self._known[place, variant] = _facts(self.runs[place], variant)
        return self._known[place, variant]

    @cached_property
    def versions(self) -> list[tuple[int, Fact]]:
        """The runs with another version of the MPI library than the run before, by their places."""
        found = []
        for at in range(1, len(self.runs)):
            one, other = (_fact(self.runs[place], _VERSION) for place in (at - 1, at))
            if one != other and one and other:
                found.append((at, Fact(_VERSION[1], one, other)))
        return found

    def changed_at(self, place: int) -> list[Timeline]:
        """Return the series with a change whose 95 % set of dates has the run at this place."""
        return [
            line
            for line in self.timelines
            if any(line.runs[change.earliest] <= place <= line.runs[change.latest] for change in line.changes)
        ]


def timelines(
    store: Store, folders: Sequence[str], paths: Sequence[str] = (), *, any_host: bool = False
) -> list[Group]:
    """Return the groups of the runs of these folders and paths, with their changes; all series are one family.

    With `any_host` hosts with the same CPU are one machine.
    """
    stored = store.runs(folders, paths)
    groups: dict[Machine, _Gathered] = {}
    figures: dict[int, list[Figure]] = defaultdict(list)
    copied = copies(stored)
    counted = [number for number, run in stored.items() if run.has_figures and number not in copied]
    for number, figure in store.figures(counted):
        figures[number].append(figure)
    names = {name: name_of(name) for name in {figure.name for own in figures.values() for figure in own}}
    for number, run in stored.items():
        for figure in figures.get(number, ()):
            machine = _machine(run, names[figure.name], any_host=any_host)
            groups.setdefault(machine, _Gathered()).add(run, names[figure.name], figure)
    found = [Group(machine, gathered.runs, gathered.named()) for machine, gathered in groups.items()]
    for group, levels in zip(
        found, find_changes([[one.series for one in group.timelines] for group in found]), strict=True
    ):
        for line, own in zip(group.timelines, levels, strict=True):
            line.levels = own
    return found


class _Gathered:
    """Series of one group while runs are added, the oldest first."""

    def __init__(self) -> None:
        self.runs: list[StoredRun] = []
        self._lines: dict[tuple[str, int | None, str], list[Timeline]] = defaultdict(list)
        self._by_name: dict[str, Timeline] = {}

    def add(self, run: StoredRun, name: Name, figure: Figure) -> None:
        """Add a figure of a run to its series."""
        if not self.runs or self.runs[-1] is not run:
            self.runs.append(run)
        line = self._by_name.get(figure.name)
        if line is None:
            line = self._by_name[figure.name] = self._matching(name)
        if not line.runs or line.runs[-1] != len(self.runs) - 1:
            line.runs.append(len(self.runs) - 1)
            line.figures.append(figure)

    def _matching(self, name: Name) -> Timeline:
        """Return the series that agrees in every setting that both state, or a new one."""
        own, fields = self._lines[name["operation"], name["size"], name["variant"]], dict(name["fields"])
        for line in own:
            if all(line.fields[key] == value for key, value in fields.items() if key in line.fields):
                line.fields.update(fields)
                return line
        line = Timeline("", name["operation"], name["size"], name["variant"], fields)
        own.append(line)
        return line

    def named(self) -> list[Timeline]:
        """Return all series, with labels by which they differ."""
        lines = [line for own in self._lines.values() for line in own]
        differing = _differing(lines)
        for line in lines:
            line.label = _label(line, differing[line.operation])
        return lines


def _differing(lines: Sequence[Timeline]) -> dict[str, set[str]]:
    """Return by operation the settings that have more than one value among its series."""
    first: dict[str, dict[str, object]] = defaultdict(dict)
    differing: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        own = first[line.operation]
        differing[line.operation].update(
            name for name, value in line.fields.items() if own.setdefault(name, value) != value
        )
    return differing


def _label(line: Timeline, differing: Collection[str]) -> str:
    """Return operation and size, and the settings in which the series of the operation differ."""
    settings = [
        _setting(name, value)
        for name, value in line.fields.items()
        if name in differing and name not in ("bytes", "swap_messages")
    ]
    size = "" if line.size is None else f" {format_size(line.size)}"
    return _DOT.join([f"{line.operation}{size}", *settings])


def _setting(name: str, value: object) -> str:
    if name == "number of ranks":
        return f"{value} ranks"
    return str(value) if name == "variant" else f"{name}={value}"


def _machine(run: StoredRun, name: Name, *, any_host: bool) -> Machine:
    of = {what: _fact(run, ("machine", what), name["variant"]) for what in ("CPU", "hosts")}
    return Machine(run.plan, "" if any_host else run.host, of["CPU"], of["hosts"], name["library"])


def _facts(run: StoredRun, variant: str = "") -> dict[tuple[str, str], str]:
    known = run.facts.get(variant) or next(iter(run.facts.values()), [])
    return {(kind, what): value for kind, what, value in known}


def library_of(run: StoredRun, variant: str = "") -> str:
    """Return name and version of the MPI library of a run; empty if it is not known."""
    return _fact(run, _VERSION, variant)


def _fact(run: StoredRun, of: tuple[str, str], variant: str = "") -> str:
    return _facts(run, variant).get(of, "")


def _new_facts(earlier: Sequence[Mapping[tuple[str, str], str]], now: Mapping[tuple[str, str], str]) -> list[Fact]:
    """Return the facts that no earlier run has, the library's version first."""
    found = []
    for of, value in sorted(now.items(), key=lambda one: KINDS.index(one[0][0])):
        known = [facts.get(of, "") for facts in earlier]
        if known and value not in known and differs(of, known[-1], value):
            found.append(Fact(of[1], known[-1], value))
    return sorted(found, key=lambda fact: fact.what != _VERSION[1])


def of_plan(groups: Sequence[Group], plan: str | None) -> list[Group]:
    """Return the groups of a plan, all without one; raises InputError, with the nearest name, if there is none."""
    found = [group for group in groups if plan in (None, group.machine.plan)]
    if groups and not found:
        plans = sorted({group.machine.plan for group in groups})
        hint = suggestion(plan or "", plans) or f"; there are {', '.join(plans)}"
        raise InputError(f"there is no run of the plan '{plan}'{hint}")
    return found
