"""Facts about this host and the place of each of its CPUs, read from /proc and /sys; a missing file is a fact too."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from groma.launch.cores import Cores, allowed_cores
from groma.results.bounds import cpu_list

WATCH_S = 0.5
_LIST = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?)*")


@dataclass(frozen=True)
class Facts:
    """One host. Empty text and None mean that the kernel does not say."""

    cores: Cores
    smt: bool | None
    governors: tuple[str, ...]
    clock_source: str
    virtual_machine: bool
    cpu_quota: float | None
    busy_cores: float | None
    available_bytes: int | None
    shared_memory_bytes: int | None


def read_facts(root: Path = Path("/"), cpus: set[int] | None = None, watch_s: float = WATCH_S) -> Facts:
    """Return the facts of the host whose file system starts at `root`.

    `cpus` stands for the processors allowed to this process; for `watch_s` seconds they are watched for other work.
    """
    cpuinfo = text_of(root / "proc/cpuinfo")
    system = root / "sys/devices/system"
    smt = text_of(system / "cpu/smt/active")
    return Facts(
        cores=allowed_cores(root, cpus),
        smt=smt == "1" if smt else None,
        governors=tuple(
            sorted({text_of(path) for path in (system / "cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")})
        ),
        clock_source=text_of(system / "clocksource/clocksource0/current_clocksource"),
        virtual_machine=bool(re.search(r"^flags\s*:.*\bhypervisor\b", cpuinfo, re.MULTILINE)),
        cpu_quota=_cpu_quota(root),
        busy_cores=_busy_cores(root, os.sched_getaffinity(0) if cpus is None else cpus, watch_s),
        available_bytes=_available_bytes(root),
        shared_memory_bytes=_shared_memory_bytes(root),
    )


def text_of(path: Path) -> str:
    """Return what a file of the kernel says, without space around it; empty if it is not there."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _busy_cores(root: Path, cpus: set[int], watch_s: float) -> float | None:
    """Return the CPU time used on these CPUs over the time watched, in cores, while this process sleeps."""
    if watch_s <= 0:
        return None
    before = _processor_times(root, cpus)
    time.sleep(watch_s)
    after = _processor_times(root, cpus)
    ticks = sum(after) - sum(before)
    return len(cpus) * (1 - (after[1] - before[1]) / ticks) if ticks > 0 else None


def _processor_times(root: Path, cpus: set[int]) -> tuple[int, int]:
    """Ticks spent (working, idle) on the given processors since boot; see proc(5)."""
    working = idle = 0
    for line in text_of(root / "proc/stat").splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name[3:].isdecimal() and int(name[3:]) in cpus:
            user, nice, system, resting, waiting, *interrupts = map(int, words[:8])
            working += user + nice + system + sum(interrupts)
            idle += resting + waiting
    return working, idle


def _cpu_quota(root: Path) -> float | None:
    """Processors' worth of time per period that the control group grants, None without a limit."""
    limit, _, period = text_of(root / "sys/fs/cgroup/cpu.max").partition(" ")
    if limit.isdecimal() and period.isdecimal():
        return int(limit) / int(period)
    older = root / "sys/fs/cgroup/cpu"
    limit, period = text_of(older / "cpu.cfs_quota_us"), text_of(older / "cpu.cfs_period_us")
    return int(limit) / int(period) if limit.isdecimal() and period.isdecimal() else None


def _available_bytes(root: Path) -> int | None:
    match = re.search(r"^MemAvailable:\s*(\d+) kB", text_of(root / "proc/meminfo"), re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def _shared_memory_bytes(root: Path) -> int | None:
    """Free bytes of /dev/shm, through which ranks of one host exchange messages."""
    try:
        status = os.statvfs(root / "dev/shm")
    except OSError:
        return None
    return status.f_bavail * status.f_frsize


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
