"""One launch of a real program and one of the profile that stands for it, with the same launcher, ranks and binding."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchmarks.fidelity.programs import Figures, Program, Start, sizes_of
from groma.analysis.estimators import estimate
from groma.launch.asking import answer_of
from groma.launch.command import Setup
from groma.plan import Plan, Point
from groma.programs.printed import Test
from groma.results.records import Point as Record
from groma.results.records import decode_record

LONGEST_S = 180


@dataclass(frozen=True)
class Preloaded:
    """A library that stands before the MPI library in every rank, and the variables that it reads."""

    library: Path
    variables: Mapping[str, str]

    def before(self, words: Sequence[str], arguments: Sequence[str]) -> list[str]:
        """Return the words of a launcher's command whose last are a program with these arguments, which it precedes."""
        at = len(words) - 1 - len(arguments)
        return [*words[:at], "env", f"LD_PRELOAD={self.library}", *words[at:]]


@dataclass(frozen=True)
class Bench:
    """A library under test: where its programs are, what starts its ranks, and a folder for a launch's files.

    `compilers` are the library's for C: for its programs, and for the engine (the library's standard ABI is another).
    """

    library: str
    programs: Path
    setup: Setup
    scratch: Path
    compilers: tuple[str, str] = ("mpicc", "mpicc")

    def real(self, program: Program, start: Start, ranks: int, preloaded: Preloaded | None = None) -> Figures:
        """Start the program; return what it printed, nothing if it failed, which is said."""
        path, *arguments = start.words
        other = replace(self.setup, engine=replace(self.setup.engine, path=Path(path)))
        output = self._started(other, ranks, arguments, start, preloaded)
        return program.read(output, start)

    def emulated(
        self, plan: Plan, start: Start, sizes: list[int], ranks: int, preloaded: Preloaded | None = None
    ) -> Figures:
        """Start the engine with the points of the profile that stand for these tests at these sizes."""
        chosen = _points(plan, start, sizes, ranks)
        if not chosen:
            return {}
        document = {"schema": 1, **plan.scheduling, "points": [{**point, **start.settings} for _, _, point in chosen]}
        folder = self.scratch / "launch"
        folder.mkdir(exist_ok=True)
        (folder / "plan.json").write_text(json.dumps(document))
        for name in ("points.jsonl", "nodes.json"):
            (folder / name).unlink(missing_ok=True)
        files = ("--plan", "plan.json"), ("--out", "points.jsonl"), ("--nodes", "nodes.json")
        words = [word for flag, name in files for word in (flag, str(folder / name))]
        self._started(self.setup, ranks, words, start, preloaded)
        return _figures(folder / "points.jsonl", plan, chosen)

    def _started(
        self, setup: Setup, ranks: int, arguments: list[str], start: Start, preloaded: Preloaded | None
    ) -> str:
        own = {name: os.environ.get(name, value) for name, value in start.variables.items()}
        variables = {**own, **(preloaded.variables if preloaded else {})}
        command = setup.command(ranks, arguments, variables or None)
        words = preloaded.before(command.words, arguments) if preloaded else list(command.words)
        try:
            done = answer_of(words, LONGEST_S, command.environment())
        except OSError as error:
            click.echo(f"  failed: {command.shell()}: {error}", err=True)
            return ""
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if any(map(str.isalnum, line))]
            last = (said or [f"exit code {done.returncode}"])[-1]
            click.echo(f"  failed: {command.shell()}: {last}", err=True)
        return done.stdout


def _points(plan: Plan, start: Start, sizes: list[int], ranks: int) -> list[tuple[Test, int, Point]]:
    """Return the profile's first point for every test and size, with the size as the program says it."""
    found = []
    for test in start.tests:
        for size in sizes_of(test, sizes):
            wanted = {"operation": test.operation, **test.settings}
            if size:
                wanted["bytes"] = test.bytes_of(size, ranks)
            point = next(
                (one for one in plan.points if all(one.get(name) == value for name, value in wanted.items())), None
            )
            if point is not None:
                found.append((test, size, point))
    return found


def _figures(path: Path, plan: Plan, chosen: list[tuple[Test, int, Point]]) -> Figures:
    found: Figures = {}
    for line in path.read_bytes().splitlines() if path.exists() else []:
        record = decode_record(line)
        if isinstance(record, Record):
            test, size, _ = chosen[record.index]
            found[test.name, size] = _figure(record, plan, test)
    return found


def _figure(record: Record, plan: Plan, test: Test) -> float:
    """Return what the program would have printed of these samples: microseconds, or MB/s."""
    calls = record.samples_ns / record.repetitions_per_sample
    call_ns = estimate(calls, plan.reporting, blocks=record.repetitions_per_sample > 1).value
    return record.bytes_moved / call_ns * 1e3 if test.rate else call_ns / record.divisor * test.holds / 1e3
