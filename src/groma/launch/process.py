"""Starting a launcher and waiting for it without using the cores that are being measured."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import time
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from groma.launch.command import LaunchCommand

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_GRACE_S = 5.0
_LIBC = ctypes.CDLL(None, use_errno=True)


class Interrupts:
    """While entered, Ctrl-C, SIGTERM and SIGHUP are noted instead of ending the front end at once.

    So are the signals by which schedulers announce the end of a job: SIGUSR1, SIGUSR2 and SIGXCPU. A signal, also that
    of a child that ended, wakes `wait` at once: nothing polls.
    """

    _NOTED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)

    def __init__(self) -> None:
        self.received: signal.Signals | None = None

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, self._note) for number in self._NOTED}
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            if handler is not None:  # a preloaded library's own, which Python cannot name
                signal.signal(number, handler)
        os.close(self._read)
        os.close(self._write)

    def wait(self, timeout_s: float) -> None:
        """Sleep until a signal arrives or the time is over."""
        select.select([self._read], [], [], max(0.0, timeout_s))
        try:
            while os.read(self._read, 512):
                pass
        except BlockingIOError:
            pass

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.received = signal.Signals(number)


class Process:
    """One running launcher, in a process group of its own, that cannot outlive the front end."""

    def __init__(self, command: LaunchCommand, output: Path) -> None:
        """Start it with everything it and the ranks print going to `output`; raises OSError if it cannot start."""
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self._others = _children()
        parent = os.getpid()

        def end_with_parent() -> None:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # the front end died before the line above
                os.kill(os.getpid(), signal.SIGTERM)

        with output.open("ab") as sink:
            self._child = subprocess.Popen(
                command.words,
                env=command.environment(),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509 - no threads here, and nothing else ends orphaned ranks
            )

    @property
    def exit_code(self) -> int | None:
        """Exit code of the launcher, 128 + n where signal n ended it, None while it runs."""
        code = self._child.poll()
        return code if code is None or code >= 0 else 128 - code

    def end(self, interrupts: Interrupts, grace_s: float = _GRACE_S) -> None:
        """Ask the launcher to end its ranks and itself; after the grace period make it."""
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + grace_s
        while self.exit_code is None and time.monotonic() < deadline:
            interrupts.wait(deadline - time.monotonic())
        if self.exit_code is None:
            self._signal(signal.SIGKILL)
            self._child.wait()

    def sweep(self) -> None:
        """End what the launcher left behind: orphaned ranks are handed to this process, which is their reaper."""
        self._signal(signal.SIGKILL)
        while orphans := _children() - self._others:
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, number)


def _children() -> set[int]:
    """Process ids of this process's children; empty if the kernel does not list them."""
    try:
        return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}
    except FileNotFoundError:
        return set()
