"""Facts about this host, read from /proc and /sys; a missing file is a fact too."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from groma.launch.cores import Cores, allowed_cores

WATCH_S = 0.5


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
