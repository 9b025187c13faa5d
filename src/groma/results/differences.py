"""What differs besides performance: machine, library, environment, placement and method of two runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from groma.results import Launch, Run
from groma.results.documents import Build
from groma.text.counts import cpus

_NOTHING = "\N{EN DASH}"
_FILE = "file "


@dataclass(frozen=True)
class Difference:
    """A difference between two runs; `kind` is machine, library, environment, placement, method or time."""

    kind: str
    name: str
    first: str
    second: str


def differences(first: Run, second: Run) -> list[Difference]:
    """Return the differences, the machine first; a fact that only one run states is one too, except a file.

    Variables that Groma chose for both runs are none: they belong to the library or to the placement.
    """
    of_first, of_second = (facts(run) for run in (first, second))
    of_users = _set_by_users(first) | _set_by_users(second)
    names = [*of_first, *(name for name in of_second if name not in of_first)]
    return [
        Difference(*name, before or _NOTHING, after or _NOTHING)
        for name in sorted(names, key=lambda name: KINDS.index(name[0]))
        if differs(name, before := of_first.get(name, ""), after := of_second.get(name, ""))
        and (name[0] != "environment" or name[1] in of_users)
    ]


def _set_by_users(run: Run) -> set[str]:
    """Return the variables that a user, and not Groma, set for launches of a run."""
    launched = [launch.meta for launch in run.launches if launch.meta is not None]
    return {name for launch in launched for name in launch.environment if name not in launch.set_by_groma}


def differs(name: tuple[str, str], before: str, after: str) -> bool:
    """Return whether a fact differs; the files of different libraries differ anyway and do not count."""
    return before != after and bool((before and after) or not name[1].startswith(_FILE))


KINDS = ("machine", "library", "environment", "placement", "method", "time")
_Fact = tuple[tuple[str, str], str]


def facts(run: Run) -> dict[tuple[str, str], str]:
    """Return what is known of a run beside its figures, by kind and what it is; that of launches is their first's."""
    return dict(_facts(run))


def _facts(run: Run) -> Iterator[_Fact]:
    started = next((launch for launch in run.launches if launch.start is not None), None)
    yield ("machine", "host"), run.meta.host
    if started is not None:
        yield from _of_machine(started)
        yield from _of_library(started)
    yield from _of_environment(run)
    if started is not None:
        yield from _of_placement(started)
    yield from _of_files(run)
    yield ("method", "Groma"), run.meta.groma
    yield ("method", "order of points"), run.meta.plan.order
    yield ("method", "launches"), str(len({launch.number for launch in run.launches if launch.start}))
    yield ("method", "interval between rounds"), f"{run.meta.every_s:g} s" if run.meta.every_s else ""
    yield ("time", "measured"), run.meta.created


def _of_machine(launch: Launch) -> Iterator[_Fact]:
    nodes = launch.nodes.nodes if launch.nodes else []
    yield ("machine", "hosts"), str(len(nodes) or "")
    for name, title in (
        ("cpu_model", "CPU"),
        ("cpus", "CPUs"),
        ("kernel", "kernel"),
        ("governor", "frequency governor"),
        ("smt", "hardware threads share cores"),
        ("clock_source", "clock source"),
    ):
        values = dict.fromkeys(str(getattr(node, name)) for node in nodes)
        yield ("machine", title), ", ".join(values)
    quotas = dict.fromkeys("none" if node.cpu_quota is None else cpus(node.cpu_quota) for node in nodes)
    yield ("machine", "CPU quota"), ", ".join(quotas)


def _of_library(launch: Launch) -> Iterator[_Fact]:
    start = launch.start
    if start is None:
        return
    yield ("library", "MPI library"), f"{start.library.name} {start.library.version}".strip()
    yield ("library", "standard ABI"), "" if launch.is_imported else "yes" if start.abi else "no"
    yield ("library", "launcher"), start.launcher
    yield ("library", "thread level"), start.thread_level.provided if start.thread_level else ""
    yield ("library", "engine"), start.engine
    yield ("library", "compiler"), start.compiler


def _of_files(run: Run) -> Iterator[_Fact]:
    """Return path, checksum and version of the engine's file, of the MPI library's, and of all others, by their names.

    They are those of the first launch, as the run's check of builds compares launches.
    """
    launch = next((launch for launch in run.launches if launch.meta is not None and launch.meta.build), None)
    build = (launch.meta.build if launch and launch.meta else None) or Build()
    start = launch.start if launch else None
    engine, library = (start.engine, start.library.version) if start else ("", "")
    own = launch.meta.library if launch and launch.meta else None
    yield ("library", "engine's file"), _file((own or run.meta.library).engine_path, build.engine, engine)
    if build.library:
        yield ("library", "MPI library's file"), _file(build.library_path, build.library, library)
    for path, digest in (build.loaded or {}).items():
        yield ("library", f"{_FILE}{PurePath(path).name}"), _file(path, digest)


def _file(path: str, *what: str) -> str:
    """Return `PATH (checksum, version)`, without what is not known."""
    known = ", ".join(filter(None, what))
    return f"{path} ({known})" if known else path


def _of_environment(run: Run) -> Iterator[_Fact]:
    """Return the variables that were set for the launches, if all launches agree."""
    environments = [launch.meta.environment for launch in run.launches if launch.meta is not None]
    for name in dict.fromkeys(name for variables in environments for name in variables):
        values = dict.fromkeys(variables.get(name, "not set") for variables in environments)
        yield ("environment", name), ", ".join(values)


def _of_placement(launch: Launch) -> Iterator[_Fact]:
    """Return the hosts and CPUs of the ranks; of many ranks, the first."""
    if launch.nodes is None:
        return
    places = [f"{place.node}:{place.allowed_cpus}" for place in launch.nodes.ranks[:8]]
    more = ", ..." if len(launch.nodes.ranks) > len(places) else ""
    yield ("placement", "host:CPUs of the ranks"), ", ".join(places) + more
    yield ("placement", "more ranks than CPUs"), "yes" if launch.start and launch.start.oversubscribed else "no"
