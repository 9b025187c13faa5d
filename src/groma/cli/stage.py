"""`groma stage`: the engine and its library on every host."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from groma.cli.options import launcher_option
from groma.errors import InputError
from groma.launch.command import find_setup
from groma.launch.copying import copy_in_job, copy_to_hosts, needed_files
from groma.launch.engine import find_engine
from groma.launch.launcher import scheduler_launcher
from groma.plan.hosts import read_hosts
from groma.text.console import err
from groma.text.counts import counted


@click.command()
@click.argument("hosts", metavar="[HOST,...]", required=False)
@click.option("--shell", default="ssh", metavar="COMMAND", help="Program that runs a command on a host (default: ssh).")
@launcher_option
def stage(hosts: str | None, shell: str, launcher: str | None) -> int:
    """Copy the engine and its MPI library to every host, under the paths that they have here.

    Needed if hosts share no folder. Without HOST, inside a Slurm job: to the job's nodes. Hosts that have the files are
    skipped.
    """
    setup = find_setup(find_engine(), launcher)
    files = needed_files(setup)
    if hosts is not None:
        copied = copy_to_hosts(files, [host.name for host in read_hosts(hosts)], _words(shell))
    else:
        srun = scheduler_launcher("Slurm") if setup.job and setup.job.scheduler == "Slurm" else None
        if srun is None or setup.job is None:
            raise InputError("no hosts are known; name them: groma stage node1,node2")
        copied = copy_in_job(files, setup.job.names, srun.path)
    for host in copied.hosts:
        state = "has them already" if host in copied.already else "has them now"
        err().print(f"{host}: {state}", markup=False, soft_wrap=True)
    err().print(f"{counted(len(files), 'file')}: {_shortened(files)}", markup=False, soft_wrap=True)
    return 0


def _words(shell: str) -> list[str]:
    """Return the words of the program that runs a command on a host; raises InputError."""
    try:
        words = shlex.split(shell)
    except ValueError:
        words = []
    if not words:
        raise InputError(f"--shell '{shell}' is no command; name the program that runs one on a host, such as ssh")
    return words


def _shortened(files: list[Path]) -> str:
    return ", ".join(map(str, files[:2])) + (", ..." if len(files) > 2 else "")
