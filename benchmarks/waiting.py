"""How long a person waits for the profiles that measure pairs of ranks, and how near the forecast was.

    python -m benchmarks.waiting --ranks 2,4

Each profile runs once. After its first launch Groma says how long the rest takes, if that is long or ranks share CPUs;
beside it stands how long it took.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.host import processor
from groma.programs.sheet import lines_of
from groma.text.numbers import DASH

AIMS_S = {"commtest": 120, "pairs": 60, "hpcc": 90}  # of 16 ranks on 16 cores
HEADINGS = ["profile", "ranks", "CPUs", "seconds", "said left", "were left", "stages"]
_SAID = re.compile(r"By 1 launch so far: (?:about ([\d.]+) (s|min|h) left|(almost done))")
_UNITS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Wait:
    """Seconds of one run: all of it, what the forecast said was left, and what was; None without a forecast."""

    profile: str
    ranks: int
    seconds: float
    said_s: float | None
    left_s: float | None
    stages: tuple[str, ...]

    def row(self) -> list[str]:
        """Return the cells of the table."""
        cpus = len(os.sched_getaffinity(0))
        shared = f"{cpus}, shared" if self.ranks > cpus else str(cpus)
        said, left = (DASH if value is None else f"{value:.0f}" for value in (self.said_s, self.left_s))
        stages = ", ".join(self.stages) or DASH
        return [self.profile, str(self.ranks), shared, f"{self.seconds:.0f}", said, left, stages]


def waited(profile: str, ranks: int, options: list[str]) -> Wait:
    """Run a profile; raises CalledProcessError if the command fails."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "groma", "run", "--profile", profile, "-n", str(ranks), *options]
        began_s, said_s, told_s = time.monotonic(), None, None
        with subprocess.Popen(
            [*command, "-o", f"{folder}/run"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        ) as process:
            for line in process.stderr or ():
                if told_s is None and (said := _SAID.search(line)):
                    told_s, said_s = time.monotonic(), 0.0 if said[3] else float(said[1]) * _UNITS[said[2]]
        ended_s = time.monotonic()
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)
        files = sorted(Path(folder).glob("run/*/run.json"), key=lambda file: file.stat().st_ctime)
        left_s = None if told_s is None else ended_s - told_s
        return Wait(profile, ranks, ended_s - began_s, said_s, left_s, tuple(file.parent.name for file in files))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (default: 2,4)")
    parser.add_argument("--profiles", default=",".join(AIMS_S), help="profiles (default: all three)")
    parser.add_argument("options", nargs="*", help="further options of groma run, behind --")
    asked = parser.parse_args()
    rows = [
        waited(profile, int(ranks), asked.options).row()
        for ranks in asked.ranks.split(",")
        for profile in asked.profiles.split(",")
    ]
    aims = ", ".join(f"{name} {seconds} s" for name, seconds in AIMS_S.items())
    print("\n".join(lines_of(HEADINGS, rows)))
    print(f"{processor()}. Aim for 16 ranks on 16 cores: {aims}.")


if __name__ == "__main__":
    main()
