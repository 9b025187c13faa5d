#!/usr/bin/env -S python3 -S -E
"""A launcher that starts one process, which speaks for all ranks; it ends it when it is told to end.

The fake engine is a copy of this process, which spares the start of another Python. Tests start this thousands of
times, so it imports little.

FAKE_MPIEXEC=singletons makes it a launcher of another library: the process believes that it is alone.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import sys

ENGINE = "engine.py"


def main() -> int:
    """Start the program after `-n RANKS` and any of MPICH's placement options."""
    if sys.argv[1:] == ["--version"]:
        print("HYDRA build details:\n    Version:                                 5.0.2")
        return 0
    words = sys.argv[1:]
    ranks, told = "1", {}
    while words and words[0].startswith("-"):
        option, value, words = words[0], words[1], words[2:]
        if option == "-genv":
            words = words[1:]
        ranks = value if option == "-n" else ranks
        if option == "-hosts":
            told["FAKE_HOSTS"] = value
        if option == "-bind-to" and value.startswith("user:"):
            told["FAKE_CPUS"] = value.removeprefix("user:")
    ranks = "1" if os.environ.get("FAKE_MPIEXEC") == "singletons" else ranks
    os.environ.update({"FAKE_RANKS": ranks} | told)
    child = os.fork()
    if child == 0:
        _become(words)
    _signal.signal(_signal.SIGTERM, lambda _number, _frame: os.kill(child, _signal.SIGKILL))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _become(words: list[str]) -> None:
    """Be the program that these words start; does not return."""
    folder, _, name = words[0].rpartition("/")
    code = 1
    try:
        if name != ENGINE:
            os.execvp(words[0], words)  # noqa: S606 - as any launcher does
        sys.argv, sys.path[0] = words, folder
        code = __import__("engine").main()
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - nothing of it may reach the launcher's own code
        sys.excepthook(type(error), error, error.__traceback__)
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
