"""One launch: its documents, its process and its results."""

from __future__ import annotations

import functools
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from groma.catalog import packaged
from groma.errors import UNDECODABLE, OutputError, RunError
from groma.launch.causes import endless_wait
from groma.launch.command import LaunchCommand, Setup
from groma.launch.engine import engine_arguments
from groma.launch.families.base import Expected
from groma.launch.placing import hosts_listed
from groma.launch.process import Interrupts, Process
from groma.launch.words import last_words, words_of
from groma.plan.hosts import labels_apart, same_host
from groma.results.bounds import SCHEMA, cpu_list
from groma.results.documents import LaunchDocument, Nodes, RunDocument
from groma.run.builds import build_of
from groma.run.directory import RunDirectory, now_iso
from groma.run.following import Follower
from groma.run.prepared import Prepared
from groma.run.progress import REFRESH_S
from groma.run.schedule import Step

# Until the engine has said who takes part nothing is timed, and a wrong launcher is soon noticed.
_START_S = 0.2
# What the engine's watchdog cannot see: MPI that never starts; a launcher that stays when everything is recorded, or
# when the watchdog has ended the ranks; and ranks that are gone without a word, as on a host whose network is lost.
START_LIMIT_S = 600.0
END_LIMIT_S = 60.0
GONE_LIMIT_S = 15.0
_SILENT = "does not answer"
_RANK = re.compile(
    r"\brank (?P<rank>\d{1,9}): (?P<stage>[^,\n]+)(?:, batch (?P<batch>\d{1,18}))?"
    r"(?:, (?P<ended>\d{1,18}) of \d+ repetitions done)?(?P<inside>, inside the operation)?(?P<asleep>, asleep)?$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Launched:
    """A launch that is over; `misplaced` says which rank was elsewhere than its command should have put it."""

    exit_code: int
    wall_s: float
    follower: Follower
    words: str
    misplaced: str = ""

    @property
    def complete(self) -> bool:
        """True if everything asked of it was measured."""
        return self.exit_code == 0 and self.follower.ended and not self.follower.failures

    @property
    def sound(self) -> bool:
        """True if only points without a figure are missing, which another launch may measure."""
        return self.follower.ended and self.follower.failures.keys() == self.follower.without_samples


class Patience:
    """How long a launch may take if no point's limit applies."""

    def __init__(
        self, started_s: float, longest_point_s: float = math.inf, printed: Callable[[], str] = lambda: ""
    ) -> None:
        """Start counting at `started_s` of the monotonic clock; no point takes longer than `longest_point_s`.

        `printed` returns what launcher and ranks have said on standard error.
        """
        self._since_s, self._silence_s, self._records = started_s, longest_point_s + END_LIMIT_S, 0
        self._printed = printed

    def overdue(self, follower: Follower) -> str:
        """Return the reason to end the launch now; empty without one."""
        now_s = time.monotonic()
        if not follower.started and now_s - self._since_s > START_LIMIT_S:
            return f"MPI did not start within {START_LIMIT_S:g} s"
        if not follower.started and (endless := endless_wait(self._printed())):
            return endless
        if follower.records != self._records:
            self._since_s, self._records = now_s, follower.records
        silent_s = now_s - self._since_s
        if follower.ended and silent_s > END_LIMIT_S:
            return f"the launcher did not end within {END_LIMIT_S:g} s of the last record"
        if follower.timed_out and silent_s > GONE_LIMIT_S:
            return f"the launcher did not end within {GONE_LIMIT_S:g} s of its ranks; is the network of a host lost?"
        if follower.started and silent_s > self._silence_s:
            return (
                f"nothing was recorded for {silent_s:.0f} s, longer than limit_s allows; is a host or its network lost?"
            )
        return ""


def make_launch(
    step: Step,
    prepared: Prepared,
    document: RunDocument,
    directory: RunDirectory,
    *,
    interrupts: Interrupts,
    watch: Callable[[Follower, float], None],
) -> Launched:
    """Start the engine for one step and wait for its end; `watch` gets records and seconds about once a second."""
    folder = directory.make_launch(step.number)
    command, account = _prepare(step, prepared, document, directory, folder)
    directory.write_json(folder / "launch.json", account, durable=False)
    follower, began_s = Follower(folder / "points.jsonl"), time.monotonic()
    try:
        process = Process(command, folder / "stderr")
    except OSError as error:
        raise OutputError(f"launch {step.number} could not be started ({error}); see {folder}") from None
    elsewhere = functools.partial(misplaced, command.expected, folder / "nodes.json")
    try:
        refused = _nowhere if document.any_placement else elsewhere
        printed = functools.partial(words_of, folder / "stderr")
        patience = Patience(began_s, _longest_point_s(step, document), printed)
        overdue = _supervise(process, step, follower, interrupts, patience=patience, watch=watch, elsewhere=refused)
    finally:
        if process.exit_code is None:
            process.end(interrupts)
        process.sweep()
    wall_s = time.monotonic() - began_s
    account.finished, account.exit_code, account.wall_s = now_iso(), process.exit_code, round(wall_s, 4)
    account.misplaced = elsewhere()
    follower.read()
    if follower.timed_out:
        account.not_arrived = ranks_not_arrived(folder / "stderr")
    directory.write_json(folder / "launch.json", account)
    words = overdue or _without_folder(folder, _first_host(command, prepared.setup)) or last_words(folder / "stderr")
    return Launched(process.exit_code or 0, wall_s, follower, words, account.misplaced)


def _first_host(command: LaunchCommand, setup: Setup) -> str:
    """Return the host where rank 0 should be; empty if the launcher chooses."""
    listed, _ = hosts_listed(setup.launcher)
    return next(iter(command.expected.hosts or (host.name for host in (listed or setup.hosts).hosts)), "")


def _without_folder(folder: Path, first_host: str) -> str:
    """Say that the host of rank 0 does not have the launch's folder: it shares no files with this host."""
    plan = folder / "plan.json"
    if not plan.exists() or f"can't read the plan {plan.absolute()}" not in words_of(folder / "stderr"):
        return ""
    return (
        f"{first_host or 'the host of rank 0'} does not have {folder.absolute()}, where rank 0 reads the plan and "
        "writes the records; put the run in a folder that all hosts share (-o)"
    )


def _nowhere() -> str:
    """Refuse no placement."""
    return ""


def _prepare(
    step: Step, prepared: Prepared, document: RunDocument, directory: RunDirectory, folder: Path
) -> tuple[LaunchCommand, LaunchDocument]:
    """Write the launch's plan and return what starts it."""
    points = [document.plan.points[index] | _enough(step, index) for index in step.indices]
    variant = document.variants[step.variant] if document.variants else None
    name, setup = variant.name if variant else None, prepared.setup_of(variant)
    asked, seed = document.of_program(name).plan, document.seed + step.number
    plan = {"schema": SCHEMA, "order": asked.order, "seed": seed, **asked.settings, "points": points}
    directory.write_json(folder / "plan.json", plan, durable=False)
    command = setup.command(
        step.ranks,
        engine_arguments(
            folder,
            {pair.name: pair.pair for pair in document.pairs},
            first_messages=prepared.catalog.has_first_messages(points),
        ),
        variant.env if variant else None,
        variant.placement if variant else "",
        variant.hosts if variant else "",
    )
    account = LaunchDocument(
        number=step.number,
        ranks=step.ranks,
        command=list(command.words),
        variant=name,
        library=document.libraries.get(name or ""),
        build=build_of(setup, variant),
        environment=command.recorded_environment(),
        set_by_groma=list(command.own),
        started=now_iso(),
        points=len(points),
    )
    return command, account


def _enough(step: Step, index: int) -> dict[str, float]:
    """Return the precision of one point in this launch, if it is another than asked."""
    return {"precision": step.precisions[index]} if index in step.precisions else {}


def _longest_point_s(step: Step, document: RunDocument) -> float:
    """Return the largest limit_s of the launch's points: the watchdog ends one that takes longer."""
    default = packaged().field("limit_s", "point").default
    limits = [float(document.plan.points[index].get("limit_s", default)) for index in step.indices]
    return max(limits) if all(limits) else math.inf


def _supervise(
    process: Process,
    step: Step,
    follower: Follower,
    interrupts: Interrupts,
    *,
    patience: Patience,
    watch: Callable[[Follower, float], None],
    elsewhere: Callable[[], str],
) -> str:
    """Wait until the process ends, and end it if it must not go on; return why it was overdue, if it was.

    `elsewhere` is asked once, when the ranks have said where they are.
    """
    began_s = time.monotonic()
    overdue, checked_places, misplacement = "", False, ""
    while process.exit_code is None:
        follower.read()
        watch(follower, time.monotonic() - began_s)
        overdue = patience.overdue(follower)
        if follower.started and not checked_places:
            checked_places, misplacement = True, elsewhere()
        if interrupts.received is not None or overdue or misplacement or follower.ranks not in (None, step.ranks):
            process.end(interrupts)
        else:
            interrupts.wait(REFRESH_S if follower.started else _START_S)
    return overdue


def ranks_not_arrived(output: Path) -> list[int]:
    """Return the ranks that are behind others, by the reports of the nodes' first ranks; none without reports.

    The engine's failure record has those of the node of rank 0. The first rank of every node says on standard error
    where each rank of its node was; the ranks of all nodes are compared here, as the engine compares those of one.
    If all are equally far, those that sleep while others poll.
    """
    try:
        text = output.read_text(errors="replace")
    except OSError:
        return []
    _, _, said = text.partition(" exceeded its limit of ")
    places = {int(match["rank"]): match for match in _RANK.finditer(said)}
    silent = {rank for rank, match in places.items() if match["stage"].startswith(_SILENT)}
    progress = {rank: _progress(match) for rank, match in places.items() if rank not in silent}
    furthest = max(progress.values(), default=(0, 0, 0))
    missing = silent | {rank for rank, reached in progress.items() if reached < furthest}
    asleep = {rank for rank in progress if places[rank]["asleep"]}
    if not missing and len(asleep) < len(progress):
        missing = asleep
    return sorted(missing)


def _progress(match: re.Match[str]) -> tuple[int, int, int]:
    """Return the batch, and how many of its repetitions had ended and had begun."""
    ended = int(match["ended"] or 0)
    return int(match["batch"] or 0), ended, ended + (match["inside"] is not None)


def misplaced(expected: Expected, file: Path) -> str:
    """Compare nodes.json with what was expected; return the first difference as a sentence, or an empty text."""
    if not expected.hosts and not expected.cpus:
        return ""
    try:
        nodes = msgspec.json.decode(file.read_bytes(), type=Nodes)
    except FileNotFoundError:
        return ""
    except (OSError, *UNDECODABLE) as error:
        raise RunError(f"{file} cannot be read ({error}); measure again") from None
    return _of_hosts(expected, nodes) or _of_cpus(expected, nodes)


def _of_hosts(expected: Expected, nodes: Nodes) -> str:
    """Compare hosts by name, where names can be compared, and which ranks share one in any case."""
    if not expected.hosts or len(expected.hosts) != len(nodes.ranks):
        return ""
    actual_names = [nodes.nodes[place.node].name for place in nodes.ranks]
    labels = labels_apart(expected.hosts)
    for rank, (asked_host, actual_host) in enumerate(zip(expected.hosts, actual_names, strict=True)):
        if not same_host(asked_host, actual_host, labels) and _by_name(expected, actual_names):
            return f"rank {rank} was on {actual_host}, not on {asked_host} {expected.as_whom}"
    first_rank: dict[str, int] = {}
    for rank, place in enumerate(nodes.ranks):
        first_of_host = first_rank.setdefault(expected.hosts[rank], rank)
        if place.node != nodes.ranks[first_of_host].node:
            both = f"ranks {first_of_host} and {rank} were on two hosts"
            return f"{both}, not both on {expected.hosts[rank]} {expected.as_whom}"
    if len({place.node for place in nodes.ranks}) < len(first_rank):
        said = "the job has tasks on {} hosts" if expected.of_job else "{} hosts were asked for"
        shared = f"{said.format(len(first_rank))} ({', '.join(first_rank)})"
        return (
            f"all {len(nodes.ranks)} ranks were on {len({place.node for place in nodes.ranks})} of them, and {shared}"
        )
    return ""


def _by_name(expected: Expected, actual_names: list[str]) -> bool:
    """Return whether names of hosts can be compared: no addresses, and not only aliases."""
    names = set(expected.hosts)
    if any(name.replace(".", "").isdigit() or name == "localhost" for name in names):
        return False
    return not expected.aliases or any(same_host(name, actual) for name in names for actual in actual_names)


def _of_cpus(expected: Expected, nodes: Nodes) -> str:
    for place, cpu in zip(nodes.ranks, expected.cpus, strict=False):
        if cpu_list(place.allowed_cpus) != [int(cpu)]:
            allowed = place.allowed_cpus or "CPUs that were not recorded"
            return f"rank {place.rank} was allowed on {allowed}, not on CPU {cpu} as asked"
    return ""
