"""Two CPUs of this host for every step within a node, and why there are none for others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from groma.machine.topology import CpuPlace
from groma.programs.ladder.steps import CACHE, CORE, NODE, NUMA_NODE, SOCKET, WITHIN, step_of

Pair = tuple[int, int]


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
