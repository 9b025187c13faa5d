"""Several hosts on this one machine: Linux namespaces, joined by a bridge, for tests of what happens between nodes.

As a test bed (`beds.need("hosts")` or `@pytest.mark.bed("hosts")` skips where they cannot be made):

    with hosts.virtual_hosts(2) as bed:
        subprocess.run(["groma", "run", ...], env=os.environ | bed.environment(mpiexec, per_host=2))
        subprocess.run([mpiexec, "-n", "4", *bed.mpich(per_host=2), engine, ...])   # without `groma`

    virtual_hosts(3, monotonic_s=(0, 100, 5000))   CLOCK_MONOTONIC of each host is ahead by these seconds
    bed.hide(1, folder)                            host 1 has an empty folder there
    bed.slow_down(1, mbit_per_s=50)                all that host 1 sends leaves it at this rate
    bed.run(1, "cat /proc/net/dev")                a shell command on host 1

`mpiexec` is MPICH's, as in .venv/bin. Other launchers take `bed.agent` if they ask for ssh, and `bed.names`.

By hand, as root, with 2 ranks on each of 2 hosts (the command's environment has GROMA_MPIEXEC, which `groma` uses):

    .venv/bin/python tests/hosts.py 2 --per-host 2 -- .venv/bin/groma run allreduce -n 4
    GROMA_ENGINE=build/openmpi/engine/groma-engine \
      .venv/bin/python tests/hosts.py 2 --per-host 2 --mpi openmpi -- .venv/bin/groma run --profile alcf -n 4 --report

Each host has a host name, network, /dev/shm, process numbers and CPUs of its own: the CPUs that this process may use
are dealt out in turn, so that two hosts on two CPUs have one each and Groma's own count of ranks against CPUs is right.
A host with several ranks on its one CPU is oversubscribed, as a real one would be. Files are shared, except /dev/shm.

Nothing stays behind: the hosts die with the process that made them, even when that is killed, and what is then left (a
bridge without hosts) is removed by the next start. Several beds can be up at once.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import functools
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_FOLDER = Path("/run/groma-hosts")
_BEDS = 16  # that can be up at once
_NETWORK = "198.18.{bed}.{host}"  # RFC 2544: set aside for measurements between networks
_LAUNCHER_HOST = 1
_PROGRAMS = ("unshare", "nsenter", "setpriv", "taskset", "ip", "tc")
_NAMESPACES = ("--net", "--uts", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--propagation", "private")
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Where ranks share a CPU, MPICH must be told to let others have it while it waits.
_THROTTLE = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1"}

# What a launcher takes for ssh: drops its options, and runs the words for a shell on the named host.
_AGENT = """#!/bin/sh
while :; do
  case "$1" in
    -[opliFJLRSWbcDEeIkmQw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
. "{folder}/$host"
in=/proc/$process/ns
exec taskset -c "$cpus" nsenter --net=$in/net --uts=$in/uts --mount=$in/mnt --ipc=$in/ipc \\
  --pid=$in/pid_for_children --time=$in/time_for_children -- sh -c "$*"
"""


@dataclass(frozen=True)
class Hosts:
    """Hosts that are up: their names in order, and the program that runs a command on one of them, as ssh would."""

    names: tuple[str, ...]
    agent: Path
    cpus: tuple[str, ...]  # of each host, as taskset writes them
    _processes: tuple[int, ...]

    def mpich(self, per_host: int) -> list[str]:
        """Return the options of MPICH's mpiexec for `per_host` ranks on each host, filled host by host."""
        where = ",".join(f"{name}:{per_host}" for name in self.names)
        return ["-launcher", "ssh", "-launcher-exec", str(self.agent), "-hosts", where]

    def openmpi(self, per_host: int) -> list[str]:
        """Return the options of Open MPI's mpiexec for the same: messages between hosts go over their own network."""
        where = ",".join(f"{name}:{per_host}" for name in self.names)
        network = {"pml": "ob1", "btl": "self,vader,tcp", "btl_tcp_if_include": "eth0", "oob_tcp_if_exclude": "lo"}
        settings = {"plm_rsh_agent": str(self.agent), "mpi_yield_when_idle": "1"} | network
        return [
            "--host",
            where,
            "--bind-to",
            "none",
            *(word for name, value in settings.items() for word in ("--mca", name, value)),
        ]

    def environment(self, mpiexec: str | Path, per_host: int) -> dict[str, str]:
        """Return the variables with which `groma` measures between these hosts; `mpiexec` is MPICH's or Open MPI's."""
        if "openmpi" in Path(mpiexec).name:
            return _AS_ROOT | {"GROMA_MPIEXEC": shlex.join([str(mpiexec), *self.openmpi(per_host)])}
        launcher = {"GROMA_MPIEXEC": shlex.join([str(mpiexec), *self.mpich(per_host)])}
        shared = len(set(self.cpus)) < len(self.cpus)
        crowded = shared or any(per_host > len(cpus.split(",")) for cpus in self.cpus)
        return launcher | (_THROTTLE if crowded else {})

    def run(self, host: int, command: str) -> str:
        """Run a shell command on one host and return what it printed."""
        finished = subprocess.run(
            [self.agent, self.names[host], command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        return finished.stdout

    def hide(self, host: int, folder: str | Path) -> None:
        """Give one host an empty folder of its own in the place of this one: it shares no file in it any more."""
        self.run(host, f"mount -t tmpfs tmpfs {shlex.quote(str(folder))}")

    def slow_down(self, host: int, mbit_per_s: float) -> None:
        """Let everything that this host sends leave it at `mbit_per_s` million bits a second."""
        shaping = ["root", "tbf", "rate", f"{mbit_per_s}mbit", "burst", "16kb", "latency", "1s"]
        _do("nsenter", f"--net=/proc/{self._processes[host]}/ns/net", "tc", "qdisc", "replace", "dev", "eth0", *shaping)


@contextlib.contextmanager
def virtual_hosts(count: int, *, monotonic_s: Sequence[int] = ()) -> Iterator[Hosts]:
    """Make `count` hosts for as long as the context lasts; `monotonic_s`: seconds by which their clocks are ahead."""
    with _claimed_bed() as bed, contextlib.ExitStack() as undo:
        folder, bridge = _FOLDER / str(bed), _bridge(bed)
        folder.mkdir(exist_ok=True)
        names = tuple(f"groma{host}" for host in range(count))
        addresses = {name: _NETWORK.format(bed=bed, host=host + 2) for host, name in enumerate(names)}
        launcher = {socket.gethostname(): _NETWORK.format(bed=bed, host=_LAUNCHER_HOST)}
        known = "".join(f"{address} {name}\n" for name, address in (addresses | launcher).items())
        (folder / "hosts").write_text(f"127.0.0.1 localhost\n{known}")
        agent = folder / "agent"
        agent.write_text(_AGENT.format(folder=folder))
        agent.chmod(0o755)
        undo.callback(_remove_leftovers, bed)
        _do("ip", "link", "add", bridge, "type", "bridge")
        _do("ip", "address", "add", f"{launcher[socket.gethostname()]}/24", "dev", bridge)
        _do("ip", "link", "set", bridge, "up")
        dealt, processes = _dealt_cpus(count), []
        for host, (name, cpus) in enumerate(zip(names, dealt, strict=True)):
            ahead_s = monotonic_s[host] if monotonic_s else 0
            process = undo.enter_context(_started(name, folder / "hosts", ahead_s))
            (folder / name).write_text(f"process={process} cpus={cpus}\n")
            _join(_link(bed, host), bridge, process, addresses[name])
            processes.append(process)
        yield Hosts(names, agent, tuple(dealt), tuple(processes))


def obstacle(programs: Iterable[str], packages: str, purpose: str) -> str:
    """Return which programs of these Debian packages are not installed, or that only root can do it; else nothing."""
    if absent := [name for name in programs if not shutil.which(name)]:
        return f"{', '.join(absent)} not installed (Debian: {packages})"
    return "" if os.geteuid() == 0 else f"only root can {purpose}"


@functools.cache
def missing() -> str:
    """Return why no hosts can be made here, or an empty string."""
    if why := obstacle(_PROGRAMS, "iproute2, util-linux", "make hosts of namespaces"):
        return why
    trial = "mount -t tmpfs tmpfs /dev/shm && ip link add v0 type veth peer name v1 && ip link add v2 type bridge"
    words = ["unshare", *_NAMESPACES, "--time", "--monotonic", "1", "sh", "-c", trial]
    finished = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return f"namespaces are refused here: {finished.stderr.strip()}" if finished.returncode else ""


@contextlib.contextmanager
def _claimed_bed() -> Iterator[int]:
    """Claim the first bed that no living process holds, after removing what dead ones left in any."""
    _FOLDER.mkdir(exist_ok=True)
    with contextlib.ExitStack() as held:
        claimed: list[int] = []
        for bed in range(_BEDS):
            path = _FOLDER / f"{bed}.lock"
            if claimed and not path.exists():
                continue
            lock = held.enter_context(path.open("w"))
            if not _locked(lock):
                continue
            _remove_leftovers(bed)
            if claimed:
                lock.close()  # given back: one is enough
            else:
                claimed.append(bed)
        if not claimed:
            message = f"all {_BEDS} beds of virtual hosts are in use"
            raise RuntimeError(message)
        yield claimed[0]


def _locked(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_leftovers(bed: int) -> None:
    """Remove what may outlive the hosts, which died with their maker: the bridge, and for a while links to it."""
    for pattern in (_link(bed, "*"), _bridge(bed)):
        for link in Path("/sys/class/net").glob(pattern):
            subprocess.run(["ip", "link", "delete", link.name], stderr=subprocess.DEVNULL, check=False)
    shutil.rmtree(_FOLDER / str(bed), ignore_errors=True)


def _bridge(bed: int) -> str:
    return f"groma-{bed}"


def _link(bed: int, host: int | str) -> str:
    return f"groma-{bed}-{host}"


def _dealt_cpus(count: int) -> list[str]:
    """Return the CPUs of each host, as taskset writes them; every host has one at least."""
    allowed = sorted(os.sched_getaffinity(0))
    dealt = [allowed[host::count] or [allowed[host % len(allowed)]] for host in range(count)]
    return [",".join(map(str, cpus)) for cpus in dealt]


@contextlib.contextmanager
def _started(name: str, known_hosts: Path, ahead_s: int) -> Iterator[int]:
    """Start a host; yield the process whose children are on it. It is killed when this process ends."""
    script = (
        f"mount -t proc proc /proc && mount -t tmpfs tmpfs /dev/shm && mount --bind {known_hosts} /etc/hosts && "
        f"echo {name} > /proc/sys/kernel/hostname && ip link set lo up && echo up && exec sleep infinity > /dev/null"
    )
    words = ["setpriv", "--pdeathsig", "KILL", "unshare", *_NAMESPACES, "--time", "--monotonic", str(ahead_s)]
    process = subprocess.Popen(
        [*words, "sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "up\n":
            message = f"host {name} did not come up"
            raise RuntimeError(message)
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def _join(link: str, bridge: str, process: int, address: str) -> None:
    """Join a host to the bridge by a pair of interfaces: `link` here, eth0 on the host."""
    _do("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", str(process))
    _do("ip", "link", "set", link, "master", bridge, "up")
    there = ("nsenter", f"--net=/proc/{process}/ns/net", "ip")
    _do(*there, "address", "add", f"{address}/24", "dev", "eth0")
    _do(*there, "link", "set", "eth0", "up")


def _do(*words: str) -> None:
    finished = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        message = f"{shlex.join(words)}: {finished.stderr.strip()}"
        raise RuntimeError(message)


def _main() -> int:
    parser = argparse.ArgumentParser(description="Runs a command with GROMA_MPIEXEC set for virtual hosts.")
    parser.add_argument("count", type=int)
    parser.add_argument("--per-host", type=int, default=1, help="ranks on each host (default 1)")
    parser.add_argument("--mpi", choices=("mpich", "openmpi"), default="mpich", help="whose mpiexec (default: .venv's)")
    parser.add_argument("--monotonic", type=int, nargs="*", default=[], help="seconds by which each clock is ahead")
    parser.add_argument("command", nargs="+")
    asked = parser.parse_args()
    if reason := missing():
        sys.exit(f"{parser.prog}: {reason}")
    mpiexec = "mpiexec.openmpi" if asked.mpi == "openmpi" else Path(sys.executable).parent / "mpiexec"
    with virtual_hosts(asked.count, monotonic_s=asked.monotonic) as bed:
        variables = bed.environment(mpiexec, asked.per_host)
        return subprocess.run(asked.command, env=os.environ | variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(_main())
