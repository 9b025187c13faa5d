"""`groma stand-ins`: programs with the names, options and texts of others, for what starts and reads those."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from groma.cli.standing import PARTIAL
from groma.errors import InputError, OutputError
from groma.launch.command import Setup, find_setup
from groma.launch.engine import find_engine
from groma.plan.variants import Variant
from groma.text.console import out, path_line

# The innermost launcher first, as the engine reads them; a process that no launcher started is rank 0.
_RANKS = (
    *("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PALS_RANKID", "MV2_COMM_WORLD_RANK", "MPI_RANKID", "PMIX_RANK"),
    "SLURM_PROCID",
)
_LIBRARIES = "LD_LIBRARY_PATH"
_SCRIPT = """\
#!/bin/sh
# {name}, as Groma measures it (groma stand-ins). Start it as the ranks: mpirun -np 2 {name}
{variables}engine=${{GROMA_ENGINE:-{engine}}}
rank={rank}
if [ "$rank" = 0 ]; then
  {python} -P -m groma.cli.standing "$engine" {runs} {name} "$@"
  case $? in 0) exit 0 ;; 2) exit 2 ;; {partial}) exit 1 ;; esac
  "$engine" </dev/null >/dev/null 2>&1 # Groma does not start here; the other ranks wait for this one
  exit 1
fi
for word; do case $word in -h | -help | --help | -v | --version) exit 0 ;; esac; done
exec "$engine"
"""


@click.command(name="stand-ins")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--mpi", "library", metavar="LIBRARY", help="The MPI library whose mpirun starts them (groma mpi list).")
@click.option("--keep", type=click.Path(path_type=Path), metavar="FOLDER", help="Keep a run of each call in FOLDER.")
def stand_ins(directory: Path, library: str | None, keep: Path | None) -> int:
    """Write programs named osu_latency, IMB-MPI1, ... that measure as Groma does.

    They are started as ranks, take the options of the programs whose names they have, and print their text: what starts
    and reads those, such as ReFrame's tests, needs another path alone.
    """
    from groma.programs.standing import stand_ins as known  # noqa: PLC0415 - imports the programs

    setup, runs = _setup(library), str(keep.absolute()) if keep else ""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in known():
            file = directory / name
            if file.exists() and "groma stand-ins" not in file.read_text(errors="replace"):
                raise InputError(f"{file} is there and not Groma's; name another folder")
            file.write_text(_script(name, setup, runs))
            file.chmod(0o755)
    except OSError as error:
        raise OutputError(f"{directory} could not be written ({error.strerror}); name another folder") from None
    path_line(out(), directory)
    return 0


def _setup(library: str | None) -> Setup:
    """Return the engine of a library, or the one that is used without a name."""
    if library is None:
        return find_setup(find_engine())
    from groma.libraries.choose import choose  # noqa: PLC0415 - only this option needs it

    return choose([Variant(library, {}, mpi=library)])[library]


def _script(name: str, setup: Setup, runs: str) -> str:
    """Return the text of one program."""
    rank = "0"
    for variable in reversed(_RANKS):
        rank = f"${{{variable}:-{rank}}}"
    libraries = [setup.engine_variables().get(_LIBRARIES, ""), os.environ.get(_LIBRARIES, "")]
    firsts = [paths.partition(":")[0] for paths in libraries]
    own = [firsts[1]] if firsts[1].startswith(sys.prefix) else []  # a pack's Python needs it (groma pack)
    library = ":".join(dict.fromkeys([path for path in firsts[:1] if path] + own))
    variables = f"export {_LIBRARIES}={shlex.quote(library)}${{{_LIBRARIES}:+:${_LIBRARIES}}}\n" if library else ""
    return _SCRIPT.format(
        name=name,
        variables=variables,
        engine=setup.engine.path,
        rank=rank,
        python=shlex.quote(sys.executable),
        runs=shlex.quote(runs),
        partial=PARTIAL,
    )
