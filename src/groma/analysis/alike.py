"""Are all hosts of a run the same hardware? If so they count as one machine in comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from groma.results import Launch, Run
from groma.results.documents import Node
from groma.text.checks import Check
from groma.text.counts import counted, first_names
from groma.text.sizes import format_size

# The memory of equal hosts differs a little: the firmware keeps some.
_MEMORY_SHARE = 1.05
_NAMED = 3
_Facts = dict[str, dict[str, str]]  # by name of a fact, then by host


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
