"""A checked plan, its engine and its launcher."""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from groma.catalog import Catalog
from groma.errors import InputError, LaunchError
from groma.launch.asking import answer_of
from groma.launch.causes import cause_in, reason_in
from groma.launch.command import Setup
from groma.launch.placing import hosts_listed
from groma.plan import Plan, Variant
from groma.plan.hosts import Host, Hosts, labels_apart, same_host
from groma.results.documents import HostFiles
from groma.run.forecast import Known
from groma.run.schedule import Further
from groma.text.counts import first_names

_TIMEOUT_S = 120.0
# Up to this number of hosts, each is asked by itself if not all answer, to name those that do not.
_MOST_ASKED_ALONE = 64
_listed = functools.partial(first_names, most=4)
# The path comes as an argument, and nothing else does: no shell reads what a plan or a person wrote.
_SCRIPT = r"""
sum= library= library_sum=
if [ -x "$1" ]; then
  sum=$(cksum < "$1")
  library=$(LD_TRACE_LOADED_OBJECTS=1 "$1" 2> /dev/null | sed -n 's/^[[:space:]]*libmpi[^ ]* => \([^(]*[^ (]\).*/\1/p')
  library=${library%%
*}
  if [ -r "$library" ]; then library_sum=$(cksum < "$library"); fi
fi
echo "groma-host|$(uname -n)|$sum|$library|$library_sum|"
"""
_ANSWER = re.compile(r"groma-host\|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|")
_NOT_FOUND = "not found"
_MEMORY = ("memory", "send_memory", "receive_memory")


def visit(setup: Setup) -> list[HostFiles]:
    """Return what each host of a setup, or of its launcher's own arguments, has; nothing for fewer than two hosts.

    All hosts are asked at once: the run's own launcher starts one small shell program on each. It prints what the host
    calls itself, the checksum of the engine's file, the library that the loader finds for it, and that file's checksum.
    Raises LaunchError, with the command that copies them, if engine or library are missing on a host, and where the
    launcher starts nothing on the hosts.
    """
    listed, launcher = hosts_listed(setup.launcher)
    hosts = listed or setup.hosts
    names = list(dict.fromkeys(host.name for host in hosts.hosts))
    if len(names) < 2:
        return []
    asked = replace(setup, launcher=launcher, hosts=hosts)
    try:
        answer = _asked(asked, names)
    except InputError:
        return []  # the person's own arguments or the launcher place ranks in a way that only a launch can try
    answers = [
        HostFiles(name, str(setup.engine.path), *_sums(engine, library, library_sum))
        for name, engine, library, library_sum in _ANSWER.findall(answer.stdout)
    ]
    if answer.returncode != 0 and len(answers) < len(names):
        raise _not_started(asked, names, answer)
    _refuse_missing(answers, setup)
    return sorted(answers, key=lambda files: _place(files.name, names))  # they answer in any order


def _asked(setup: Setup, names: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Start the shell program once on each of these hosts of a setup.

    Raises InputError if the launcher has no way to it, and LaunchError if nothing answers.
    """
    each = Hosts(tuple(Host(name) for name in names), 1, of_job=setup.hosts.of_job)
    command = replace(setup, hosts=each).command(len(names), [])
    words = [*command.words[:-1], "/bin/sh", "-c", _SCRIPT, "sh", str(setup.engine.path)]
    try:
        return answer_of(words, _TIMEOUT_S, command.environment())
    except OSError as error:
        raise LaunchError(
            f"{setup.launcher.path} starts nothing on {_listed(names)} ({error}); try it by hand"
        ) from None


def _not_started(setup: Setup, names: Sequence[str], answer: subprocess.CompletedProcess[str]) -> LaunchError:
    """Return the error of a launcher that did not start programs on all hosts: which hosts, why, and what to do."""
    failing, printed = list(names), answer.stderr.strip() or answer.stdout.strip()
    if len(names) <= _MOST_ASKED_ALONE and (alone := _failing_alone(setup, names)):
        failing, printed = list(alone), next(iter(alone.values())) or printed
    cause = cause_in(printed)
    remedy = cause.remedy if cause and cause.remedy else _copy_parts(failing)
    reason = cause.text if cause else reason_in(printed) or f"exit code {answer.returncode}"
    return LaunchError(f"{setup.launcher.path} does not start programs on {_listed(failing)} ({reason}); {remedy}")


def _failing_alone(setup: Setup, names: Sequence[str]) -> dict[str, str]:
    """Ask every host separately; return the launcher's output for those that do not answer."""
    failing: dict[str, str] = {}
    for name in names:
        try:
            answer = _asked(setup, [name])
        except (InputError, LaunchError):
            continue
        if answer.returncode != 0 and not _ANSWER.search(answer.stdout):
            failing[name] = answer.stderr.strip()
    return failing


def _copy_parts(names: list[str]) -> str:
    return f"every host needs parts of the launcher: copy those of an MPI installed with Groma by: {_stage(names)}"


def _place(own_name: str, names: list[str]) -> int:
    """Return the place among the hosts of the one that has this name for itself; the last if it has another."""
    labels = labels_apart(names)
    return next((place for place, name in enumerate(names) if same_host(name, own_name, labels)), len(names))


def merged(before: Iterable[HostFiles], now: Iterable[HostFiles]) -> list[HostFiles]:
    """Return what is known of all hosts: of a host that was visited again, what it has now."""
    return list({(files.name, files.engine): files for files in [*before, *now]}.values())


def _sums(engine: str, library: str, library_sum: str) -> tuple[str, str, str]:
    return engine.replace(" ", "-"), "" if library == _NOT_FOUND else library, library_sum.replace(" ", "-")


def _refuse_missing(answers: list[HostFiles], setup: Setup) -> None:
    path = setup.engine.path
    if lacking := [files.name for files in answers if not files.engine_sum]:
        raise LaunchError(
            f"{path} is not on {_listed(lacking)}; copy it with: {_stage(lacking)}, or install Groma in a folder that "
            "all hosts share"
        )
    if setup.engine.family and (lacking := [files.name for files in answers if not files.library]):
        raise LaunchError(
            f"the MPI library of {path} is not on {_listed(lacking)}; install it there in the same folder, or copy the "
            f"one installed with Groma by: {_stage(lacking)}"
        )


def _stage(names: list[str]) -> str:
    return f"groma stage {','.join(names)}"


@dataclass(frozen=True)
class Prepared:
    """A checked plan, its engine and its launcher; variants with a library of their own have theirs in `setups`.

    `refused` has for these the points that their engines do not measure, and why, by place in the plan. With
    `any_placement` ranks may be elsewhere than asked; with `any_build` engine and library may be replaced between
    launches. No more than `pause_after` launches are made now. `host_files` is what each of several hosts has of engine
    and library. `known` is how long launches take, if others showed it. `further` rounds come after those asked for.
    """

    plan: Plan
    catalog: Catalog
    setup: Setup
    setups: Mapping[str, Setup] = field(default_factory=dict)
    refused: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    any_placement: bool = False
    pause_after: int | None = None
    host_files: tuple[HostFiles, ...] = ()
    any_build: bool = False
    known: Known | None = None
    further: Further | None = None

    def setup_of(self, variant: Variant | None) -> Setup:
        """Return what starts the launches of a variant; threads of ranks choose their own CPUs."""
        setup = self.setups.get(variant.name, self.setup) if variant else self.setup
        return replace(setup, unbound=True) if self._has_threads else setup

    @property
    def _has_threads(self) -> bool:
        """Whether ranks of some point have several threads."""
        return any(
            "threads" in self.catalog.operation(str(point["operation"])).uses and point.get("threads") != 1
            for point in self.plan.points
        )


def visited(prepared: Prepared) -> Prepared:
    """Return the same with the engine and library of every host; raises LaunchError if a host lacks one.

    Raises InputError if a library does not take the memory of devices that the plan asks for.
    """
    setups = [prepared.setup, *(setup for setup in prepared.setups.values() if setup != prepared.setup)]
    found = replace(prepared, host_files=tuple(files for setup in setups for files in visit(setup)))
    if any(name in point for point in prepared.plan.points for name in _MEMORY):
        from groma.machine.devices import refuse_unable  # noqa: PLC0415 - of plans with memory of devices

        variants = prepared.plan.variants or (None,)
        refuse_unable([(prepared.setup_of(one), dict(one.env) if one else {}) for one in variants], prepared.plan)
    return found
