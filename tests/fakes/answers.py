"""The fake engine and launcher without a start of Python each time, which takes most of their time."""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_FOLDER = Path(__file__).parent
_MPIEXEC = str(_FOLDER / "mpiexec.py")
_QUESTIONS = {"--check", "--describe", "--version"}
_PR_SET_CHILD_SUBREAPER = 36
_run, _Popen = subprocess.run, subprocess.Popen
_said: dict[tuple[object, ...], subprocess.CompletedProcess[Any]] = {}


def run(command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[Any]:  # noqa: ANN401 - as there
    """Do as subprocess.run, but ask a fake program of this folder the same question only once."""
    environment: Mapping[str, str] = options.get("env") or os.environ
    is_fake = len(command) > 1 and Path(command[0]).parent == _FOLDER
    if not is_fake or command[1] not in _QUESTIONS or "FAKE_DESCRIBE" in environment:  # a file that tests change
        return _run(command, **options)
    told = tuple(sorted(item for item in environment.items() if item[0].startswith("FAKE_")))
    how = tuple(sorted((name, repr(value)) for name, value in options.items() if name != "env"))
    key = (*map(str, command), told, how)
    if key not in _said:
        _said[key] = _run(command, **options)
    return _said[key]


def popen(command: Sequence[str], **options: Any) -> subprocess.Popen[Any] | Launcher:  # noqa: ANN401 - as there
    """Do as subprocess.Popen, but have the fake launcher of a front end made by tests/fakes/maker.py."""
    if command[0] == _MPIEXEC and options.get("start_new_session"):
        return Launcher(command, options["env"], options["stdout"])
    return _Popen(command, **options)


class Launcher:
    """A fake launcher, as far as a front end needs its process."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], output: IO[bytes]) -> None:
        """Start it, in a session of its own, with both outputs going to a file."""
        request = {
            "words": list(words),
            "environment": dict(environment),
            "folder": str(Path.cwd()),
            "parent": os.getpid(),
        }
        asked = maker()
        socket.send_fds(asked, [json.dumps(request).encode()], [output.fileno()])
        self.pid = int(asked.recv(32))
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return its exit code, below zero if a signal ended it, None while it runs."""
        return self._waited(os.WNOHANG)

    def wait(self) -> int | None:
        """Return its exit code as soon as it ends."""
        return self._waited(0)

    def _waited(self, how: int) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, how)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code


@functools.cache
def maker() -> socket.socket:
    """Start the maker, which ends when its socket is closed; before any launch, which ends what else it finds."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    own, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    words = [sys.executable, "-S", "-E", str(_FOLDER / "maker.py"), str(its.fileno())]
    process = _Popen(words, pass_fds=[its.fileno()], start_new_session=True)
    its.close()

    def end() -> None:
        own.close()
        process.wait()

    atexit.register(end)
    return own
