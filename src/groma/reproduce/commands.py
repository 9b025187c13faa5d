"""How the C program of a point is compiled and run, as the run's launches were, and the comment at its top."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from groma.analysis.summary import PointSummary
from groma.reproduce.method import OPERATIONS, Method
from groma.results import Launch, Run
from groma.text.counts import counted
from groma.text.secret import LEFT_OUT, is_secret
from groma.text.sizes import format_size

_OWN = "GROMA_"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAN = "--plan"
_WIDTH = 110
_STARTS = {
    "none": "calls follow each other",
    "barrier": "an MPI_Barrier before each sample",
    "dissemination": "a dissemination barrier before each sample",
    "roundtime": "each sample starts at a time that rank 0 announces; samples for which a rank was late are repeated",
}
_OVER_RANKS = {
    "root": "the time of rank 0",
    "max": "the longest time of the ranks",
    "min": "the shortest time of the ranks",
    "mean": "the mean time of the ranks",
    "span": "the time from the first rank's entry to the last one's exit",
}


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


def head(run: Run, summary: PointSummary, method: Method, name: str, time: str) -> list[str]:
    """Return the lines of the comment; `time` is what one figure is, in the catalogue's words."""
    size = "" if summary.bytes is None else f" of {format_size(summary.bytes)}"
    of_calls = f"of {method.calls} calls in a row" if method.in_blocks else "of one call"
    outliers = " middle half of the" if method.outliers == "trim_quarters" else ""
    measured = f"{run.libraries} on {run.meta.host}" if run.meta.host else run.libraries
    checked = " What arrived is checked at the end." if OPERATIONS[method.operation].expected else ""
    what = f"{method.operation}{size} among {counted(method.ranks, 'rank')}"
    sample = f"{_OVER_RANKS[method.reduce]}, {of_calls}; {_STARTS[method.sync]}"
    samples = f"the {method.estimator} of the{outliers} {method.samples} samples"
    sentences = (
        f"{what}, as Groma {run.meta.groma} measured it with {measured} (run {run.path.name}).",
        f"Groma's figure ({time}): {_figure(summary)}.",
        f"This program prints the figure of one launch: {samples}, after {counted(method.warmup, 'call')} of warm-up.",
        f"A sample is {sample}.{checked}",
        "Compile and run, as often as there were launches, and compare the medians:",
    )
    commands = [compile_command(name), run_command(name, summary.first_launch)]
    return [*_wrapped(*sentences), *(f"  {command}" for command in commands)]


def _figure(summary: PointSummary) -> str:
    launches = counted(len(summary.rows), "launch")
    bounds = summary.interval if summary.interval_kind in ("launches", "range") else None
    kind = "95 % interval" if summary.interval_kind == "launches" else "from"
    within = f", {kind} {bounds.low / 1e3:.4g} to {bounds.high / 1e3:.4g} us" if bounds else ""
    return f"{summary.time_ns / 1e3:.4g} us{within}, over {launches}"


def _wrapped(*sentences: str) -> list[str]:
    return [line for sentence in sentences for line in textwrap.wrap(sentence.replace("\N{MICRO SIGN}", "u"), _WIDTH)]
