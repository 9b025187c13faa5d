"""Launchers that say whose they are, note their words, and start the fake engine once for all ranks."""

from __future__ import annotations

from pathlib import Path

from fakes import ENGINE
from fakes.libraries import program

# What each prints for --version, as its manual or its users show it.
VERSIONS = {
    "flux": "commands:    \t\t0.61.2\nlibflux-core:\t\t0.61.2\nbuild-options:\t\t+systemd+hwloc==2.9.0+zmq==4.3.4\n",
    "mpiexec": "PALS mpiexec version 1.2.12\n",
    "aprun": "aprun (ALPS) 5.2.4-2.0502.9774.31.11.ari\n",
    "jsrun": "jsrun version 10.3.1.02\n",
    "srun": "slurm 22.05.8\n",
}

_PROGRAM = """#!/bin/sh
if [ "$*" = --version ]; then cat <<'SAYS'
{says}SAYS
exit; fi
if [ "$*" = --mpi=list ]; then printf 'MPI plugin types are...\\n'; printf '\\t%s\\n' {offers}; exit; fi
for word in "$@"; do printf '%s\\n' "$word"; done > {log}
ranks={ranks}
while [ "$1" != {engine} ] && [ "$1" != /bin/sh ]; do shift; done
FAKE_RANKS=$ranks exec "$@"
"""


def recording(path: Path, log: Path, ranks: int = 2, says: str | None = None, offers: str = "none pmi2 pmix") -> Path:
    """Make a launcher of a known name that writes its words to `log`, one in each line, and starts the engine.

    `offers` are the interfaces that it lists if it is srun.
    """
    text = VERSIONS[path.name] if says is None else says
    return program(path, _PROGRAM.format(says=text, log=log, ranks=ranks, engine=ENGINE, offers=offers))
