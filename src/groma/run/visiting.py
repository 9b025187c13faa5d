"""Which engine and which MPI library each host of a launch has: asked of all hosts at once, before the first launch.

The run's own launcher starts one small shell program on every host. It tells what the host calls itself, the checksum
of the engine's file, the library that the loader finds for it, and that file's checksum.
"""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from groma.counts import first_names
from groma.errors import InputError, LaunchError
from groma.launch.asking import answer_of
from groma.launch.placing import hosts_listed
from groma.plan.hosts import Host, Hosts, own_name
from groma.results.documents import HostFiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.launch import Setup

_TIMEOUT_S = 120.0
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


def visit(setup: Setup) -> list[HostFiles]:
    """Return what each host of a setup, or of its launcher's own arguments, has; nothing for fewer than two hosts.

    Raises LaunchError, with the command that copies them, where engine or library are missing on a host, and where the
    launcher starts nothing on the hosts.
    """
    listed, launcher = hosts_listed(setup.launcher)
    hosts = listed or setup.hosts
    names = list(dict.fromkeys(host.name for host in hosts.hosts))
    if len(names) < 2:
        return []
    each = Hosts(tuple(Host(name) for name in names), 1, of_job=hosts.of_job)
    try:
        command = replace(setup, launcher=launcher, hosts=each).command(len(names), [])
    except InputError:
        return []  # the person's own arguments or the launcher place ranks in a way that only a launch can try
    path = setup.engine.path
    words = [*command.words[:-1], "/bin/sh", "-c", _SCRIPT, "sh", str(path)]
    try:
        answer = answer_of(words, _TIMEOUT_S, command.environment())
    except OSError as error:
        raise LaunchError(
            f"{setup.launcher.path} starts nothing on {_listed(names)} ({error}); try it by hand"
        ) from None
    answers = [
        HostFiles(name, str(path), *_sums(engine, library, library_sum))
        for name, engine, library, library_sum in _ANSWER.findall(answer.stdout)
    ]
    if answer.returncode != 0 and len(answers) < len(names):
        printed = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
        of_errors = [line for line in printed if "error" in line.lower()]  # srun prints remarks before them
        reason = next(iter([*of_errors, *printed]), f"exit code {answer.returncode}")
        raise LaunchError(
            f"{setup.launcher.path} does not start programs on all of {_listed(names)} ({reason}); every host needs "
            f"parts of the launcher: copy those of an MPI installed with Groma by: {_stage(names)}"
        )
    _refuse_missing(answers, setup)
    places = {own_name(name): place for place, name in enumerate(names)}
    return sorted(answers, key=lambda files: places.get(own_name(files.name), len(names)))  # they answer in any order


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
