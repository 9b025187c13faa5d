"""The steps of the ladder, the nearest first, and which of them two CPUs of one host stand for.

Two CPUs stand for the nearest thing that they share: those of one socket that share no NUMA node are on the step "same
socket". Where the kernel does not say whether they share something, they do not. Where NUMA nodes cut through a cache,
as Intel's sub-NUMA clusters do, the NUMA node decides.
"""

from __future__ import annotations

from groma.machine.facts import CpuPlace
from groma.results.documents import RankPlace

CORE, CACHE, NUMA_NODE, SOCKET, NODE = "same-core", "same-cache", "same-numa-node", "same-socket", "same-node"
NEXT, FARTHEST = "next-node", "farthest-node"
SAMPLED = "sampled-"  # begins the name of a variant of which the slowest stands for the farthest node
WITHIN = (CORE, CACHE, NUMA_NODE, SOCKET, NODE)
TITLES = {
    CORE: "same core",
    CACHE: "same last-level cache",
    NUMA_NODE: "same NUMA node",
    SOCKET: "same socket",
    NODE: "same node",
    NEXT: "next node",
    FARTHEST: "farthest node",
}


Place = CpuPlace | RankPlace  # equal numbers mean the same thing on one host; None if the kernel does not say


def step_of(one: Place, other: Place) -> str:
    """Return the step that two CPUs of one host stand for."""
    if _same(one.core, other.core):
        return CORE
    one_socket = one.socket is None or other.socket is None or one.socket == other.socket
    if one.numa_node == other.numa_node and one_socket:
        return CACHE if _same(one.cache, other.cache) else NUMA_NODE
    return SOCKET if _same(one.socket, other.socket) else NODE


def step_of_variant(name: str) -> str:
    """Return the step that a variant of the run belongs to."""
    return FARTHEST if name.startswith(SAMPLED) else name


def _same(one: int | None, other: int | None) -> bool:
    return one is not None and one == other
