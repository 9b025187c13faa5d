"""Job scripts: a campaign as a job of a scheduler, short enough for a site to read.

Each scheduler is a template in `schedulers`, which extends script.sh: the directives of a job, the `prefix` of a
site's own, how a script is submitted, and whether a job `tells_tasks`: how many it has on each node.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from groma.errors import InputError
from groma.text.templates import plain_templates

# Seconds before the end of a job at which the scheduler sends Groma a signal: it ends its launch and keeps what it has.
WARNING_S = 60
_LONGEST_NAME = 15  # of PBS
_SHORTEST_S = 120.0
_TEMPLATES = Path(__file__).parent / "schedulers"
_BASE = "script"
SCHEDULERS = tuple(sorted(path.stem for path in _TEMPLATES.glob("*.sh") if path.stem != _BASE))


@dataclass(frozen=True)
class Job:
    """The requests of one job; `directives` are a site's own, such as `--account=abc`.

    With several `jobs` each makes one launch, one job after the other.
    """

    name: str
    nodes: int
    ppn: int
    time_s: float
    directives: tuple[str, ...] = ()
    jobs: int = 1

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
        """Variables of a job's template."""
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
            "directives": [directive.strip() for directive in self.directives],
            "warning_s": WARNING_S,
        }


def job_name(text: str) -> str:
    """Return a name that every scheduler takes."""
    return "groma-" + re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-")


def job_script(
    scheduler: str,
    job: Job,
    folder: str,
    *,
    measuring: list[str],
    variables: Mapping[str, str],
    states_ranks: bool = True,
) -> str:
    """Return the script that runs `measuring` in `folder`, with the job's ranks where neither it nor the job has them.

    The command replaces the shell, so that the scheduler's signals reach it. Raises InputError for a directive that is
    not one line, and for a job that ends as soon as it begins.
    """
    for own in job.directives:
        if not own.isprintable() or not own.strip():
            raise InputError(
                f"{own!r} is not a directive of one line; write it as for {scheduler}, such as --account=abc"
            )
    if job.time_s < _SHORTEST_S:
        raise InputError(f"a job of {job.time_s:g} s would end as it begins; give it at least {_SHORTEST_S / 60:g} min")
    return (
        plain_templates(_TEMPLATES)
        .get_template(f"{scheduler}.sh")
        .render(
            job.words,
            folder=shlex.quote(folder),
            variables=[(name, shlex.quote(value)) for name, value in variables.items()],
            measuring=shlex.join(measuring),
            states_ranks=states_ranks,
        )
    )
