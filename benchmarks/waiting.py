"""How long a person waits for the profiles that measure pairs of ranks, and how near the forecast was.

    python -m benchmarks.waiting --ranks 2,4

Each profile runs once. After its first launch Groma says how long the rest takes, if that is long or ranks share CPUs;
beside it stands how long it took. With --starts N, in turns: N launches of one point and of a program that only starts
and ends MPI (nothing.c), on every library here, and N times `gate` and `show` of a run with 18 others beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.host import processor
from benchmarks.libraries import beds
from benchmarks.made_run import make_run
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


START_HEADINGS = ["library or verb", "beside", "s", "beside it, s", "ratio"]
_BESIDE, _DECIDING = 18, (0, 4, 125)


def starts(library: beds.Library, times: int, folder: Path) -> list[str]:
    """Return the median seconds of a launch of one point, and of one of nothing, with the ratio."""
    nothing = folder / f"nothing-{library.name}"
    source = Path(__file__).with_name("nothing.c")
    subprocess.run([library.mpicc, source, "-o", nothing], check=True)
    words = ["run", "pingpong", "--bytes", "8", "--launches", "1", "--launcher", library.mpiexec]
    environment = library.environment({"GROMA_ENGINE": str(library.engine)})
    launches_s, bare_s = [], []
    for turn in range(times):
        began_s = time.monotonic()
        subprocess.run(library.command(2, engine=nothing), env=library.environment(), check=True)
        bare_s.append(time.monotonic() - began_s)
        run = folder / f"{library.name}-{turn}"
        _groma([*words, "-o", str(run)], environment)
        launches_s.append(json.loads((run / "launches" / "001" / "launch.json").read_text())["wall_s"])
    return _beside(library.name, "a launch of nothing", launches_s, bare_s)


def gates(times: int, folder: Path) -> list[str]:
    """Return the median CPU seconds of `gate`, and of `show`, of a made run of five points with runs beside it."""
    runs = [str(make_run(folder / f"run-{at:02}", 5, 10, 100, seed=7 + at)) for at in range(_BESIDE + 2)]
    environment = dict(os.environ) | {"GROMA_CONFIG": str(folder / "configuration")}
    pairs = [(_groma(["gate", *runs[-2:]], environment), _groma(["show", runs[-1]], environment)) for _ in range(times)]
    return _beside("gate", "show of the same run", *zip(*pairs, strict=True))


def _groma(words: list[str], environment: dict[str, str]) -> float:
    """Run a verb and return its CPU seconds; raises CalledProcessError if it fails."""
    command = [sys.executable, "-m", "groma", *words]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (_DECIDING if words[0] == "gate" else (0,)):
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_utime + used.ru_stime


def _beside(name: str, other: str, own_s: Sequence[float], other_s: Sequence[float]) -> list[str]:
    own, beside = statistics.median(own_s), statistics.median(other_s)
    return [name, other, f"{own:.2f}", f"{beside:.2f}", f"{own / beside:.2f}"]


def _print_starts(times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = [library for library in beds.libraries().values() if library.engine.exists()]
        rows = [starts(library, times, Path(folder)) for library in here]
        print("\n".join(lines_of(START_HEADINGS, [*rows, gates(times, Path(folder))])))
        print(f"{processor()}. Aim: a ratio of at most 2.")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4", help="numbers of ranks (default: 2,4)")
    parser.add_argument("--profiles", default=",".join(AIMS_S), help="profiles (default: all three)")
    parser.add_argument("--starts", type=int, metavar="N", help="time launches and gates in place of profiles")
    parser.add_argument("options", nargs="*", help="further options of groma run, behind --")
    asked = parser.parse_args()
    if asked.starts:
        _print_starts(asked.starts)
        return
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
