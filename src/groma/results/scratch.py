"""Temporary folders that go when the program ends, also if a signal ends it."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
import threading
from pathlib import Path
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_folders: list[Path] = []


def temporary_folder(prefix: str) -> Path:
    """Make a folder for this process alone, which goes when the process ends."""
    if not _folders:
        atexit.register(_remove)
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)
    _folders.append(Path(tempfile.mkdtemp(prefix=prefix)))
    return _folders[-1]


def _remove() -> None:
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)


def _end(number: int, _frame: FrameType | None) -> None:
    """Remove the folders, and end by the same signal."""
    _remove()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
