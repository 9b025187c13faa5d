"""Whether each rank had CPUs of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def cpu_list(text: str) -> list[int]:
    """Return the CPUs of a kernel list such as `0-3,8`."""
    cpus: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus
