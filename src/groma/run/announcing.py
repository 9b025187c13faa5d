"""Messages before a run: its launches, placement, job, and skipped points."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from groma.catalog.values import write_value
from groma.launch.allocation import Allocation
from groma.launch.command import LaunchCommand
from groma.launch.engine import engine_arguments
from groma.launch.families.base import ANYWHERE
from groma.plan import Variant
from groma.run.ahead import by_earlier_run
from groma.run.campaign import usable_s
from groma.run.directory import RunDirectory
from groma.run.forecast import crowding, expected_s, forecast, launches_of, of_launches
from groma.run.prepared import Prepared
from groma.run.progress import WORTH_SAYING_S
from groma.run.schedule import turn
from groma.text.console import path_line
from groma.text.counts import counted, plain_duration


def expected_places(prepared: Prepared) -> list[str]:
    """Say where the ranks of each rank count and variant should be, if the command says that."""
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
    """Warn of more ranks than CPUs; empty if every rank has one."""
    setup, most = prepared.setup, max(prepared.plan.rank_counts)
    return crowding(most, setup.cpus) if setup.oversubscribed(most) else ""


def ranks_of_job(prepared: Prepared) -> str:
    """Say which hosts of the job have no rank in any launch, or that launches have other ranks than it has tasks.

    Empty if neither is so, and if a person named the hosts.
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
    """Name the run's job, and warn if the run does not fit into the job's time."""
    left_s, needed = job.left_s(), expected_s(prepared.plan, prepared.catalog, known=prepared.known)
    sentence = (
        f"In {job.scheduler} job {job.job}: {counted(len(job.names), 'host') if job.names else 'hosts not known'}"
    )
    if left_s is None:
        return f"{sentence}, end not known."
    sentence += f", {plain_duration(left_s)} left."
    if needed > usable_s(job):
        sentence += " That is less than the launches are expected to take; continue in another job with --resume."
    return sentence


def dry_run(prepared: Prepared, output: Path | None, console: Console) -> None:
    """Print the exact command of each kind of launch and all points; nothing is started or written."""
    plan = prepared.plan
    directory = output or Path("runs") / f"{plan.name}-YYYYMMDD-HHMMSS"
    counts = plan.rank_counts
    ranks = " and ".join(map(str, counts))
    names = f", variants: {' and '.join(variant.name for variant in plan.variants)}" if plan.variants else ""
    path_line(console, f"# points: {len(plan.points)}, ranks: {ranks}{names}, launches of each: {plan.launches}")
    known = by_earlier_run(prepared)
    path_line(console, f"# expected: {forecast(plan, prepared.catalog, known=known)}")
    remarks = [
        prepared.setup.note,
        crowding_of(prepared),
        ranks_of_job(prepared),
        *expected_places(prepared),
        *refused_sentences(prepared),
        of_launches(plan, prepared.catalog),
        *(f"no {name}: {reason}" for name, reason in plan.lacking.items()),
    ]
    for sentence in filter(None, remarks):
        path_line(console, f"# {sentence}")
    if plan.refinement.active:
        path_line(
            console,
            "# sizes are added after the first launch of each rank count, in separate launches, where curves bend",
        )
    if plan.program:
        path_line(console, "# further points follow in stages of their own, decided from what is measured")
    if plan.launches > 1:
        path_line(console, f"# each command {plan.launches} times, in turns; launches/001 counts the launches")
    first_messages = prepared.catalog.has_first_messages(plan.points)
    for number in range(1, launches_of(plan) // plan.launches + 1):
        folder = RunDirectory(directory).launch(number)
        count, variant = turn(number, counts, len(plan.variants))
        chosen = plan.variants[variant] if plan.variants else Variant("")
        setup = prepared.setup_of(chosen)
        arguments = engine_arguments(folder, first_messages=first_messages)
        command = setup.command(count, arguments, chosen.env, chosen.placement, chosen.hosts)
        path_line(console, command.shell())
    whose = {
        place: [name for name, own in plan.parts.items() if place in own.points] for place in range(len(plan.points))
    }
    for place, point in enumerate(plan.points):
        names = f"  # {', '.join(whose[place])}" if whose[place] else ""
        path_line(console, " ".join(f"{name}={write_value(value)}" for name, value in point.items()) + names)


def refused_sentences(prepared: Prepared) -> list[str]:
    """Say which points are left out with which library."""
    points = prepared.plan.points
    counts: dict[tuple[str, str, str], int] = {}
    for variant, refused in prepared.refused.items():
        for at, reason in refused.items():
            key = (variant, str(points[at]["operation"]), reason)
            counts[key] = counts.get(key, 0) + 1
    return [
        f"{operation} is not measured with {variant} ({counted(count, 'point')}): {reason}."
        for (variant, operation, reason), count in counts.items()
    ]


def announce(prepared: Prepared, console: Console, launches: int) -> bool:
    """Say before the first launch how long the launches may take, if that is long, and what they lack.

    Return whether it was said how long.
    """
    for sentence in filter(None, [prepared.setup.note, *refused_sentences(prepared)]):
        console.print(sentence, markup=False, soft_wrap=True)
    if job := prepared.setup.job:
        for sentence in filter(None, [job_sentence(job, prepared), ranks_of_job(prepared)]):
            console.print(sentence, markup=False, soft_wrap=True)
    doubt, asked = crowding_of(prepared), (prepared.plan, prepared.catalog, launches, prepared.known)
    is_long = bool(doubt) or expected_s(*asked) >= WORTH_SAYING_S
    if is_long:
        console.print(f"{forecast(*asked)}.", markup=False, soft_wrap=True)
    for sentence in filter(None, [doubt, of_launches(prepared.plan, prepared.catalog)]):
        console.print(sentence, markup=False, soft_wrap=True)
    return is_long
