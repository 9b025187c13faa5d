"""Two CPUs of this host for every step within a node, and why there are none for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.programs.ladder.steps import CACHE, CORE, NODE, NUMA_NODE, SOCKET, WITHIN, step_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from groma.machine.topology import CpuPlace

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
    return _REASONS[step](places)


def _no_threads(places: Sequence[CpuPlace]) -> str:
    if any(place.core is None for place in places):
        return "the kernel does not say which CPUs are threads of one core"
    return "every core of this machine runs one hardware thread"


def _no_shared_cache(places: Sequence[CpuPlace]) -> str:
    silent = any(place.cache is None for place in places)
    shared = "no two cores of a NUMA node share a last-level cache on this machine"
    return "the kernel does not say which CPUs share a cache" if silent else shared


def _no_second_cache(places: Sequence[CpuPlace]) -> str:
    cores = {(place.numa_node, place.cpu if place.core is None else place.core) for place in places}
    if len(cores) == len({place.numa_node for place in places}):
        return "every NUMA node of this machine has one core"
    return "all cores of a NUMA node share one last-level cache on this machine"


def _no_second_numa_node(places: Sequence[CpuPlace]) -> str:
    if len({place.numa_node for place in places}) == 1:
        return "this machine has one NUMA node"
    return _of_sockets(places, "every socket of this machine has one NUMA node")


def _no_second_socket(places: Sequence[CpuPlace]) -> str:
    return _of_sockets(places, "this machine has one socket")


def _of_sockets(places: Sequence[CpuPlace], reason: str) -> str:
    """Return the reason, which rests on what the kernel says of sockets."""
    unknown = any(place.socket is None for place in places)
    return "the kernel does not say which CPUs are on one socket" if unknown else reason


_REASONS = {
    CORE: _no_threads,
    CACHE: _no_shared_cache,
    NUMA_NODE: _no_second_cache,
    SOCKET: _no_second_numa_node,
    NODE: _no_second_socket,
}
