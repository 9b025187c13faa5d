"""Whether the ranks of a launch were where its command should have put them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from groma.errors import UNDECODABLE, RunError
from groma.launch.families.base import Expected
from groma.plan.hosts import labels_apart, same_host
from groma.results.bounds import cpu_list
from groma.results.documents import Nodes


def misplaced(expected: Expected, file: Path) -> str:
    """Compare nodes.json with what was expected; return the first difference as a sentence, or an empty text."""
    if not expected.hosts and not expected.cpus:
        return ""
    try:
        nodes = msgspec.json.decode(file.read_bytes(), type=Nodes)
    except FileNotFoundError:
        return ""
    except (OSError, *UNDECODABLE) as error:
        raise RunError(f"{file} cannot be read ({error}); measure again") from None
    return _of_hosts(expected, nodes) or _of_cpus(expected, nodes)


def _of_hosts(expected: Expected, nodes: Nodes) -> str:
    """Compare hosts by name, where names can be compared, and which ranks share one in any case."""
    if not expected.hosts or len(expected.hosts) != len(nodes.ranks):
        return ""
    actual_names = [nodes.nodes[place.node].name for place in nodes.ranks]
    labels = labels_apart(expected.hosts)
    for rank, (asked_host, actual_host) in enumerate(zip(expected.hosts, actual_names, strict=True)):
        if not same_host(asked_host, actual_host, labels) and _by_name(expected, actual_names):
            return f"rank {rank} was on {actual_host}, not on {asked_host} {expected.as_whom}"
    first_rank: dict[str, int] = {}
    for rank, place in enumerate(nodes.ranks):
        first_of_host = first_rank.setdefault(expected.hosts[rank], rank)
        if place.node != nodes.ranks[first_of_host].node:
            both = f"ranks {first_of_host} and {rank} were on two hosts"
            return f"{both}, not both on {expected.hosts[rank]} {expected.as_whom}"
    if len({place.node for place in nodes.ranks}) < len(first_rank):
        said = "the job has tasks on {} hosts" if expected.of_job else "{} hosts were asked for"
        shared = f"{said.format(len(first_rank))} ({', '.join(first_rank)})"
        return (
            f"all {len(nodes.ranks)} ranks were on {len({place.node for place in nodes.ranks})} of them, and {shared}"
        )
    return ""


def _by_name(expected: Expected, actual_names: list[str]) -> bool:
    """Return whether names of hosts can be compared: no addresses, and not only aliases."""
    names = set(expected.hosts)
    if any(name.replace(".", "").isdigit() or name == "localhost" for name in names):
        return False
    return not expected.aliases or any(same_host(name, actual) for name in names for actual in actual_names)


def _of_cpus(expected: Expected, nodes: Nodes) -> str:
    for place, cpu in zip(nodes.ranks, expected.cpus, strict=False):
        if cpu_list(place.allowed_cpus) != [int(cpu)]:
            allowed = place.allowed_cpus or "CPUs that were not recorded"
            return f"rank {place.rank} was allowed on {allowed}, not on CPU {cpu} as asked"
    return ""
