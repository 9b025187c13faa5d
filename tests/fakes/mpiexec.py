#!/usr/bin/env python3
"""A launcher that starts one process, which speaks for all ranks; it ends it when it is told to end.

FAKE_MPIEXEC=singletons makes it a launcher of another library: the process believes that it is alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys


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
    with subprocess.Popen(words, env=os.environ | {"FAKE_RANKS": ranks} | told) as child:
        signal.signal(signal.SIGTERM, lambda _number, _frame: child.kill())
        code = child.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
