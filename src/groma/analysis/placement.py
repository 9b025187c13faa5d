"""Whether each rank had CPUs of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.results.bounds import cpu_list

if TYPE_CHECKING:
    from groma.results.documents import Nodes


def kept_apart(nodes: Nodes) -> bool:
    """Tell whether no CPU is allowed to two ranks of one host."""
    used: set[tuple[int, int]] = set()
    for place in nodes.ranks:
        allowed = {(place.node, cpu) for cpu in cpu_list(place.allowed_cpus)}
        if not allowed or used & allowed:
            return False
        used |= allowed
    return True
