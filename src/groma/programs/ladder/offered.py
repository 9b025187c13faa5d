"""The steps of this machine and its hosts, as variants of the run."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from groma.launch.nodelist import expand
from groma.machine.facts import CpuPlace, cpu_places
from groma.plan import Variant
from groma.plan.hosts import Hosts, labels_apart, same_host
from groma.plan.variants import Offered
from groma.programs.ladder.steps import CACHE, CORE, FARTHEST, NEXT, NODE, NUMA_NODE, SAMPLED, SOCKET, WITHIN, step_of
from groma.text.counts import counted

MOST_SAMPLED = 4
_QUESTION_S = 10.0
_SWITCH = re.compile(r"^SwitchName=\S+ Level=(\d+) .*?\bNodes=(\S+)", re.MULTILINE)
Pair = tuple[int, int]
_Texts = dict[str, str]


def offered(hosts: Hosts, root: Path = Path("/"), allowed: AbstractSet[int] | None = None) -> Offered:
    """Return the steps on these hosts, or on this one alone.

    Steps within a node are those of this host, and only if it is one of the hosts. `root` is where its file system
    starts, and `allowed` the CPUs that this process may use.
    """
    names = [host.name for host in hosts.hosts]
    here = _here(names)
    variants, lacking = [], {}
    if names and here is None:
        listed = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        reason = f"Groma runs on {socket.gethostname()}, which is not among the hosts {listed}; start it on one of them"
        lacking = dict.fromkeys(WITHIN, reason)
    else:
        places, usable = cpu_places(root), os.sched_getaffinity(0) if allowed is None else allowed
        pairs = pairs_of_steps(places, usable)
        own = f"{here}:2" if len(names) > 1 else ""
        variants = [Variant(step, placement=f"{a}+{b}", hosts=own) for step, (a, b) in pairs.items()]
        lacking = {step: reason_lacking(step, places, usable) for step in WITHIN if step not in pairs}
    first = here or (names[0] if names else "")
    remote, why = remote_steps(first, names or [first], switch_levels(first, names) if hosts.of_job else None)
    for name, other in remote.items():
        ordered = sorted((first, other), key=names.index)  # schedulers give ranks to hosts in their own order
        variants.append(Variant(name, hosts=",".join(f"{host}:1" for host in ordered)))
    lacking |= why
    return Offered(tuple(variants), lacking)


def _here(names: Sequence[str]) -> str | None:
    """Return the name among these that this host has, with or without its domain; an empty one if there are none."""
    own, labels = socket.gethostname(), labels_apart(names)
    here = (name for name in names if name == "localhost" or same_host(name, own, labels))
    return next(here, None if names else "")


def remote_steps(first: str, names: Sequence[str], levels: Mapping[str, int] | None) -> tuple[_Texts, _Texts]:
    """Return the hosts of the steps from `first` to others of `names`, by variant, and why steps are lacking.

    `levels` has for every host how high its nearest common switch with the first is; None: not known.
    """
    at = names.index(first)
    others = [*names[at + 1 :], *names[:at]]
    if not others:
        reason = "the ranks have one host; name several with --hosts, or start Groma in a job of several nodes"
        return {}, dict.fromkeys((NEXT, FARTHEST), reason)
    if len(others) == 1:
        return {NEXT: others[0]}, {FARTHEST: "there are two hosts: the next one is the farthest, too"}
    if levels is None:
        step = max(1, (len(others) - 1) // MOST_SAMPLED)
        sampled = others[:0:-step][:MOST_SAMPLED]
        return {NEXT: others[0], **{f"{SAMPLED}{name}": name for name in sampled}}, {}
    nearest, farthest = (choose(others, key=lambda name: levels[name]) for choose in (min, max))
    if levels[nearest] == levels[farthest]:
        reason = f"all {counted(len(others), 'other host')} are as many switches away as the next one"
        return {NEXT: nearest}, {FARTHEST: reason}
    return {NEXT: nearest, FARTHEST: farthest}, {}


def switch_levels(first: str, names: Sequence[str]) -> dict[str, int] | None:
    """Ask Slurm how high the lowest switch is that has the first host and each of the others; None if it is silent.

    With topology/tree it lists its switches, each with all nodes below it and its level. Hosts without a common switch
    are beyond the highest one.
    """
    try:
        answer = subprocess.run(
            ["scontrol", "show", "topology"], capture_output=True, text=True, timeout=_QUESTION_S, check=True
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    switches = [(int(level), set(expand(listed))) for level, listed in _SWITCH.findall(answer.stdout)]
    beyond = max((level for level, _ in switches), default=0) + 1
    if not any(first in below for _, below in switches):
        return None
    return {name: min((level for level, below in switches if {first, name} <= below), default=beyond) for name in names}


def pairs_of_steps(places: Sequence[CpuPlace], allowed: Collection[int]) -> dict[str, Pair]:
    """Return two CPUs for every step that there is among those allowed, the nearest step first, the lower CPU first.

    One CPU is in all pairs: of those with the most steps the lowest. Its partner is the lowest one, too.
    """
    usable = [place for place in places if place.cpu in allowed]
    by_base = [_partners(base, usable) for base in usable]
    return max(by_base, key=len, default={})  # the first of several


def _partners(base: CpuPlace, usable: Sequence[CpuPlace]) -> dict[str, Pair]:
    first: dict[str, Pair] = {}
    for other in usable:
        if other is not base:
            first.setdefault(step_of(base, other), (min(base.cpu, other.cpu), max(base.cpu, other.cpu)))
    return {step: first[step] for step in WITHIN if step in first}


def reason_lacking(step: str, places: Sequence[CpuPlace], allowed: Collection[int]) -> str:
    """Say why two of the allowed CPUs do not stand for a step."""
    if step in pairs_of_steps(places, {place.cpu for place in places}):
        count = len([place for place in places if place.cpu in allowed])
        return f"this process may use {count} of {len(places)} CPUs, of which no two are so placed"
    return _why_none(step, places)


def _why_none(step: str, places: Sequence[CpuPlace]) -> str:
    """Say why no two CPUs of this machine stand for a step."""
    numa_nodes = {place.numa_node for place in places}
    if step == NUMA_NODE:
        cores = {(place.numa_node, place.cpu if place.core is None else place.core) for place in places}
        if len(cores) == len(numa_nodes):
            return "every NUMA node of this machine has one core"
        return "all cores of a NUMA node share one last-level cache on this machine"
    if step == SOCKET and len(numa_nodes) == 1:
        return "this machine has one NUMA node"
    part, silent, otherwise = _REASONS[step]
    return f"the kernel does not say {silent}" if any(getattr(place, part) is None for place in places) else otherwise


# What a reason rests on, what the kernel does not say if that is unknown, and the reason.
_REASONS = {
    CORE: ("core", "which CPUs are threads of one core", "every core of this machine runs one hardware thread"),
    CACHE: (
        *("cache", "which CPUs share a cache"),
        "no two cores of a NUMA node share a last-level cache on this machine",
    ),
    SOCKET: ("socket", "which CPUs are on one socket", "every socket of this machine has one NUMA node"),
    NODE: ("socket", "which CPUs are on one socket", "this machine has one socket"),
}
