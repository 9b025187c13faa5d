"""Measures Groma on every MPI library here: its loops against those written by hand, and what its harness costs.

Launches alternate as bare, groma, groma, bare (ABBA), on the same ranks of the same library with the same binding, so
that what drifts in the machine meets both alike; both launches of a round are in one state of the machine
(benchmarks/fidelity/line.py). Exit code 1 if a criterion is not met: the whole interval, at 95 % for all rows
together, lies outside the wanted range. Where only a part of it does, the row is called inconclusive. Every launch of
the bare loops has them a second time, slowed by a tenth: where the ratio of these to Groma's is not outside the range,
the row could not have found 10 %.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.bench_page import (
    NOT_MET,
    POINTS,
    SIZES_BYTES,
    STUDY,
    Asked,
    Bare,
    Harness,
    Lack,
    Row,
    measured_again,
    row,
)
from benchmarks.fidelity.launches import Preloaded
from benchmarks.fidelity.line import in_one_state
from benchmarks.libraries import beds
from benchmarks.page import written
from groma.launch.command import Setup, find_setup
from groma.launch.engine import Engine, describe, find_engine

HERE = Path(__file__).resolve().parent

# What bare_loops.cpp does, where that is not an operation's default.
SETTINGS: Mapping[str, dict[str, object]] = {
    "put/flush": {"rma_window": "allocated"},
    "fetch_and_op/flush": {"rma_window": "allocated"},
    "partitioned/in_order": {"partitions": 4},
}
# Faults of libraries, by points. A put of 8 B arrives at the rank that puts it (tests/engine/small_window_alone.c).
_SMALL = "in a window of 8 B by MPI_Win_allocate, MPICH 4.0 reaches another rank"
FAULTS: Mapping[tuple[str, str, int], str] = {
    ("mpich", "put/flush", 8): _SMALL,
    ("mpich", "fetch_and_op/flush", 8): _SMALL,
}
OPERATIONS = tuple(dict.fromkeys(operation for operation, _ in POINTS))
RANKS = 2


@dataclass
class Pair:
    """The two programs on one library, and what their launches found."""

    setup: Setup
    bare_setup: Setup
    slot_s: float
    folder: Path
    compiler: str
    library: str = ""
    points: Sequence[Asked] = POINTS
    lacks: Sequence[Lack] = ()
    blocks: dict[Asked, int] = field(default_factory=dict)  # calls between two readings of the clock, in both programs
    bare: list[dict[Asked, Bare]] = field(default_factory=list)
    groma: list[dict[Asked, float]] = field(default_factory=list)
    harness: list[dict[str, float]] = field(default_factory=list)

    def round(self, number: int) -> None:
        """One launch of each, in turns first; none is kept if the machine keeps changing.

        The engine chooses the length of blocks in a launch before the first: of puts of 64 KiB, each takes 7 % less in
        blocks of 16 than in blocks of 45 (MPICH 5 on a Xeon).
        """
        compilers = self.compiler, self.compiler
        if not self.blocks:
            self.blocks = {point: record["repetitions_per_sample"] for point, record in self._measured(None).items()}
            self.harness.clear()
        figures = in_one_state(
            self._bare_launch, self._groma_launch, compilers, self.folder, real_first=number % 2 == 0
        )
        if figures is not None:
            self.bare.append(figures[0])
            self.groma.append(figures[1])

    def _bare_launch(self, preloaded: Preloaded) -> dict[Asked, Bare]:
        words = [str(self.slot_s), *(f"{point[0]}:{point[1]}:{self.blocks[point]}" for point in self.points)]
        first, *lines = map(json.loads, _start(self.bare_setup, words, preloaded).splitlines())
        self._same_library(first["library"])
        found = zip(self.points, lines, strict=True)
        return {point: Bare(line["ns"], line["planted_ns"]) for point, line in found}

    def _groma_launch(self, preloaded: Preloaded) -> dict[Asked, float]:
        return {point: _call_ns(record) for point, record in self._measured(preloaded).items()}

    def _measured(self, preloaded: Preloaded | None) -> dict[Asked, dict[str, Any]]:
        """Return the engine's records of a launch; their blocks are those of the pair as far as these are known."""
        method: dict[str, object] = {"timing": "block", "stop": "time", "slot_s": self.slot_s}
        # The first point is measured once before, as by the bare loops; the later record is the one that counts.
        asked = (self.points[0], *self.points)
        points = [
            method
            | {"operation": point[0], "bytes": point[1], "block": self.blocks.get(point, 0)}
            | SETTINGS.get(point[0], {})
            for point in asked
        ]
        plan, records = self.folder / "plan.json", self.folder / "points.jsonl"
        plan.write_text(json.dumps({"schema": 1, "order": "sequential", "seed": 1, "points": points}))
        records.unlink(missing_ok=True)
        _start(self.setup, ["--plan", str(plan), "--out", str(records)], preloaded)
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        self._same_library(lines[0]["library"]["text"])
        self.harness.append(lines[0]["harness"])
        return {asked[line["index"]]: line for line in lines if line["kind"] == "point"}

    def _same_library(self, text: str) -> None:
        """Raise if the two programs would run on different libraries: their ratio would mean nothing."""
        text = " ".join(text.split())
        self.library = self.library or text
        if text != self.library:
            raise click.ClickException(f"one program runs on {self.library}, the other on {text}")


def _start(setup: Setup, arguments: Sequence[str], preloaded: Preloaded | None) -> str:
    command = setup.command(RANKS, list(arguments), dict(preloaded.variables) if preloaded else None)
    words = preloaded.before(command.words, arguments) if preloaded else command.words
    finished = subprocess.run(
        words, env=command.environment(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if finished.returncode != 0:
        raise click.ClickException(f"{command.shell()} ended with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


def _call_ns(record: dict[str, Any]) -> float:
    return float(np.median(record["samples_ns"])) / int(record["repetitions_per_sample"]) / int(record["divisor"])


def _pair(library: beds.Library, slot_s: float, folder: Path, asked: Sequence[Asked]) -> Pair:
    os.environ["GROMA_ENGINE"] = str(library.engine)
    setup = find_setup(find_engine(), library.mpiexec)
    folder.mkdir()
    bare = folder / "bare_loops"
    compiler = library.mpicc.replace("mpicc", "mpicxx")
    # As the engine: LD_LIBRARY_PATH must be able to choose the library.
    words = [compiler, "-std=c++20", "-O3", "-Wl,--enable-new-dtags", str(HERE / "bare_loops.cpp"), "-o", str(bare)]
    subprocess.run(words, check=True)
    engine = setup.engine
    program = Engine(bare, family=engine.family, abi=engine.abi, library=engine.library)
    named = dict.fromkeys(operation for operation, _ in asked)
    missing = {one.name: one.lacks for one in describe(engine).operations if one.lacks}
    points = [point for point in asked if point[0] not in missing and (library.name, *point) not in FAULTS]
    lacks = [Lack(library.name, name, None, f"it lacks {missing[name]}") for name in named if name in missing]
    lacks += [Lack(library.name, *point, FAULTS[key]) for point in asked if (key := (library.name, *point)) in FAULTS]
    bare_setup = Setup(program, setup.launcher, setup.cores)
    return Pair(setup, bare_setup, slot_s, folder, library.mpicc, points=points, lacks=lacks)


def _pairs(names: Sequence[str], slot_s: float, folder: Path, asked: Sequence[Asked]) -> dict[str, Pair]:
    """Return the programs on these libraries, or on all; ends with exit code 1 if one that must be here lacks."""
    pairs = {}
    for name, library in beds.libraries().items():
        if names and name not in names:
            continue
        if why := beds.engine_is_missing(name):
            print(f"{name} is skipped: {why}")
            if beds.required(name):
                sys.exit(1)
        elif shutil.which(library.mpicc):
            pairs[name] = _pair(library, slot_s, folder / name, asked)
    return pairs


def harness_of(name: str, pair: Pair) -> Harness:
    """Return what the harness takes on a library, medians over launches."""
    call_ns, block_ns = (float(np.median([one[key] for one in pair.harness])) for key in ("call_ns", "block_ns"))
    return Harness(name, pair.library, call_ns, block_ns)


def rows_of(pairs: Mapping[str, Pair], launches: int) -> list[Row]:
    """Return a row for every point of every library."""
    count = sum(len(pair.points) for pair in pairs.values())
    return [
        row(
            *(name, point, [one[point] for one in pair.bare], [one[point] for one in pair.groma]),
            rows=count,
            left_out=launches - len(pair.bare),
        )
        for name, pair in pairs.items()
        for point in pair.points
    ]


@click.command(help=__doc__)
@click.option(
    "--launches", default=30, type=click.IntRange(min=12), show_default=True, help="Launches of each program."
)
@click.option("--slot", "slot_s", default=0.1, show_default=True, help="Seconds of samples per size and launch.")
@click.option("--library", "names", multiple=True, help="Only this library; default: all that are here.")
@click.option("--operation", "operations", multiple=True, default=OPERATIONS, help="Only this operation; default: all.")
@click.option("--bytes", "sizes", type=int, multiple=True, default=SIZES_BYTES, help="Only this size; default: all.")
@written
def main(
    *, launches: int, slot_s: float, names: tuple[str, ...], operations: tuple[str, ...], sizes: tuple[int, ...],
    docs: Path | None,
) -> None:  # fmt: skip
    """Run the launches, print the page and judge; what is not measured again stays on the page."""
    with tempfile.TemporaryDirectory() as folder:
        asked = [point for point in POINTS if point[0] in operations and point[1] in sizes]
        pairs = _pairs(names, slot_s, Path(folder), asked)
        for number in range(launches):
            for pair in pairs.values():
                pair.round(number)
            if sys.stderr.isatty():
                print(f"\rround {number + 1} of {launches}", end="", file=sys.stderr, flush=True)
    rows = rows_of(pairs, launches)
    harness = [harness_of(name, pair) for name, pair in pairs.items()]
    lacks = [one for pair in pairs.values() for one in pair.lacks]
    before = STUDY.rows(docs) if docs and STUDY.exists(docs) else [[], [], []]
    STUDY.publish(measured_again(before, [rows, harness, lacks]), docs)
    sys.exit(0 if all(one.is_met for one in harness) and all(one.verdict != NOT_MET for one in rows) else 1)


if __name__ == "__main__":
    main()
