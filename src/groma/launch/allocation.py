"""The allocation of a scheduler around this process: its hosts, their processors, its tasks, and when it ends.

Read from the variables that Slurm, PBS (Professional, OpenPBS, Torque), LSF and Flux set in a job; the end, where no
variable has it, from one question to the scheduler, whose failure means that the end is not known.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groma.errors import InputError
from groma.launch.asking import answer_of
from groma.launch.nodelist import expand, repeated
from groma.plan.hosts import Host, Hosts

_QUESTION_S = 10.0
_CLOCK = re.compile(r"(?:(\d{1,9})-)?(?:(\d{1,9}):)?(\d{1,9}):(\d{1,9})")
_LONGEST_NUMBER = 9  # digits; what is longer counts nothing that there is


@dataclass(frozen=True)
class Allocation:
    """What a scheduler gave this job.

    `nodes` are its hosts by the scheduler's names, each with its tasks and with the ranks that it has processors for,
    where these are known; `tasks` those that the job asked for; `ends_unix_s` when the scheduler ends the job.
    """

    scheduler: str
    job: str
    nodes: tuple[Host, ...]
    tasks: int | None = None
    ends_unix_s: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the hosts."""
        return tuple(host.name for host in self.nodes)

    @property
    def hosts(self) -> Hosts:
        """The hosts, which take the job's tasks."""
        return Hosts(self.nodes, of_job=True)

    def left_s(self, now_unix_s: float | None = None) -> float | None:
        """Return the seconds until the scheduler ends the job, None if that is not known."""
        now_s = time.time() if now_unix_s is None else now_unix_s
        return None if self.ends_unix_s is None else self.ends_unix_s - now_s


def allocation(env: Mapping[str, str] = os.environ) -> Allocation | None:
    """Return the allocation that these variables (default: this process's) describe, None outside of one.

    Raises InputError if they name hosts in a way that cannot be read, or hosts that one launch cannot have.
    """
    allocations = (read_allocation(env) for read_allocation in (_slurm, _pbs, _lsf, _flux))
    return next((job for job in allocations if job is not None), None)


def default_ranks(hosts: Hosts, job: Allocation | None, otherwise: tuple[int, ...]) -> tuple[int, ...]:
    """Return the default rank counts: those of the hosts, or the tasks of the job.

    Without either number they are `otherwise`, and one rank for each host if there are more hosts.
    """
    names = hosts.hosts or (job.nodes if job else ())
    slots = [host.slots for host in hosts.hosts]
    if any(slots):
        return (sum(slot or 1 for slot in slots),)
    if hosts.ppn is not None:
        return (hosts.ppn * max(1, len(names)),)
    tasks = job.tasks if job and not hosts else None
    if tasks and tasks > 1:
        return (tasks,)
    return (len(names),) if len(names) > max(otherwise) else otherwise


def _slurm(env: Mapping[str, str]) -> Allocation | None:
    """Read the nodes of a job; of its tasks those of each node, if they are the tasks that it asked for."""
    job = env.get("SLURM_JOB_ID")
    if not job:
        return None
    if (groups := _whole(env.get("SLURM_HET_SIZE")) or 1) > 1:
        raise InputError(
            f"Slurm job {job} is heterogeneous, and srun would start ranks in the first of its {groups} groups only; "
            "ask for one group, whose nodes may have different numbers of tasks"
        )
    listed = env.get("SLURM_JOB_NODELIST") or env.get("SLURM_NODELIST") or ""
    names = expand(listed)
    if listed and not names:
        raise _unreadable(f"Slurm job {job}", f"SLURM_JOB_NODELIST is '{listed}'", "SLURM_JOB_ID")
    tasks, of_nodes = _whole(env.get("SLURM_NTASKS")), repeated(env.get("SLURM_TASKS_PER_NODE", ""))
    cpus, of_task = repeated(env.get("SLURM_JOB_CPUS_PER_NODE", "")), _whole(env.get("SLURM_CPUS_PER_TASK")) or 1
    slots = of_nodes if len(of_nodes) == len(names) and sum(of_nodes) == tasks else [None] * len(names)
    room = [max(1, count // of_task) for count in cpus] if len(cpus) == len(names) else [None] * len(names)
    ends = _number(env.get("SLURM_JOB_END_TIME"))
    return Allocation(
        "Slurm",
        job,
        tuple(map(Host, names, slots, room)),
        tasks,
        ends if ends is not None else _local_s(_ask("squeue", "-h", "-j", job, "-o", "%e")),
    )


def _unreadable(job: str, says: str, variable: str) -> InputError:
    """Return the error that a job's hosts cannot be read: Groma must not measure on other ones."""
    return InputError(
        f"the hosts of {job} cannot be read: {says}; correct that, or unset {variable} and name the hosts with --hosts"
    )


def _pbs(env: Mapping[str, str]) -> Allocation | None:
    """Read the node file: a host has a line for each of its MPI processes."""
    job, file = env.get("PBS_JOBID"), env.get("PBS_NODEFILE")
    if not job or not file:
        return None
    try:
        lines = Counter(line.strip() for line in Path(file).read_text().splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise _unreadable(f"PBS job {job}", f"PBS_NODEFILE is {file} ({reason})", "PBS_JOBID") from None
    if not lines:
        raise _unreadable(f"PBS job {job}", f"PBS_NODEFILE is {file}, which is empty", "PBS_JOBID")
    status_text = _ask("qstat", "-f", job)
    limit, used = (
        _clock_s(_member(status_text, name)) for name in ("Resource_List.walltime", "resources_used.walltime")
    )
    left_s = None if limit is None else limit - (used or 0.0)
    # Without mpiprocs each host has one line, which says nothing of its processors.
    counted = max(lines.values()) > 1
    cpus = None if counted else _whole(env.get("NCPUS"))
    hosts = tuple(Host(name, count, count) if counted else Host(name, None, cpus) for name, count in lines.items())
    return Allocation("PBS", job, hosts, sum(lines.values()) if counted else None, _from_now(left_s))


def _lsf(env: Mapping[str, str]) -> Allocation | None:
    """Read `hostA 4 hostB 2`; with jsrun a first host with one slot, beside others with more, only starts the ranks."""
    job, fields = env.get("LSB_JOBID"), env.get("LSB_MCPU_HOSTS", "").split()
    if not job or not fields:
        return None
    slots = {name: _whole(count) for name, count in zip(fields[::2], fields[1::2], strict=False)}
    if len(fields) % 2 or None in slots.values():
        raise _unreadable(f"LSF job {job}", f"LSB_MCPU_HOSTS is '{' '.join(fields)}'", "LSB_JOBID")
    hosts = tuple(Host(name, count, count) for name, count in slots.items())
    if len(hosts) > 1 and hosts[0].slots == 1 < min(host.slots or 1 for host in hosts[1:]) and shutil.which("jsrun"):
        hosts = hosts[1:]
    time_left = re.search(r"(\d{1,9}):(\d{2})", _ask("bjobs", "-noheader", "-o", "time_left", job))
    left_s = 3600.0 * int(time_left[1]) + 60.0 * int(time_left[2]) if time_left else None
    return Allocation("LSF", job, hosts, sum(host.slots or 1 for host in hosts), _from_now(left_s))


def _flux(env: Mapping[str, str]) -> Allocation | None:
    """Ask the Flux instance of the job for its hosts, cores and time."""
    if not env.get("FLUX_URI"):
        return None
    listed = _ask("flux", "getattr", "hostlist").strip()
    names = expand(listed)
    if listed and not names:
        raise _unreadable("the Flux instance", f"its hostlist is '{listed}'", "FLUX_URI")
    cores = _whole(_ask("flux", "resource", "list", "-n", "-s", "up", "-o", "{ncores}").strip())
    left_s = _number(_ask("flux", "job", "timeleft").strip())
    # It gives the cores of all hosts together: those of each are known if they are equal.
    room = cores // len(names) if cores and names and cores % len(names) == 0 else None
    hosts = tuple(Host(name, None, room) for name in names)
    return Allocation("Flux", env.get("FLUX_JOB_ID") or env["FLUX_URI"], hosts, None, _from_now(left_s))


def _ask(*words: str) -> str:
    """Return what a scheduler's command prints; empty if it is not there, fails or takes long."""
    if not shutil.which(words[0]):
        return ""
    try:
        answer = answer_of(words, _QUESTION_S)
    except OSError:
        return ""
    return answer.stdout if answer.returncode == 0 else ""


def _member(status_text: str, name: str) -> str:
    match = re.search(rf"^\s*{re.escape(name)}\s*=\s*(\S+)", status_text, re.MULTILINE)
    return match[1] if match else ""


def _clock_s(text: str) -> float | None:
    """Return the seconds of `1-02:03:04`, `02:03:04` or `03:04`; None for anything else, such as UNLIMITED."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    days, hours, minutes, seconds = (int(number or 0) for number in match.groups())
    return 86400.0 * days + 3600.0 * hours + 60.0 * minutes + seconds


def _local_s(text: str) -> float | None:
    """Return the Unix time of `2026-01-02T03:04:05` in local time; None for anything else, such as NONE."""
    try:
        return dt.datetime.fromisoformat(text.strip()).timestamp()
    except ValueError:
        return None


def _from_now(left_s: float | None) -> float | None:
    return None if left_s is None else time.time() + left_s


def _whole(text: str | None) -> int | None:
    known = text and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    return int(text) or None if text and known else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and 0 < value < 1e12 else None


def array_index(env: Mapping[str, str] = os.environ) -> int:
    """Return which job of an array this is, from 1 on; 1 outside of one."""
    names = ("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "LSB_JOBINDEX")
    return next((index for name in names if (index := _whole(env.get(name)))), 1)


_SIZES: Sequence[tuple[str, Callable[[Mapping[str, str]], bool]]] = (
    ("SLURM_STEP_NUM_TASKS", lambda env: "SLURM_PROCID" in env and "SLURM_STEP_ID" in env),
    ("OMPI_COMM_WORLD_SIZE", lambda _env: True),
    ("PMI_SIZE", lambda _env: True),
    ("FLUX_JOB_SIZE", lambda env: "FLUX_TASK_RANK" in env),
    ("JSM_NAMESPACE_SIZE", lambda _env: True),
)


def copies_started(env: Mapping[str, str] = os.environ) -> int:
    """Return how many copies of this process a launcher or a job step started; 1 if it was started alone.

    A batch script is one process, whatever number of tasks its job has: Slurm's SLURM_NTASKS alone says nothing.
    """
    return max(_whole(env.get(name)) or 1 for name, applies in _SIZES if applies(env))
