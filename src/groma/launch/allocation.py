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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from groma.launch.asking import answer_of
from groma.launch.nodelist import expand, repeated
from groma.plan.hosts import Host, Hosts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_QUESTION_S = 10.0
_CLOCK = re.compile(r"(?:(\d{1,9})-)?(?:(\d{1,9}):)?(\d{1,9}):(\d{1,9})")
_LONGEST_NUMBER = 9  # digits; what is longer counts nothing that there is


@dataclass(frozen=True)
class Allocation:
    """What a scheduler gave this job.

    `cpus` are the processors of the host that has fewest, None where that is not known; `tasks` those that the job
    asked for; `cpus_per_task` the processors of each; `ends_unix_s` when the scheduler ends the job.
    """

    scheduler: str
    job: str
    names: tuple[str, ...]
    cpus: int | None = None
    tasks: int | None = None
    cpus_per_task: int = 1
    ends_unix_s: float | None = None

    @property
    def hosts(self) -> Hosts:
        """The hosts by the scheduler's names."""
        return Hosts(tuple(map(Host, self.names)), of_job=True)

    @property
    def ranks_per_host(self) -> int | None:
        """Ranks that a host has processors for, None where that is not known."""
        return None if self.cpus is None else max(1, self.cpus // self.cpus_per_task)

    def left_s(self, now_unix_s: float | None = None) -> float | None:
        """Return the seconds until the scheduler ends the job, None where that is not known."""
        now_s = time.time() if now_unix_s is None else now_unix_s
        return None if self.ends_unix_s is None else self.ends_unix_s - now_s


def allocation(env: Mapping[str, str] | None = None) -> Allocation | None:
    """Return the allocation that these variables (default: this process's) tell of, None outside of one."""
    variables = os.environ if env is None else env
    allocations = (read_allocation(variables) for read_allocation in (_slurm, _pbs, _lsf, _flux))
    return next((job for job in allocations if job is not None), None)


def default_ranks(hosts: Hosts, job: Allocation | None, otherwise: int) -> int:
    """Return the ranks of a launch where nobody says how many: those of the hosts, or the tasks of the job.

    Without either number it is one rank for each host, and at least `otherwise`.
    """
    names = hosts.hosts or (job.hosts.hosts if job else ())
    slots = [host.slots for host in names]
    if any(slots):
        return sum(slot or 1 for slot in slots)
    if hosts.ppn is not None:
        return hosts.ppn * max(1, len(names))
    tasks = job.tasks if job and not hosts else None
    return tasks if tasks and tasks > 1 else max(otherwise, len(names))


def _slurm(env: Mapping[str, str]) -> Allocation | None:
    job = env.get("SLURM_JOB_ID")
    listed = env.get("SLURM_JOB_NODELIST") or env.get("SLURM_NODELIST")
    if not job:
        return None
    ends = _number(env.get("SLURM_JOB_END_TIME"))
    cpus = repeated(env.get("SLURM_JOB_CPUS_PER_NODE", ""))
    return Allocation(
        "Slurm",
        job,
        expand(listed or ""),
        min(cpus) if cpus else None,
        _whole(env.get("SLURM_NTASKS")),
        _whole(env.get("SLURM_CPUS_PER_TASK")) or 1,
        ends if ends is not None else _local_s(_ask("squeue", "-h", "-j", job, "-o", "%e")),
    )


def _pbs(env: Mapping[str, str]) -> Allocation | None:
    """Read the node file: a host has a line for each of its MPI processes."""
    job, file = env.get("PBS_JOBID"), env.get("PBS_NODEFILE")
    if not job or not file:
        return None
    try:
        lines = Counter(line.strip() for line in Path(file).read_text().splitlines() if line.strip())
    except (OSError, UnicodeDecodeError):
        return None
    status_text = _ask("qstat", "-f", job)
    limit, used = (
        _clock_s(_member(status_text, name)) for name in ("Resource_List.walltime", "resources_used.walltime")
    )
    left_s = None if limit is None else limit - (used or 0.0)
    slots = min(lines.values(), default=0)
    tasks = sum(lines.values())
    cpus = _whole(env.get("NCPUS"))
    # Without mpiprocs each host has one line, which says nothing of its processors.
    return Allocation(
        "PBS", job, tuple(lines), slots if slots > 1 else cpus, tasks if slots > 1 else None, 1, _from_now(left_s)
    )


def _lsf(env: Mapping[str, str]) -> Allocation | None:
    """Read `hostA 4 hostB 4`; a first host with one slot, beside others with more, is the one that only starts them."""
    job, fields = env.get("LSB_JOBID"), env.get("LSB_MCPU_HOSTS", "").split()
    if not job or not fields or len(fields) % 2:
        return None
    numbers = zip(fields[::2], map(_whole, fields[1::2]), strict=True)
    slots = {name: number for name, number in numbers if number is not None}
    if len(slots) > 1 and next(iter(slots.values())) == 1 < min(list(slots.values())[1:]):
        del slots[next(iter(slots))]
    time_left = re.search(r"(\d{1,9}):(\d{2})", _ask("bjobs", "-noheader", "-o", "time_left", job))
    left_s = 3600.0 * int(time_left[1]) + 60.0 * int(time_left[2]) if time_left else None
    fewest = min(slots.values(), default=None)
    return Allocation("LSF", job, tuple(slots), fewest, sum(slots.values()), 1, _from_now(left_s))


def _flux(env: Mapping[str, str]) -> Allocation | None:
    """Ask the Flux instance of the job for its hosts, cores and time."""
    if not env.get("FLUX_URI"):
        return None
    names = expand(_ask("flux", "getattr", "hostlist").strip())
    cores = _whole(_ask("flux", "resource", "list", "-n", "-s", "up", "-o", "{ncores}").strip())
    left_s = _number(_ask("flux", "job", "timeleft").strip())
    cores_per_host = cores // len(names) if cores and names else None
    return Allocation(
        "Flux", env.get("FLUX_JOB_ID") or env["FLUX_URI"], names, cores_per_host, None, 1, _from_now(left_s)
    )


def _ask(*words: str) -> str:
    """Return what a scheduler's command prints; empty where it is not there, fails or takes long."""
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


_SIZES: Sequence[tuple[str, Callable[[Mapping[str, str]], bool]]] = (
    ("SLURM_STEP_NUM_TASKS", lambda env: "SLURM_PROCID" in env and "SLURM_STEP_ID" in env),
    ("OMPI_COMM_WORLD_SIZE", lambda _env: True),
    ("PMI_SIZE", lambda _env: True),
    ("FLUX_JOB_SIZE", lambda env: "FLUX_TASK_RANK" in env),
    ("JSM_NAMESPACE_SIZE", lambda _env: True),
)


def copies_started(env: Mapping[str, str] | None = None) -> int:
    """Return how many copies of this process a launcher or a job step started; 1 where it was started alone.

    A batch script is one process, whatever number of tasks its job has: Slurm's SLURM_NTASKS alone says nothing.
    """
    variables = os.environ if env is None else env
    counts = [_whole(variables.get(name)) or 1 for name, applies in _SIZES if applies(variables)]
    return max(counts)
