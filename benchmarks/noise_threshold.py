"""Finds out how much CPU time may be lost to interruptions before a median moves.

A competitor that works for a share of every period runs on the CPU of rank 0, as long as the launch. Loaded launches
alternate with quiet ones (ABBA). For each share the table has what the records report as lost, the longest stall, and
the shift of every point's median of launch medians against the quiet launches of the same round. The last line is the
largest reported share at which no median moved by more than 2 %: that is where the report's light may stay green.
Needs a machine that is quiet otherwise, and two CPUs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import click

POINTS = (
    {"operation": "pingpong", "bytes": 8},
    {"operation": "pingpong", "bytes": 65536},
    {"operation": "allreduce", "bytes": 8},
    {"operation": "bcast", "bytes": 65536},
)
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
MOVED = 0.02
COMPETE = "compete"  # first argument of the competitor, which is this program too


@dataclass
class Seen:
    """What the launches of one share of load reported."""

    lost_ns: float = 0.0
    observed_ns: float = 0.0
    longest_ns: float = 0.0
    shifts: dict[int, list[float]] = field(default_factory=dict)

    @property
    def lost_share(self) -> float:
        """CPU time lost over CPU time observed."""
        return self.lost_ns / self.observed_ns if self.observed_ns else 0.0

    def shift(self, index: int) -> float:
        """By how much the median of a point moved, relative to that of the quiet launch beside it."""
        return median(self.shifts[index]) - 1

    @property
    def moved(self) -> float:
        """The largest shift of any point, up or down."""
        return max(abs(self.shift(index)) for index in range(len(POINTS)))


def compete(cpu: int, share: float, period_s: float) -> None:
    """Work for `share` of every period on one CPU, until the process is ended or its parent is gone."""
    parent = os.getppid()
    os.sched_setaffinity(0, {cpu})
    while os.getppid() == parent:
        begin = time.perf_counter()
        while time.perf_counter() - begin < share * period_s:
            pass
        time.sleep((1 - share) * period_s)


def launch(command: list[str], seen: Seen | None) -> dict[int, float]:
    """Measure the points once; return each point's median in ns, and add to `seen` what was lost meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        plan, out = Path(name) / "plan.json", Path(name) / "points.jsonl"
        points = [point | {"stop": "time", "slot_s": 0.1} for point in POINTS]
        plan.write_text(json.dumps({"schema": 1, "order": "sequential", "seed": 1, "points": points}))
        words = [*command, "--plan", str(plan), "--out", str(out)]
        finished = subprocess.run(words, capture_output=True, text=True, check=False)
        if finished.returncode not in {0, 1}:
            raise click.ClickException(f"{' '.join(words)} ended with {finished.returncode}:\n{finished.stderr}")
        records = [json.loads(line) for line in out.read_text().splitlines()]
    if seen is not None:
        for noise in (one for record in records for one in record.get("noise", [])):
            seen.lost_ns += noise["lost_share"] * noise["observed_ns"]
            seen.observed_ns += noise["observed_ns"]
            seen.longest_ns = max(seen.longest_ns, noise["longest_ns"])
    return {record["index"]: record["median_ns"] for record in records if record["kind"] == "point"}


def round_of(command: list[str], share: float, period_s: float, seen: Seen) -> None:
    """Two quiet launches around two loaded ones; each pair gives one ratio of every point."""
    for order in ((False, True), (True, False)):
        found: dict[bool, dict[int, float]] = {}
        for loaded in order:
            words = [sys.executable, __file__, COMPETE, str(share), str(period_s)]
            competitor = subprocess.Popen(words) if loaded and share else None
            try:
                found[loaded] = launch(command, seen if loaded else None)
            finally:
                if competitor:
                    competitor.kill()
                    competitor.wait()
        for index in found[True].keys() & found[False].keys():
            seen.shifts.setdefault(index, []).append(found[True][index] / found[False][index])


@click.command(help=__doc__)
@click.option("--rounds", default=5, type=click.IntRange(min=1), show_default=True, help="Rounds of each share.")
@click.option("--launcher", default="mpiexec -bind-to core", show_default=True, help="Launcher and its placement.")
@click.option("--engine", default="groma-engine", show_default=True, help="Engine built for the launcher's library.")
@click.option("--period", default=0.01, show_default=True, help="Period of the competitor in seconds.")
def main(rounds: int, launcher: str, engine: str, period: float) -> None:
    """Print the table, and the share that moves nothing."""
    names = [f"{point['operation']} {point['bytes']} B" for point in POINTS]
    print("planted   lost  longest ms  " + "  ".join(f"{name:>16}" for name in names))
    results = []
    for share in SHARES:
        seen = Seen()
        for _ in range(rounds):
            round_of([*launcher.split(), "-n", "2", engine], share, period, seen)
        shifts = "  ".join(f"{seen.shift(index):+15.1%} " for index in range(len(POINTS)))
        print(f"{share:7.0%} {seen.lost_share:6.1%} {seen.longest_ns / 1e6:11.2f}  {shifts}", flush=True)
        results.append(seen)
    kept = []
    for seen in sorted(results, key=lambda one: one.lost_share):
        if seen.moved > MOVED:
            break
        kept.append(seen.lost_share)
    told = f"up to {max(kept):.1%} lost" if kept else "not even without a planted load: the machine is not quiet"
    print(f"\nno median moved by more than {MOVED:.0%}: {told}")


if __name__ == "__main__":
    if sys.argv[1:2] == [COMPETE]:
        compete(0, float(sys.argv[2]), float(sys.argv[3]))
    else:
        main()
