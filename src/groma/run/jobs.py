"""Job scripts: a campaign as a job of Slurm, PBS, LSF or Flux, short enough for a site to read."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Seconds before the end of a job at which the scheduler tells Groma, which then ends its launch and keeps what it has.
WARNING_S = 60
_LONGEST_NAME = 15  # of PBS
_SHORTEST_S = 120.0


@dataclass(frozen=True)
class Job:
    """What one job asks of its scheduler; `directives` are a site's own, such as `--account=abc`."""

    name: str
    nodes: int
    ppn: int
    time_s: float
    directives: tuple[str, ...] = ()

    @property
    def ranks(self) -> int:
        """Ranks that the job has processors for."""
        return self.nodes * self.ppn

    @property
    def clock(self) -> str:
        """The time limit as HH:MM:SS, rounded up to whole minutes."""
        minutes = -(-int(self.time_s) // 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}:00"


def _slurm(job: Job) -> list[str]:
    return [
        f"--job-name={job.name}",
        f"--nodes={job.nodes}",
        f"--ntasks-per-node={job.ppn}",
        f"--time={job.clock}",
        f"--signal=B:USR1@{WARNING_S}",
        f"--output={job.name}-%j.out",
    ]


def _pbs(job: Job) -> list[str]:
    return [
        f"-N {job.name[:_LONGEST_NAME].rstrip('-')}",
        f"-l select={job.nodes}:ncpus={job.ppn}:mpiprocs={job.ppn}",
        f"-l walltime={job.clock}",
        "-j oe",
    ]


def _lsf(job: Job) -> list[str]:
    return [
        f"-J {job.name}",
        f"-n {job.ranks}",
        f'-R "span[ptile={job.ppn}]"',
        f"-W {job.clock.rpartition(':')[0]}",
        "-wa USR1",
        f"-wt {WARNING_S // 60}",
        f"-o {job.name}-%J.out",
    ]


def _flux(job: Job) -> list[str]:
    return [
        f"--job-name={job.name}",
        f"--nodes={job.nodes}",
        f"--nslots={job.ranks}",
        f"--time-limit={-(-int(job.time_s) // 60)}m",
        f"--output={job.name}-{{{{id}}}}.out",
    ]


# Of each scheduler: the prefix of its directives, how a script is handed to it, and the directives of a job.
SCHEDULERS: Mapping[str, tuple[str, str, Callable[[Job], list[str]]]] = {
    "slurm": ("#SBATCH", "sbatch {}", _slurm),
    "pbs": ("#PBS", "qsub {}", _pbs),
    "lsf": ("#BSUB", "bsub < {}", _lsf),
    "flux": ("#flux:", "flux batch {}", _flux),
}


def job_name(text: str) -> str:
    """Return a name that every scheduler takes."""
    return "groma-" + re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-")


def job_script(
    scheduler: str, job: Job, folder: str, *, measuring: list[str], resuming: list[str], variables: Mapping[str, str]
) -> str:
    """Return the script that runs `measuring` in `folder`, or `resuming` where the run has begun already.

    The command replaces the shell, so that the scheduler's signals reach it. Raises InputError for a directive that is
    not one line, and for a job that ends as soon as it begins.
    """
    prefix, submit, directives = SCHEDULERS[scheduler]
    for own in job.directives:
        if not own.isprintable() or not own.strip():
            raise InputError(
                f"{own!r} is not a directive of one line; write it as for {scheduler}, such as --account=abc"
            )
    if job.time_s < _SHORTEST_S:
        raise InputError(f"a job of {job.time_s:g} s would end as it begins; give it at least {_SHORTEST_S / 60:g} min")
    run = shlex.quote(f"{resuming[-1]}/run.json")
    lines = [
        "#!/bin/sh",
        *(f"{prefix} {line}" for line in [*directives(job), *(own.strip() for own in job.directives)]),
        f"# A campaign of Groma. Submit it with: {submit.format('THIS-FILE')}",
        "# Submit it again to continue where a job ended too early: nothing that was measured is lost.",
        f"cd {shlex.quote(folder)} || exit",
        *(f"export {name}={shlex.quote(value)}" for name, value in variables.items()),
        f"if [ -e {run} ]; then",
        f"  exec {shlex.join(resuming)}",
        "fi",
        f"exec {shlex.join(measuring)}",
    ]
    return "\n".join(lines) + "\n"
