"""Measures Groma itself: its ping-pong against a hand-written loop, launch by launch, and what its harness costs.

Launches alternate as bare, groma, groma, bare (ABBA), on the same ranks of the same library with the same binding, so
that what drifts in the machine meets both alike. Exit code 0 when every criterion is met, 1 when one is not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
Medians = Sequence[float] | NDArray[np.float64]

SIZES_BYTES = (8, 1 << 20)
RATIO = (0.97, 1.03)
SPREAD_RATIO = (0.0, 1.2)
CALL_LIMIT_NS, BLOCK_LIMIT_NS = 30.0, 2.0
BINDING = "-bind-to core"


@dataclass
class Bench:
    """The two programs, how they are started, and where a launch leaves its files."""

    launcher: list[str]
    bare: Path
    engine: Path
    slot_s: float
    folder: Path
    harness: list[dict[str, float]] = field(default_factory=list)

    def bare_launch(self) -> dict[int, float]:
        """One-way time in ns by message size, as the hand-written loop measures it."""
        output = self._start(str(self.bare), str(self.slot_s), *map(str, SIZES_BYTES))
        return {line["bytes"]: line["one_way_ns"] for line in map(json.loads, output.splitlines())}

    def groma_launch(self) -> dict[int, float]:
        """One-way time in ns by message size, as the engine measures it."""
        method = {"operation": "pingpong", "timing": "block", "stop": "time", "slot_s": self.slot_s}
        points = [method | {"bytes": size} for size in SIZES_BYTES]
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps({"schema": 1, "order": "sequential", "seed": 1, "points": points}))
        records = self.folder / "points.jsonl"
        records.unlink(missing_ok=True)
        self._start(str(self.engine), "--plan", str(plan), "--out", str(records))
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        self.harness += [line["harness"] for line in lines if line["kind"] == "start"]
        return {line["point"]["bytes"]: _one_way_ns(line) for line in lines if line["kind"] == "point"}

    def _start(self, *words: str) -> str:
        finished = subprocess.run([*self.launcher, "-n", "2", *words], capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise click.ClickException(f"{' '.join(words)} ended with {finished.returncode}:\n{finished.stderr}")
        return finished.stdout


def _one_way_ns(record: dict[str, Any]) -> float:
    return float(np.median(record["samples_ns"])) / int(record["repetitions_per_sample"]) / int(record["divisor"])


def _median(medians: Medians) -> float:
    return float(np.median(medians))


def _spread(medians: Medians) -> float:
    """Interquartile range of the launch medians over their median."""
    low, middle, high = np.quantile(medians, [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def _interval(statistic: Callable[[Medians], float], bare: Medians, groma: Medians) -> tuple[float, float]:
    """95 % percentile-bootstrap interval of statistic(groma) / statistic(bare), launches drawn anew."""
    random = np.random.default_rng(1)
    drawn = [[random.choice(medians, len(medians)) for medians in (groma, bare)] for _ in range(2000)]
    ratios = [statistic(numerator) / max(statistic(denominator), 1e-12) for numerator, denominator in drawn]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


def _judge(name: str, ratio: float, interval: tuple[float, float], wanted: tuple[float, float]) -> bool:
    """Print one criterion; not met is said only where the whole interval says so."""
    met = wanted[0] <= ratio <= wanted[1]
    possible = interval[0] <= wanted[1] and interval[1] >= wanted[0]
    verdict = "met" if met else "INCONCLUSIVE: more launches, or a quieter machine" if possible else "NOT MET"
    print(f"  ratio of {name} {ratio:.3f} (95 %: {interval[0]:.3f} to {interval[1]:.3f}), ", end="")
    print(f"wanted {wanted[0]:g} to {wanted[1]:g}: {verdict}")
    return met


def _compare(size: int, bare: Medians, groma: Medians) -> bool:
    print(f"\nping-pong of {size} bytes, one way, {len(bare)} launches of each")
    for name, medians in (("bare loop", bare), ("groma", groma)):
        print(f"  {name:10} median {_median(medians):10.1f} ns   spread {100 * _spread(medians):5.2f} %")
        print(f"  {'':10} launch medians {' '.join(f'{median:.4g}' for median in sorted(medians))}")
    judged = [
        _judge(name, statistic(groma) / statistic(bare), _interval(statistic, bare, groma), wanted)
        for name, statistic, wanted in (("medians", _median, RATIO), ("spreads", _spread, SPREAD_RATIO))
    ]
    return all(judged)


def _harness(records: list[dict[str, float]]) -> bool:
    print(f"\nharness, beyond two clock readings: noop per repetition, {len(records)} launches")
    met = True
    for name, key, limit in (("call-timed", "call_ns", CALL_LIMIT_NS), ("in a block", "block_ns", BLOCK_LIMIT_NS)):
        cost = float(np.median([record[key] for record in records]))
        print(f"  {name:10} median {cost:6.2f} ns   wanted under {limit:g} ns: {'met' if cost < limit else 'NOT MET'}")
        met = met and cost < limit
    return met


def _compiled(compiler: str, folder: Path) -> Path:
    program = folder / "bare_pingpong"
    subprocess.run([compiler, "-std=c++20", "-O3", str(HERE / "bare_pingpong.cpp"), "-o", str(program)], check=True)
    return program


@click.command(help=__doc__)
@click.option(
    "--launches", default=30, type=click.IntRange(min=10), show_default=True, help="Launches of each program."
)
@click.option("--slot", "slot_s", default=0.25, show_default=True, help="Seconds of samples per size and launch.")
@click.option("--compiler", default="mpicxx_abi", show_default=True, help="Compiler wrapper of the MPI library.")
@click.option("--launcher", default=f"mpiexec {BINDING}", show_default=True, help="Launcher and its placement.")
@click.option("--engine", default="groma-engine", show_default=True, help="Engine built for the same library.")
def main(launches: int, slot_s: float, compiler: str, launcher: str, engine: str) -> None:
    """Run the launches, print both programs' figures and say which criteria are met."""
    beside_python = str(Path(sys.executable).parent)
    os.environ["PATH"] = f"{beside_python}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(launcher.split(), _compiled(compiler, folder), Path(engine), slot_s, folder)
        bare: list[dict[int, float]] = []
        groma: list[dict[int, float]] = []
        for number in range(launches):
            pair = [(bare, bench.bare_launch), (groma, bench.groma_launch)]
            for results, launch in pair if number % 2 == 0 else reversed(pair):
                results.append(launch())
            if sys.stderr.isatty():
                print(f"\rlaunch {number + 1} of {launches}", end="", file=sys.stderr, flush=True)
        print(
            f"{launcher}; {os.cpu_count()} processors; {launches} launches of each, bare and groma alternating (ABBA)"
        )
        met = [_compare(size, [r[size] for r in bare], [r[size] for r in groma]) for size in SIZES_BYTES]
        met.append(_harness(bench.harness))
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
