"""Compares LBW's latency and bandwidth with `groma run pingpong`: launches of the two programs in turn, ABBA.

LBW times one long block on MPI_Wtime and prints what it took; Groma's ping-pong is measured as `groma run` measures it,
in blocks of 20 us until its interval is narrow. Exit code 0 where the medians over launches agree within 5 % at both
sizes, 1 where they do not.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import click

LIMIT = 0.05
TESTS = {40: "-L", 1_000_000: "-B"}


def lbw_launch(launcher: list[str], program: str, seconds: float) -> dict[int, float]:
    """One-way time in us by message size, as LBW prints it."""
    times = {}
    for size, test in TESTS.items():
        printed = _start([*launcher, "-n", "2", program, test, "--min-seconds", str(seconds)])
        found = re.search(r"^ (?:Latency|Time per message): +([0-9.]+) us$", printed, re.MULTILINE)
        if not found:
            raise click.ClickException(f"{program} printed no time:\n{printed}")
        times[size] = float(found[1])
    return times


def pingpong_launch(launcher: list[str], engine: str, seconds: float) -> dict[int, float]:
    """One-way time in us by message size, as the engine records it with its own defaults."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "points.jsonl"
        sizes = ",".join(map(str, TESTS))
        words = ["pingpong", "--bytes", sizes, "--slot_s", str(seconds), "--out", str(out)]
        _start([*launcher, "-n", "2", engine, *words])
        records = [json.loads(line) for line in out.read_text().splitlines()]
    return {record["point"]["bytes"]: record["median_ns"] / 1000 for record in records if record["kind"] == "point"}


def _start(words: list[str]) -> str:
    finished = subprocess.run(words, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise click.ClickException(f"{' '.join(words)} ended with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


@click.command(help=__doc__)
@click.option("--launches", default=10, type=click.IntRange(min=2), show_default=True, help="Launches of each program.")
@click.option("--seconds", default=0.25, show_default=True, help="Time of each test in each launch.")
@click.option("--launcher", default="mpiexec -bind-to core", show_default=True, help="Launcher and its placement.")
@click.option("--engine", default="groma-engine", show_default=True, help="Engine built for the launcher's library.")
@click.option("--lbw", default="lbw", show_default=True, help="LBW built for the launcher's library.")
def main(launches: int, seconds: float, launcher: str, engine: str, lbw: str) -> None:
    """Run the launches, print both programs' medians and say whether they agree."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    old: list[dict[int, float]] = []
    new: list[dict[int, float]] = []
    for number in range(launches):
        for turn in (0, 1) if number % 2 == 0 else (1, 0):
            if turn == 0:
                old.append(lbw_launch(launcher.split(), lbw, seconds))
            else:
                new.append(pingpong_launch(launcher.split(), engine, seconds))
    agree = True
    for size in TESTS:
        lbw_us, groma_us = (median(launch[size] for launch in results) for results in (old, new))
        ratio = lbw_us / groma_us
        met = abs(ratio - 1) <= LIMIT
        agree = agree and met
        print(
            f"{size:>8} bytes, one way, median of {launches} launches: lbw {lbw_us:.3f} us, pingpong {groma_us:.3f} us"
        )
        for name, results in (("lbw", old), ("pingpong", new)):
            print(f"  {name:8} {' '.join(f'{launch[size]:.3f}' for launch in results)}")
        print(f"  ratio {ratio:.3f}, wanted within {LIMIT:.0%}: {'met' if met else 'NOT MET'}")
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
