"""Which core, last-level cache, NUMA node and socket each CPU of this host belongs to, as the kernel says."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from groma.machine.facts import text_of
from groma.results.bounds import cpu_list

_LIST = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?)*")


@dataclass(frozen=True)
class CpuPlace:
    """Where one CPU is: core and cache named by the lowest of their CPUs; None if the kernel does not say."""

    cpu: int
    numa_node: int
    core: int | None
    cache: int | None
    socket: int | None


def cpu_places(root: Path = Path("/")) -> list[CpuPlace]:
    """Return the place of every CPU that is online on the host whose file system starts at `root`, ascending.

    If the kernel lists no CPUs, these are the ones that this process may use. Its `nodeN/cpulist`, `cpuN/topology`
    and `cpuN/cache` are described in Documentation/ABI of Linux.
    """
    system = root / "sys/devices/system"
    numa_nodes = {
        cpu: int(folder.name.removeprefix("node"))
        for folder in sorted((system / "node").glob("node[0-9]*"))
        for cpu in _cpus(folder / "cpulist")
    }
    online = _cpus(system / "cpu/online") or sorted(os.sched_getaffinity(0))
    return [_place(system / f"cpu/cpu{cpu}", cpu, numa_nodes.get(cpu, 0)) for cpu in online]


def _place(folder: Path, cpu: int, numa_node: int) -> CpuPlace:
    core = _cpus(folder / "topology/thread_siblings_list")
    number = text_of(folder / "topology/physical_package_id")  # -1 on some virtual machines
    cache = _last_level(folder / "cache")
    return CpuPlace(
        cpu, numa_node, min(core, default=None), min(cache, default=None), int(number) if number.isdecimal() else None
    )


def _last_level(caches: Path) -> list[int]:
    """Return the CPUs that share the cache of the highest level that holds data."""
    levels = {
        int(level): index
        for index in sorted(caches.glob("index[0-9]*"))
        if (level := text_of(index / "level")).isdecimal() and text_of(index / "type") != "Instruction"
    }
    return _cpus(levels[max(levels)] / "shared_cpu_list") if levels else []


def _cpus(file: Path) -> list[int]:
    text = text_of(file)
    return cpu_list(text) if _LIST.fullmatch(text) else []
