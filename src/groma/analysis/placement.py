"""Where the ranks of launches were, and whether each had CPUs of its own."""

from __future__ import annotations

from groma.results import Launch
from groma.results.bounds import cpu_list
from groma.results.documents import Nodes
from groma.text.checks import Check
from groma.text.counts import counted


def kept_apart(nodes: Nodes) -> bool:
    """Return whether no CPU is allowed to two ranks of one host."""
    used: set[tuple[int, int]] = set()
    for place in nodes.ranks:
        allowed = {(place.node, cpu) for cpu in cpu_list(place.allowed_cpus)}
        if not allowed or used & allowed:
            return False
        used |= allowed
    return True


def placement(started: list[Launch]) -> Check:
    """Return the check of where the ranks of launches were."""
    recorded = [launch.nodes for launch in started if launch.nodes is not None]
    if not recorded:
        return Check("placement", "unknown", "No launch recorded where its ranks were.")
    elsewhere = [launch for launch in started if launch.meta and launch.meta.misplaced]
    if elsewhere and elsewhere[0].meta:
        text = f"Launch {elsewhere[0].number}: {elsewhere[0].meta.misplaced} (in {counted(len(elsewhere), 'launch')})."
        return Check("placement", "warn", text)
    largest = max(recorded, key=lambda nodes: (len(nodes.ranks), len(nodes.nodes)))
    hosts = "one host" if len(largest.nodes) == 1 else f"{len(largest.nodes)} hosts"
    if _on_more_hosts(started):
        return Check("placement", "warn", "The ranks were on more hosts in some launches than in others.")
    if _on_other_hosts(started):
        return Check("placement", "warn", "The ranks were not on the same hosts in all launches.")
    moving = next((nodes for nodes in recorded if not kept_apart(nodes)), None)
    if moving is None:
        return Check("placement", "good", f"All ranks on {hosts}, each bound to CPUs of its own.")
    masks = sorted({place.allowed_cpus for place in moving.ranks})
    return Check(
        "placement", "warn", f"All ranks on {hosts}, free to move between shared CPUs ({', '.join(masks[:3])})."
    )


def _on_more_hosts(started: list[Launch]) -> bool:
    """Return whether, of the launches of one variant with the most ranks, some were on more hosts than others."""
    most = max(len(launch.nodes.ranks) for launch in started if launch.nodes)
    counts = {
        (launch.variant, len(launch.nodes.nodes))
        for launch in started
        if launch.nodes and len(launch.nodes.ranks) == most
    }
    return len(counts) > len({variant for variant, _ in counts})


def _on_other_hosts(started: list[Launch]) -> bool:
    """Return whether launches of one rank count and variant were on different hosts, as in two jobs of a scheduler."""
    names: dict[tuple[int | None, str | None], set[str]] = {}
    for launch in started:
        if launch.nodes is not None:
            now = {node.name for node in launch.nodes.nodes}
            if names.setdefault((launch.ranks, launch.variant), now) != now:
                return True
    return False
