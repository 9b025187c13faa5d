"""The checks of where launches ran: CPUs of their own, hosts of one kind, and one build of engine and library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from groma.results import Launch, Run
from groma.results.bounds import cpu_list
from groma.results.documents import Node, Nodes
from groma.results.spans import these_launches
from groma.text.checks import Check
from groma.text.counts import counted, first_names
from groma.text.sizes import format_size

# The memory of equal hosts differs a little: the firmware keeps some.
_MEMORY_SHARE = 1.05
_NAMED = 3
_Facts = dict[str, dict[str, str]]  # by name of a fact, then by host


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


def alike(run: Run, started: list[Launch]) -> list[Check]:
    """Say which hosts differ from the others, and in what; empty if all ranks were on one host."""
    nodes = {node.name: node for launch in started if launch.nodes for node in launch.nodes.nodes}
    if len(nodes) < 2:
        return []
    facts = _of_nodes(nodes) | _of_files(run, nodes)
    different = [_difference(fact, values) for fact, values in facts.items() if len(set(values.values())) > 1]
    if different:
        return [Check("hosts alike", "warn", f"Not all hosts have the same: {'; '.join(different)}.")]
    compared = ", ".join(facts)
    return [Check("hosts alike", "good", f"{counted(len(nodes), 'host')} with the same {compared}.")]


def _of_nodes(nodes: Mapping[str, Node]) -> _Facts:
    """Return the facts that the ranks found on their hosts."""
    memory = [node.memory_bytes for node in nodes.values()]
    facts = {
        "kernel": {name: node.kernel for name, node in nodes.items()},
        "CPU": {name: node.cpu_model for name, node in nodes.items()},
        "number of CPUs": {name: str(node.cpus) for name, node in nodes.items()},
        "governor": {name: node.governor for name, node in nodes.items()},
        "SMT": {name: "on" if node.smt else "off" for name, node in nodes.items()},
        "clock source": {name: node.clock_source for name, node in nodes.items()},
    }
    if max(memory) > _MEMORY_SHARE * min(memory):
        facts["memory"] = {name: format_size(node.memory_bytes) for name, node in nodes.items()}
    return facts


def _of_files(run: Run, nodes: Mapping[str, Node]) -> _Facts:
    """Return the engines and libraries of the hosts, by their checksums; empty if the hosts were not asked."""
    facts: _Facts = {}
    for files in run.meta.host_files:
        if files.name in nodes:
            facts.setdefault(f"engine {files.engine}", {})[files.name] = files.engine_sum
            library = f"{files.library} {files.library_sum}".strip()
            facts.setdefault(f"MPI library of {files.engine}", {})[files.name] = library
    return facts


def _difference(fact: str, values: Mapping[str, str]) -> str:
    """Return `governor: powersave on n3, performance on the others`."""
    usual = Counter(values.values()).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    for host, value in values.items():
        if value != usual:
            others.setdefault(value, []).append(host)
    parts = [f"{value or 'unknown'} on {first_names(hosts, _NAMED)}" for value, hosts in others.items()]
    return f"{fact}: {', '.join(parts)}, {usual or 'unknown'} on the others"


def builds(started: list[Launch]) -> list[Check]:
    """Name the launches that other builds measured than the first of their variant; empty if there are none."""
    first: dict[str | None, dict[str, str]] = {}
    others: dict[str, list[int]] = {}
    for launch in started:
        now = _files(launch)
        before = first.setdefault(launch.variant, now)
        for what in now.keys() & before.keys():
            if now[what] != before[what]:
                others.setdefault(what, []).append(launch.number)
        first[launch.variant] = now | before
    if not others:
        return []
    said = [f"another {what} measured {these_launches(numbers)}" for what, numbers in sorted(others.items())]
    text = f"Compared with earlier launches, {' and '.join(said)}: the figures mix builds."
    return [Check("builds", "warn", text)]


def _files(launch: Launch) -> dict[str, str]:
    """Return the known builds of a launch."""
    build, start = launch.meta.build if launch.meta else None, launch.start
    known = {
        "build of the engine": build.engine if build else "",
        "build of the MPI library": build.library if build else "",
        "version of the MPI library": f"{start.library.name} {start.library.version}" if start else "",
    }
    return {what: value for what, value in known.items() if value}
