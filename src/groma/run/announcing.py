"""What is said of where the ranks of a prepared run go: on which hosts and CPUs, and in which job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.expected import ANYWHERE
from groma.plan import Variant
from groma.run.campaign import usable_s
from groma.run.forecast import crowding, expected_s
from groma.text.counts import counted, plain_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.launch.allocation import Allocation
    from groma.launch.command import LaunchCommand
    from groma.run.prepared import Prepared


def expected_places(prepared: Prepared) -> list[str]:
    """Say where the ranks of each rank count and variant should be, where the command says that."""
    return [
        f"{counted(ranks, 'rank')}{f' as {name}' if name else ''}: {command.expected}"
        for name, ranks, command in commands_of(prepared)
        if command.expected != ANYWHERE
    ]


def commands_of(prepared: Prepared) -> Iterator[tuple[str, int, LaunchCommand]]:
    """Yield variant, ranks and command of each kind of launch; raises InputError as `Setup.command`."""
    for chosen in prepared.plan.variants or (Variant(""),):
        for ranks in prepared.plan.rank_counts:
            command = prepared.setup_of(chosen).command(ranks, [], chosen.env, chosen.placement, chosen.hosts)
            yield chosen.name, ranks, command


def crowding_of(prepared: Prepared) -> str:
    """Warn of more ranks than CPUs; empty where every rank has one."""
    setup, most = prepared.setup, max(prepared.plan.rank_counts)
    return crowding(most, setup.cpus) if setup.oversubscribed(most) else ""


def ranks_of_job(prepared: Prepared) -> str:
    """Say which hosts of the job have no rank in any launch, or that launches have other ranks than it has tasks.

    Empty where neither is so, and where a person named the hosts.
    """
    setup, counts = prepared.setup, prepared.plan.rank_counts
    job = setup.job
    if job is None or not setup.hosts.of_job:
        return ""
    listed = counted(counts[0], "rank") if len(counts) == 1 else f"{' and '.join(map(str, counts))} ranks"
    ranks = f"launches have {listed}, as -n or the plan says"
    if job.tasks:
        ranks += f", and the job has {counted(job.tasks, 'task')}"
    expected = [command.expected.hosts for _, _, command in commands_of(prepared)]
    used = {host for hosts in expected for host in hosts}
    if not all(expected):  # the launcher chooses: one host for each rank at most
        used |= set(job.names[: max(counts)])
    unused = [name for name in job.names if name not in used]
    if unused:
        verb = "stays" if len(unused) == 1 else "stay"
        names = f" ({', '.join(unused)})" if all(expected) else ""
        return f"{len(unused)} of the job's {counted(len(job.names), 'host')}{names} {verb} unused: {ranks}."
    return f"{ranks[0].upper()}{ranks[1:]}." if job.tasks and job.tasks not in counts else ""


def job_sentence(job: Allocation, prepared: Prepared) -> str:
    """Say which job the run is in, and where that is so, that not all of it will fit into the job's time."""
    left_s, needed = job.left_s(), expected_s(prepared.plan, prepared.catalog)
    sentence = (
        f"In {job.scheduler} job {job.job}: {counted(len(job.names), 'host') if job.names else 'hosts not known'}"
    )
    if left_s is None:
        return f"{sentence}, end not known."
    sentence += f", {plain_duration(left_s)} left."
    if needed > usable_s(job):
        sentence += " That is less than the launches are expected to take; continue in another job with --resume."
    return sentence
