"""The machine of a page's figures, in words."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """Return `2 CPUs of MODEL` as the kernel names them, or the architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} CPUs of {names[0]}" if names else platform.machine()
