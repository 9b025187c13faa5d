"""File systems of made machines: /sys with the cores, caches, NUMA nodes and sockets of each CPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """A number of cores in equal parts: sockets of NUMA nodes of last-level caches, each core with a number of threads.

    The threads of core c are CPU c, c + cores, c + 2 cores, as Linux numbers them on x86. With `cache_of_socket` all
    cores of a socket share one cache, whatever their NUMA nodes. `silent` are files that this kernel does not have.
    """

    cores: int
    sockets: int = 1
    numa_nodes: int = 1
    caches: int = 1
    threads: int = 1
    cache_of_socket: bool = False
    silent: tuple[str, ...] = ()


def cpu_tree(root: Path, machine: Machine) -> Path:
    """Write the files of the machine below `root`, and return it."""
    cpus = range(machine.cores * machine.threads)

    def part(count: int) -> Callable[[int], int]:
        return lambda cpu: cpu % machine.cores * count // machine.cores

    numa, socket = part(machine.numa_nodes), part(machine.sockets)
    cache = socket if machine.cache_of_socket else part(machine.caches)
    threads, sharing, of_node = (_groups(cpus, group) for group in (lambda cpu: cpu % machine.cores, cache, numa))
    system = root / "sys/devices/system"
    files = {f"cpu/cpu{cpu}/topology/thread_siblings_list": threads[cpu] for cpu in cpus}
    files |= {f"cpu/cpu{cpu}/topology/physical_package_id": str(socket(cpu)) for cpu in cpus}
    for cpu in cpus:
        levels = ((0, 1, "Data", str(cpu)), (1, 1, "Instruction", str(cpu)), (2, 3, "Unified", sharing[cpu]))
        for index, level, kind, shared in levels:
            cache_files = {"level": str(level), "type": kind, "shared_cpu_list": shared}
            files |= {f"cpu/cpu{cpu}/cache/index{index}/{name}": text for name, text in cache_files.items()}
    files |= {f"node/node{numa(cpu)}/cpulist": of_node[cpu] for cpu in cpus}
    files["cpu/online"] = f"0-{len(cpus) - 1}"
    for name, text in files.items():
        if not any(word in name for word in machine.silent):
            (system / name).parent.mkdir(parents=True, exist_ok=True)
            (system / name).write_text(f"{text}\n")
    return root


def _groups(cpus: Iterable[int], group: Callable[[int], Hashable]) -> dict[int, str]:
    """Return for every CPU the list of those in its group."""
    members = defaultdict(list)
    for cpu in cpus:
        members[group(cpu)].append(str(cpu))
    return {cpu: ",".join(members[group(cpu)]) for cpu in cpus}
