"""Copying what a launch needs to other hosts: the engine, the MPI library installed with it, and its launcher's parts.

Files keep their paths. They travel as a tar archive, which `ssh HOST tar` unpacks; in a Slurm job, a step of srun with
one task on each node does. A host that has the same files already is left alone.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from groma.errors import LaunchError
from groma.launch.command import Setup
from groma.launch.engine import traced

# Every system has its own of what lies here.
_OF_SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
_RESOLVED = re.compile(r"=> (/\S+)")
# Folders beside a library from which it loads parts of itself, and parts of a launcher beside it.
PLUGINS = ("libfabric", "ucx")
_PARTS = "hydra_*"
_TIMEOUT_S = 600.0
_OF_ARCHIVE = ("--file", "-", "--directory", "/")
_SAME, _UNPACK = ("tar", "--compare", *_OF_ARCHIVE), ("tar", "--extract", *_OF_ARCHIVE)


@dataclass(frozen=True)
class Copied:
    """The hosts that now have the files, and those among them that had them before."""

    hosts: tuple[str, ...]
    already: tuple[str, ...]


def needed_files(setup: Setup) -> list[Path]:
    """Return the engine, the libraries that it loads from outside the system's folders, and its launcher's parts."""
    printed = traced(setup.engine.path, setup.engine_variables())
    loaded = [Path(os.path.normpath(path)) for path in _RESOLVED.findall(printed)]
    own = [path for path in loaded if not str(path).startswith(_OF_SYSTEM)]
    plugins = [path.parent / name for path in own for name in PLUGINS if (path.parent / name).is_dir()]
    launcher = setup.launcher.path
    parts = sorted(launcher.parent.glob(_PARTS)) if launcher.parent == setup.engine.path.parent else []
    return list(dict.fromkeys([setup.engine.path, *own, *plugins, *parts]))


def copy_to_hosts(files: Sequence[Path], hosts: Sequence[str], shell: Sequence[str]) -> Copied:
    """Copy files to each host by `shell`, which takes a host and a command as ssh does; raises LaunchError."""
    copied = [_copy(files, host, [*shell, host]) for host in hosts]
    return Copied(tuple(hosts), tuple(host for host, was_there in zip(hosts, copied, strict=True) if was_there))


def copy_in_job(files: Sequence[Path], nodes: Sequence[str], srun: Path) -> Copied:
    """Copy files to the nodes of the Slurm job around this process; raises LaunchError."""
    words = [str(srun), f"--nodes={len(nodes)}", f"--nodelist={','.join(nodes)}", "--ntasks-per-node=1", "--input=all"]
    was_there = _copy(files, ", ".join(nodes), words)
    return Copied(tuple(nodes), tuple(nodes) if was_there else ())


def _copy(files: Sequence[Path], where: str, shell: list[str]) -> bool:
    """Let hosts unpack the files, unless they have them already, which is then returned."""
    if _sent(files, [*shell, *_SAME]).returncode == 0:
        return True
    completed = _sent(files, [*shell, *_UNPACK])
    if completed.returncode != 0:
        reason = next(
            iter(completed.stderr.decode(errors="replace").strip().splitlines()), f"exit code {completed.returncode}"
        )
        raise LaunchError(
            f"{files[0]} could not be copied to {where} by {shell[0]} ({reason}); make the folder there, or install "
            "Groma in one that all hosts share"
        )
    return False


def _sent(files: Sequence[Path], words: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run a command that reads the archive of the files, with links replaced by what they name."""
    packing = ["tar", "--create", "--dereference", *_OF_ARCHIVE]
    try:
        with subprocess.Popen(
            [*packing, *(str(path).lstrip("/") for path in files)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as packed:
            completed = subprocess.run(words, stdin=packed.stdout, capture_output=True, check=False, timeout=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{words[0]} cannot copy {files[0]} to hosts ({error}); name another with --shell") from None
    return completed
