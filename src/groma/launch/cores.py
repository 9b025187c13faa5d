"""The processor cores this process may use; the launcher's ranks get no more than these."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cores:
    """Allowed logical processors and the physical cores they belong to."""

    cpus: int
    cores: int


def allowed_cores(root: Path = Path("/"), cpus: set[int] | None = None) -> Cores:
    """Return the allowed processors of this host; without topology in /sys every processor counts as a core."""
    allowed = os.sched_getaffinity(0) if cpus is None else cpus
    cores = set()
    for cpu in allowed:
        topology = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        try:
            cores.add((topology / "thread_siblings_list").read_text().strip())
        except OSError:
            cores.add(str(cpu))
    return Cores(cpus=len(allowed), cores=len(cores))
