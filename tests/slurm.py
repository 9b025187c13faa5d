"""A real Slurm on this one machine: Debian's slurmctld, munged, and a slurmd for each of a few virtual nodes.

As a test bed (`beds.need("slurm")` or `@pytest.mark.bed("slurm")` skips where it cannot be started):

    with slurm.cluster(2) as bed:
        subprocess.run(["sbatch", "job.sh"], env=os.environ | bed.environment)

    slurm.cluster(2, lacking="mpi_pmix*")    without these plugins, as a site whose Slurm was built without PMIx
    bed.run("scontrol", "update", "NodeName=sn2", "State=DRAIN", "Reason=test")

The nodes sn1, sn2, ... are this host under several names: each has a slurmd of its own, all of one host name and one
set of CPUs. Slurm believes that each node has `cpus` of them. Everything it writes lies in a folder of its own, munge's
key and socket too, so that no Slurm of this machine is touched and several clusters can be up at once.

By hand, as root, with 2 nodes of 2 CPUs (the command's environment has SLURM_CONF):

    .venv/bin/python tests/slurm.py 2 -- srun -N 2 hostname
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hosts import obstacle

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol")
_UP_S = 30.0
# MPICH names its shared memory after job and step: what a cancelled job left must not be another cluster's.
_JOBS = 60_000_000

_CONFIGURATION = """\
ClusterName=groma
FirstJobId={first_job}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
TmpFS={folder}/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=10000
PriorityType=priority/basic
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=600
KillWait=5
OverTimeLimit=0
NodeName=sn[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_PLUGINS = ("lib/*/slurm-wlm", "lib/*/slurm", "lib/slurm", "lib64/slurm")  # where systems have Slurm's plugins


@dataclass(frozen=True)
class Cluster:
    """A Slurm that is up: the variables by which its commands find it."""

    names: tuple[str, ...]
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables for a program that uses this Slurm."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(self, *words: str) -> str:
        """Run one of Slurm's commands and return what it printed; AssertionError with what it said if it fails."""
        done = subprocess.run(
            words,
            env=_plain_environment() | self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout


def _plain_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}


@contextlib.contextmanager
def cluster(nodes: int, cpus: int = 2, *, lacking: str = "") -> Iterator[Cluster]:
    """Start a Slurm of a number of virtual nodes for as long as the context lasts, without the plugins `lacking`."""
    with contextlib.ExitStack() as undo:
        folder = Path(
            undo.enter_context(tempfile.TemporaryDirectory(prefix="groma-slurm-", ignore_cleanup_errors=True))
        )
        folder.chmod(0o755)  # munged demands it of every folder above its socket
        (folder / "state").mkdir()
        names = tuple(f"sn{node + 1}" for node in range(nodes))
        for name in names:
            (folder / f"tmp-{name}").mkdir()  # PMIx: two nodes on one host must not share it
        ports = _free_ports(nodes + 1)
        text = _CONFIGURATION.format(
            host=socket.gethostname(),
            port=ports[0],
            folder=folder,
            first_job=1 + secrets.randbelow(_JOBS),
            nodes=nodes,
            first=ports[1],
            last=ports[-1],
            cpus=cpus,
        )
        if lacking:
            text += f"PluginDir={_plugins_but(lacking, folder / 'plugins')}\n"
        (folder / "slurm.conf").write_text(text)
        bed = Cluster(names, folder)
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        munged = ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket"]
        munged += [f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/seed"]
        undo.enter_context(_running(folder, munged))
        _wait_for("munged", (folder / "munge.socket").exists)
        undo.enter_context(_running(folder, ["slurmctld", "-D", "-c"], bed.environment))
        for name in names:
            undo.enter_context(_running(folder, ["slurmd", "-D", "-N", name], bed.environment))
        _wait_for(f"Slurm in {folder}", functools.partial(_all_idle, bed))
        undo.callback(_cancel_all, bed)
        yield bed


def _plugins_but(lacking: str, folder: Path) -> Path:
    """Fill a folder with this system's plugins, except those whose names match, and return it."""
    folder.mkdir()
    own = next(
        found for pattern in _PLUGINS for found in Path("/usr").glob(pattern) if (found / "mpi_none.so").exists()
    )
    for plugin in own.glob("*.so"):
        if not plugin.match(lacking):
            (folder / plugin.name).symlink_to(plugin)
    return folder


@functools.cache
def missing() -> str:
    """Return why no Slurm can be started here, or an empty string; what it said if one was tried in vain."""
    if why := obstacle(_PROGRAMS, "slurmctld, slurmd, slurm-client, munge", "start slurmd"):
        return why
    try:
        with cluster(1):
            return ""
    except RuntimeError as error:
        return str(error)


@contextlib.contextmanager
def _running(folder: Path, words: list[str], variables: dict[str, str] | None = None) -> Iterator[None]:
    """Run a daemon in the foreground; it is ended with the context, and by the kernel when this process ends."""
    with (folder / "daemons.log").open("a") as log:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *words],
            env=_plain_environment() | (variables or {}),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports(count: int) -> list[int]:
    """Return consecutive ports of this host that nobody listens on."""
    for first in range(27100 + os.getpid() % 500 * 20, 60000, 20):
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + count):
                    held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return list(range(first, first + count))
    message = f"no {count} free ports in a row"
    raise RuntimeError(message)


def _wait_for(what: str, up: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _UP_S
    while not up():
        if time.monotonic() > deadline:
            message = f"{what} did not come up within {_UP_S:g} s"
            raise RuntimeError(message)
        time.sleep(0.05)


def _all_idle(bed: Cluster) -> bool:
    words = ["sinfo", "-h", "-N", "-o", "%T"]
    done = subprocess.run(
        words, env=_plain_environment() | bed.environment, capture_output=True, text=True, check=False
    )
    return done.stdout.split() == ["idle"] * len(bed.names)


def _cancel_all(bed: Cluster) -> None:
    subprocess.run(["scancel", "--user=root"], env=_plain_environment() | bed.environment, check=False)
    _wait_for("an empty queue", lambda: not bed.run("squeue", "-h"))


def _main() -> int:
    parser = argparse.ArgumentParser(description="Runs a command with SLURM_CONF of a Slurm of virtual nodes.")
    parser.add_argument("nodes", type=int)
    parser.add_argument("--cpus", type=int, default=2, help="CPUs of each node, as Slurm believes (default 2)")
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args()
    if reason := missing():
        sys.exit(f"{parser.prog}: {reason}")
    with cluster(asked.nodes, asked.cpus) as bed:
        return subprocess.run(asked.command, env=_plain_environment() | bed.environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(_main())
