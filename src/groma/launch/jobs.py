"""Job scripts: a campaign as a job of Slurm, PBS, LSF or Flux, short enough for a site to read."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Seconds before the end of a job at which the scheduler tells Groma, which then ends its launch and keeps what it has.
WARNING_S = 60
_LONGEST_NAME = 15  # of PBS
_SHORTEST_S = 120.0


@dataclass(frozen=True)
class Job:
    """What one job asks of its scheduler; `directives` are a site's own, such as `--account=abc`.

    With several `jobs` each makes one launch, one job after the other.
    """

    name: str
    nodes: int
    ppn: int
    time_s: float
    directives: tuple[str, ...] = ()
    jobs: int = 1

    @property
    def several(self) -> bool:
        """Whether there is a job for each launch."""
        return self.jobs > 1

    @property
    def ranks(self) -> int:
        """Ranks that the job has processors for."""
        return self.nodes * self.ppn

    @property
    def clock(self) -> str:
        """The time limit as HH:MM:SS, rounded up to whole minutes."""
        return f"{self.minutes // 60:02d}:{self.minutes % 60:02d}:00"

    @property
    def minutes(self) -> int:
        """The time limit in minutes, rounded up."""
        return -(-int(self.time_s) // 60)

    @property
    def words(self) -> dict[str, object]:
        """What stands for the names in braces of a scheduler's directives."""
        return {
            "name": self.name,
            "short_name": self.name[:_LONGEST_NAME].rstrip("-"),
            "nodes": self.nodes,
            "ppn": self.ppn,
            "ranks": self.ranks,
            "clock": self.clock,
            "hours_minutes": self.clock.rpartition(":")[0],
            "minutes": self.minutes,
            "jobs": self.jobs,
        }


def _one_after_the_other(scheduler: str, job: Job) -> list[str]:
    """Return the lines that say how there is a job for each launch; empty where one job makes all."""
    if not job.several:
        return []
    lines = [f"# Each job makes one launch, so the {job.jobs} launches may be hours apart and on different nodes."]
    if scheduler != "flux":
        return [*lines, f"# It is an array of {job.jobs} jobs of which one runs at a time."]
    return [
        *lines,
        f"# Flux has no array of which one job runs at a time: submit it {job.jobs} times, each after the one before:",
        "#   job=$(flux batch THIS-FILE)",
        f"#   for launch in $(seq 2 {job.jobs}); do job=$(flux batch --dependency=afterany:$job THIS-FILE); done",
    ]


@dataclass(frozen=True)
class Scheduler:
    """How the scripts of a scheduler are written: the prefix of its directives, how a script is submitted, and these.

    A directive is a text, or two: for one job, and for an array of jobs of which one runs at a time. Where the job
    `tells_tasks`, `groma run` finds there how many it has on each node.
    """

    prefix: str
    submit: str
    directives: tuple[str | tuple[str, str], ...]
    tells_tasks: bool = True

    def lines(self, job: Job) -> list[str]:
        """Return the directives of a job, those of the site last."""
        texts = (text if isinstance(text, str) else text[job.several] for text in self.directives)
        own = (directive.strip() for directive in job.directives)
        return [f"{self.prefix} {line}" for line in (*(text.format(**job.words) for text in texts if text), *own)]


SCHEDULERS: Mapping[str, Scheduler] = {
    "slurm": Scheduler(
        "#SBATCH",
        "sbatch {}",
        (
            *("--job-name={name}", "--nodes={nodes}", "--ntasks-per-node={ppn}", "--time={clock}"),
            f"--signal=B:USR1@{WARNING_S}",
            ("--output={name}-%j.out", "--output={name}-%A-%a.out"),
            ("", "--array=1-{jobs}%1"),
        ),
    ),
    "pbs": Scheduler(
        "#PBS",
        "qsub {}",
        (
            *("-N {short_name}", "-l select={nodes}:ncpus={ppn}:mpiprocs={ppn}", "-l walltime={clock}", "-j oe"),
            ("", "-J 1-{jobs}%1"),
        ),
    ),
    "lsf": Scheduler(
        "#BSUB",
        "bsub < {}",
        (
            ("-J {name}", '-J "{name}[1-{jobs}]%1"'),
            *("-n {ranks}", '-R "span[ptile={ppn}]"', "-W {hours_minutes}", "-wa USR1", f"-wt {WARNING_S // 60}"),
            ("-o {name}-%J.out", "-o {name}-%J-%I.out"),
        ),
    ),
    "flux": Scheduler(
        "#flux:",
        "flux batch {}",
        (
            *("--job-name={name}", "--nodes={nodes}", "--nslots={ranks}", "--time-limit={minutes}m"),
            "--output={name}-{{{{id}}}}.out",
        ),
        tells_tasks=False,
    ),
}


def job_name(text: str) -> str:
    """Return a name that every scheduler takes."""
    return "groma-" + re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-")


def job_script(scheduler: str, job: Job, folder: str, *, measuring: list[str], variables: Mapping[str, str]) -> str:
    """Return the script that runs `measuring` in `folder`.

    The command replaces the shell, so that the scheduler's signals reach it. Raises InputError for a directive that is
    not one line, and for a job that ends as soon as it begins.
    """
    form = SCHEDULERS[scheduler]
    for own in job.directives:
        if not own.isprintable() or not own.strip():
            raise InputError(
                f"{own!r} is not a directive of one line; write it as for {scheduler}, such as --account=abc"
            )
    if job.time_s < _SHORTEST_S:
        raise InputError(f"a job of {job.time_s:g} s would end as it begins; give it at least {_SHORTEST_S / 60:g} min")
    lines = [
        "#!/bin/sh",
        *form.lines(job),
        f"# A campaign of Groma. Submit it with: {form.submit.format('THIS-FILE')}",
        *_one_after_the_other(scheduler, job),
        "# Submitted again, it continues a run that ended early; after a complete one it makes another.",
        f"cd {shlex.quote(folder)} || exit",
        *(f"export {name}={shlex.quote(value)}" for name, value in variables.items()),
        f"exec {shlex.join(measuring)}",
    ]
    return "\n".join(lines) + "\n"
