"""How the C program of a point is compiled and run: with the run's launcher, its arguments and its variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from groma.results import Launch
from groma.text.secret import LEFT_OUT, is_secret

_OWN = "GROMA_"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAN = "--plan"


def compile_command(name: str) -> str:
    """Return the command that compiles it, by the compiler of the MPI library that is to be measured."""
    return f"mpicc -O2 -o {name} {name}.c"


def run_command(name: str, launch: Launch) -> str:
    """Return the command that runs it once, as a launch of the run was started."""
    meta = launch.meta
    words = launcher_words(meta.command if meta else [], launch.ranks or 1)
    variables = meta.environment if meta else {}
    return " ".join([*_assignments(variables), shlex.join([*words, f"./{name}"])])


def launcher_words(command: Sequence[str], ranks: int) -> list[str]:
    """Return the words of a launch's command before the engine; those of a plain mpiexec if they are not known."""
    if _PLAN not in command[1:]:
        return ["mpiexec", "-n", str(ranks)]
    return list(command[: command.index(_PLAN) - 1])


def script(name: str, launch: Launch, launches: int) -> str:
    """Return a shell script that compiles the program, runs it as often as the run had launches, and prints all.

    It ends with the exit code of the first launch that fails.
    """
    return "\n".join(
        [
            "#!/bin/sh",
            f"# Compiles {name}.c and runs it {launches} times. The median of what it prints is to be compared.",
            'set -e\ncd "$(dirname "$0")"',
            compile_command(name).replace("mpicc", "${MPICC:-mpicc}", 1),
            f"for launch in $(seq {launches}); do {run_command(name, launch)}; done >{name}.us",
            f"sort -n {name}.us",
            "",
        ]
    )


def program_name(operation: str, size: int | None) -> str:
    """Return the name of the files, such as pingpong-8."""
    return operation.replace("/", "-") + ("" if size is None else f"-{size}")


def write(folder: Path, name: str, program: str, commands: str) -> Path:
    """Write both files and return the path of the program; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.c").write_text(program, encoding="utf-8")
    (folder / f"{name}.sh").write_text(commands, encoding="utf-8")
    (folder / f"{name}.sh").chmod(0o755)
    return folder / f"{name}.c"


def _assignments(variables: Mapping[str, str]) -> list[str]:
    """Return the variables of a record as words of a shell; what is no name of a variable could be a command."""
    kept = {
        name: value
        for name, value in variables.items()
        if _NAME.fullmatch(name) and not name.startswith(_OWN) and not is_secret(name) and LEFT_OUT not in value
    }
    return [f"{name}={shlex.quote(value)}" for name, value in sorted(kept.items())]
