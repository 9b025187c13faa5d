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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np

HERE = Path(__file__).resolve().parent
SIZES_BYTES = (8, 1 << 20)
RATIO_LOW, RATIO_HIGH = 0.97, 1.03
SPREAD_LIMIT = 1.2
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


def _spread(medians: list[float]) -> float:
    """Interquartile range of the launch medians over their median."""
    low, middle, high = np.quantile(medians, [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def _verdict(met: bool) -> str:
    return "met" if met else "NOT MET"


def _compare(size: int, bare: list[float], groma: list[float]) -> bool:
    ratio = float(np.median(groma) / np.median(bare))
    wider = _spread(groma) / _spread(bare)
    print(f"\nping-pong of {size} bytes, one way, {len(bare)} launches of each")
    for name, medians in (("bare loop", bare), ("groma", groma)):
        print(f"  {name:10} median {np.median(medians):10.1f} ns   spread {100 * _spread(medians):5.2f} %")
        print(f"  {'':10} launch medians {' '.join(f'{median:.4g}' for median in sorted(medians))}")
    ratio_met, spread_met = RATIO_LOW <= ratio <= RATIO_HIGH, wider <= SPREAD_LIMIT
    print(f"  ratio of medians {ratio:.4f}   wanted {RATIO_LOW} to {RATIO_HIGH}: {_verdict(ratio_met)}")
    print(f"  ratio of spreads {wider:.2f}     wanted at most {SPREAD_LIMIT}: {_verdict(spread_met)}")
    return ratio_met and spread_met


def _harness(records: list[dict[str, float]]) -> bool:
    print(f"\nharness, beyond two clock readings: noop per repetition, {len(records)} launches")
    met = True
    for name, key, limit in (("call-timed", "call_ns", CALL_LIMIT_NS), ("in a block", "block_ns", BLOCK_LIMIT_NS)):
        cost = float(np.median([record[key] for record in records]))
        print(f"  {name:10} median {cost:6.2f} ns   wanted under {limit:g} ns: {_verdict(cost < limit)}")
        met = met and cost < limit
    return met


def _compiled(compiler: str, folder: Path) -> Path:
    program = folder / "bare_pingpong"
    subprocess.run([compiler, "-std=c++20", "-O3", str(HERE / "bare_pingpong.cpp"), "-o", str(program)], check=True)
    return program


@click.command(help=__doc__)
@click.option(
    "--launches", default=20, type=click.IntRange(min=10), show_default=True, help="Launches of each program."
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
            print(f"launch {number + 1} of {launches}", end="\r", file=sys.stderr, flush=True)
        print(
            f"{launcher}; {os.cpu_count()} processors; {launches} launches of each, bare and groma alternating (ABBA)"
        )
        met = [_compare(size, [r[size] for r in bare], [r[size] for r in groma]) for size in SIZES_BYTES]
        met.append(_harness(bench.harness))
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
