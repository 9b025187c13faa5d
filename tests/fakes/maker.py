"""Makes fake launchers by copies of itself, which spares a start of Python for every launch.

Each is a child of the tests' process, not of this one: the copy that makes it ends at once, and the tests' process
adopts the children of its descendants, as every front end does.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys

import mpiexec  # type: ignore[import-not-found]
from quick_json import loads  # type: ignore[import-not-found]

import engine  # noqa: F401 - the launcher's copy finds it there

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)
_LONGEST = 1 << 20


def main() -> None:
    """Answer each request, words and environment with one open file for what is printed, by a process id."""
    asked = socket.socket(fileno=int(sys.argv[1]))
    while True:
        text, files, _, _ = socket.recv_fds(asked, _LONGEST, 1)
        if not text:
            return
        answer, own = os.pipe()
        if (middle := os.fork()) == 0:
            between = os.getpid()
            if (launcher := os.fork()) == 0:
                _launch(loads(text.decode()), files[0], between)
            os.write(own, str(launcher).encode())
            os._exit(0)
        os.waitpid(middle, 0)
        asked.send(os.read(answer, 32))
        for number in (answer, own, *files):
            os.close(number)


def _launch(request: dict[str, object], output: int, between: int) -> None:
    """Be the launcher, in a session of its own, as soon as the process `between` has ended; does not return."""
    os.setsid()
    while os.getppid() == between:
        os.sched_yield()
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != request["parent"]:  # that one has ended, and nobody waits for a launcher
        os._exit(1)
    for number, place in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (output, 2)):
        os.dup2(number, place)
    os.closerange(3, 64)
    code = 1
    try:
        os.chdir(str(request["folder"]))
        os.environ.clear()
        os.environ.update(request["environment"])  # type: ignore[call-overload]
        sys.argv = request["words"]  # type: ignore[assignment]
        code = mpiexec.main()
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - as where a program ends
        sys.excepthook(type(error), error, error.__traceback__)
    os._exit(code)


if __name__ == "__main__":
    main()
