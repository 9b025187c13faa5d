"""Measures Groma on every MPI library here: its ping-pong against a hand-written loop, and what its harness costs.

Launches alternate as bare, groma, groma, bare (ABBA), on the same ranks of the same library with the same binding, so
that what drifts in the machine meets both alike; both launches of a round are in one state of the machine
(benchmarks/fidelity/line.py). Exit code 1 where a criterion is not met: the whole interval, at 95 % for all rows
together, lies outside the wanted range. Where only a part of it does, the row is called inconclusive.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

from groma.analysis.order import CONFIDENCE, Interval, median_interval
from groma.counts import counted
from groma.launch import Engine, Setup, find_engine, find_setup
from groma.numbers import DASH
from groma.sizes import format_size

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "tests"))

import beds  # noqa: E402 - the same libraries as the engine's tests

from benchmarks.fidelity.launches import Preloaded  # noqa: E402 - the path is known above
from benchmarks.fidelity.line import in_one_state  # noqa: E402 - as above

SIZES_BYTES = (8, 1 << 10, 1 << 16, 1 << 20)
RATIO = (0.97, 1.03)
CALL_LIMIT_NS, BLOCK_LIMIT_NS = 30.0, 2.0
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
    bare: list[dict[int, float]] = field(default_factory=list)
    groma: list[dict[int, float]] = field(default_factory=list)
    harness: list[dict[str, float]] = field(default_factory=list)

    def round(self, number: int) -> None:
        """One launch of each, in turns first; none is kept where the machine changed again and again."""
        compilers = self.compiler, self.compiler
        figures = in_one_state(
            self._bare_launch, self._groma_launch, compilers, self.folder, real_first=number % 2 == 0
        )
        if figures is not None:
            self.bare.append(figures[0])
            self.groma.append(figures[1])

    def _bare_launch(self, preloaded: Preloaded) -> dict[int, float]:
        words = [str(self.slot_s), *map(str, SIZES_BYTES)]
        first, *lines = map(json.loads, _start(self.bare_setup, words, preloaded).splitlines())
        self._same_library(first["library"])
        return {line["bytes"]: line["one_way_ns"] for line in lines}

    def _groma_launch(self, preloaded: Preloaded) -> dict[int, float]:
        method = {"operation": "pingpong", "timing": "block", "stop": "time", "slot_s": self.slot_s}
        # The first size is measured once before, as by the bare loop; the later record is the one that counts.
        points = [method | {"bytes": size} for size in (SIZES_BYTES[0], *SIZES_BYTES)]
        plan, records = self.folder / "plan.json", self.folder / "points.jsonl"
        plan.write_text(json.dumps({"schema": 1, "order": "sequential", "seed": 1, "points": points}))
        records.unlink(missing_ok=True)
        _start(self.setup, ["--plan", str(plan), "--out", str(records)], preloaded)
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        self._same_library(lines[0]["library"]["text"])
        self.harness.append(lines[0]["harness"])
        return {line["point"]["bytes"]: _one_way_ns(line) for line in lines if line["kind"] == "point"}

    def _same_library(self, text: str) -> None:
        """Raise where the two programs would run on different libraries: their ratio would mean nothing."""
        text = text.replace("\t", " ")
        self.library = self.library or text
        if text != self.library:
            raise click.ClickException(f"one program runs on {self.library}, the other on {text}")


@dataclass(frozen=True)
class Row:
    """One size on one library: medians over launches, and the ratio of Groma's to the bare loop's."""

    library: str
    size: int
    bare_ns: float
    groma_ns: float
    ratio: float
    interval: Interval | None
    family: Interval | None

    @property
    def verdict(self) -> str:
        """Not met is said only where the whole interval says so, the one that holds for all rows together."""
        if RATIO[0] <= self.ratio <= RATIO[1]:
            return "met"
        if self.family is None or (self.family.high >= RATIO[0] and self.family.low <= RATIO[1]):
            return "inconclusive"
        return "NOT MET"

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        interval = f"{self.interval.low:.3f} to {self.interval.high:.3f}" if self.interval else DASH
        times = (f"{self.bare_ns:.1f}", f"{self.groma_ns:.1f}", f"{self.ratio:.3f}")
        return (self.library, format_size(self.size), *times, interval, self.verdict)


def _start(setup: Setup, arguments: Sequence[str], preloaded: Preloaded) -> str:
    command = setup.command(RANKS, list(arguments), dict(preloaded.variables))
    words = preloaded.before(command.words, arguments)
    finished = subprocess.run(
        words, env=command.environment(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if finished.returncode != 0:
        raise click.ClickException(f"{command.shell()} ended with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


def _one_way_ns(record: dict[str, Any]) -> float:
    return float(np.median(record["samples_ns"])) / int(record["repetitions_per_sample"]) / int(record["divisor"])


def row(library: str, size: int, bare: Sequence[float], groma: Sequence[float], rows: int = 1) -> Row:
    """Compare the launch medians (ns) of the two programs, of which this row is one of so many.

    Ratio and intervals are those of the median over rounds of the ratio within a round, whose launches are neighbours
    in time. The wider interval holds for all rows together (Bonferroni); None where the rounds are too few for one.
    """
    ratios = np.array(groma) / np.array(bare)
    interval, family = median_interval(ratios), median_interval(ratios, 1 - (1 - CONFIDENCE) / rows)
    return Row(
        library, size, float(np.median(bare)), float(np.median(groma)), float(np.median(ratios)), interval, family
    )


def _pair(library: beds.Library, slot_s: float, folder: Path) -> Pair:
    os.environ["GROMA_ENGINE"] = str(library.engine)
    setup = find_setup(find_engine(), library.mpiexec)
    folder.mkdir()
    bare = folder / "bare_pingpong"
    compiler = library.mpicc.replace("mpicc", "mpicxx")
    # As the engine: LD_LIBRARY_PATH must be able to choose the library.
    words = [compiler, "-std=c++20", "-O3", "-Wl,--enable-new-dtags", str(HERE / "bare_pingpong.cpp"), "-o", str(bare)]
    subprocess.run(words, check=True)
    engine = setup.engine
    program = Engine(bare, family=engine.family, abi=engine.abi, library=engine.library)
    return Pair(setup, Setup(program, setup.launcher, setup.cores), slot_s, folder, library.mpicc)


def _pairs(names: Sequence[str], slot_s: float, folder: Path) -> dict[str, Pair]:
    """Return the programs on these libraries, or on all; ends with exit code 1 where one that must be here lacks."""
    pairs = {}
    for name, library in beds.libraries().items():
        if names and name not in names:
            continue
        if why := beds.engine_is_missing(name):
            print(f"{name} is skipped: {why}")
            if beds.required(name):
                sys.exit(1)
        elif shutil.which(library.mpicc):
            pairs[name] = _pair(library, slot_s, folder / name)
    return pairs


def _table(rows: Sequence[Row]) -> list[str]:
    heading = ("library", "size", "bare loop, ns", "Groma, ns", "ratio", "95 % interval", "0.97 to 1.03")
    lines = [heading, ("---", *["--:"] * 4, "---", "---"), *[one.cells() for one in rows]]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heading))]
    return [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    ]


def _harness(pairs: dict[str, Pair]) -> tuple[list[str], bool]:
    """Return sentences about the harness, and whether its cost is within the limits on every library."""
    sentences, met = [], True
    for name, pair in pairs.items():
        call, block = (float(np.median([one[key] for one in pair.harness])) for key in ("call_ns", "block_ns"))
        within = call < CALL_LIMIT_NS and block < BLOCK_LIMIT_NS
        met = met and within
        sentences.append(
            f"{name}: {call:.2f} ns per stamped call beyond its two clock readings (limit {CALL_LIMIT_NS:g}), "
            f"{block:.2f} ns in a block (limit {BLOCK_LIMIT_NS:g}): {'met' if within else 'NOT MET'}"
        )
    return sentences, met


def left_out(pairs: dict[str, Pair], launches: int) -> list[str]:
    """Return a sentence for each library with rounds that have no figures."""
    lacking = {name: launches - len(pair.bare) for name, pair in pairs.items()}
    return [
        f"{name}: the machine changed in {counted(number, 'round')}, left out here"
        for name, number in lacking.items()
        if number
    ]


def _page(rows: Sequence[Row], harness: Sequence[str], launches: int, pairs: dict[str, Pair]) -> str:
    lines = [
        "# Groma against a bare loop",
        "",
        "Written by `make bench`. One-way time of a ping-pong between two ranks of one host, each bound to a core:",
        "Groma's as `groma run` measures it, and that of a loop written by hand",
        "(`benchmarks/bare_pingpong.cpp`, `MPI_Init`),",
        f"medians over {launches} launches of each in turns (ABBA) on {os.cpu_count()} processors.",
        "Both launches of a round are in one state of the machine: a cache line, timed without MPI before and",
        "after, takes as long in both. Both measure the first size once before: in the first tenth of a second of a",
        "launch 8 B take up to 8 % longer (Intel MPI on a Xeon; MPICH 5 on an EPYC 0.6 %).",
        "",
        *[f"* {sentence}\n" for sentence in left_out(pairs, launches)],
        "Both use a copy of `MPI_COMM_WORLD`. A loop that creates no communicator takes less for 8 B: on an EPYC 2 %",
        "less on MPICH 5 (1.024, 50 launches), and 1.5 % less on Open MPI 4.1 (4 of 265 ns), which looks after",
        "nonblocking collectives in every later call, once it has created a communicator. Programs that use libraries",
        "of MPI create some.",
        "",
        *_table(rows),
        "",
        "Harness, beyond two clock readings:",
        "",
        *[f"* {sentence}" for sentence in harness],
        "",
        "Libraries: " + "; ".join(pair.library for pair in pairs.values()) + ".",
    ]
    return "\n".join(lines) + "\n"


@click.command(help=__doc__)
@click.option(
    "--launches", default=30, type=click.IntRange(min=12), show_default=True, help="Launches of each program."
)
@click.option("--slot", "slot_s", default=0.1, show_default=True, help="Seconds of samples per size and launch.")
@click.option("--library", "names", multiple=True, help="Only this library; default: all that are here.")
@click.option("--write", "page", type=click.Path(path_type=Path), help="Write the table into this page too.")
def main(launches: int, slot_s: float, names: tuple[str, ...], page: Path | None) -> None:
    """Run the launches, print both programs' figures and say which criteria are met."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = _pairs(names, slot_s, Path(folder))
        for number in range(launches):
            for pair in pairs.values():
                pair.round(number)
            if sys.stderr.isatty():
                print(f"\rround {number + 1} of {launches}", end="", file=sys.stderr, flush=True)
    rows = [
        row(
            name,
            size,
            [one[size] for one in pair.bare],
            [one[size] for one in pair.groma],
            len(pairs) * len(SIZES_BYTES),
        )
        for name, pair in pairs.items()
        for size in SIZES_BYTES
    ]
    harness, cheap = _harness(pairs)
    print(f"\n{launches} launches of each program in turns (ABBA), {os.cpu_count()} processors\n")
    print("\n".join([*left_out(pairs, launches), *_table(rows), "", *harness]))
    if page:
        page.write_text(_page(rows, harness, launches, pairs))
    sys.exit(0 if cheap and all(one.verdict != "NOT MET" for one in rows) else 1)


if __name__ == "__main__":
    main()
