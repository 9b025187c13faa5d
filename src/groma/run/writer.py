"""Who writes a run directory, and when."""

from __future__ import annotations

import datetime as dt
import os
import socket
from pathlib import Path

from groma.results.documents import Owner, RunDocument


def now_iso() -> str:
    """Return the local time with its offset, to the second."""
    return dt.datetime.now().astimezone().isoformat(timespec="seconds")


def this_process() -> Owner:
    """Return the identity of the calling process."""
    pid = os.getpid()
    return Owner(pid=pid, start_ticks=_start_ticks(pid) or 0, boot=_boot())


def owner_is_alive(document: RunDocument) -> bool | None:
    """Return whether the front end that writes this run still lives; None if this host cannot know."""
    owner = document.owner
    if document.state != "running" or owner is None:
        return False
    if document.host != socket.gethostname():
        return None
    return owner.boot == _boot() and owner.start_ticks == _start_ticks(owner.pid)


def _start_ticks(pid: int) -> int | None:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return None
    return int(after_name.split()[19])  # field 22 of proc(5), counted from the state, field 3


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
