"""Runs the simulated engine on a platform, and reads what it recorded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from groma.results.launched import Launch, load_launch
from simulation.platforms import Platform

_BUILT = Path(__file__).resolve().parents[1] / "build" / "simgrid" / "engine" / "groma-engine"
ENGINE = Path(os.environ.get("GROMA_SIMULATED_ENGINE") or _BUILT)

# Readings of the clock take no time: figures are exact, and nothing may wait by looking at the clock.
EXACT_SETTINGS = {
    "smpi/simulate-computation": "no",
    "network/model": "CM02",
    "network/TCP-gamma": "0",
    "network/crosstraffic": "0",
    "surf/precision": "1e-12",
    "smpi/wtime": "0",
    "smpi/test": "1e-7",
    "smpi/iprobe": "1e-7",
    "smpi/privatization": "dlopen",
    "smpi/barrier": "ompi_bruck",
    "smpi/bcast": "binomial_tree",
    "smpi/allreduce": "rdb",
}
READING_COST = "1e-9"  # seconds of smpi/wtime where ranks wait for a time by looking at the clock

# Ranks leave the simulated barrier together, so the longest time over ranks is that of the operation.
METHOD: dict[str, Any] = {
    "clock": "mpi",
    "sync": "barrier",
    "reduce": "max",
    "stop": "reps",
    "repetitions": 3,
    "warmups": 1,
    "limit_s": 0,
}


@dataclass(frozen=True)
class PlantedClock:
    """A rank's clock: how far it is ahead in ns at time zero, and how many millionths of a second it gains in one."""

    offset_ns: int
    drift_ppm: float


class SimulationError(Exception):
    """The simulator is missing or ended badly; the text says what to do."""


@dataclass(frozen=True)
class Taken:
    """What one simulation took of this machine, and the bytes of what it wrote."""

    cpu_s: float
    resident_bytes: int
    start_bytes: int = 0
    nodes_bytes: int = 0
    longest_point_bytes: int = 0


@dataclass(frozen=True)
class Run:
    """The records of one simulated launch, and what it took."""

    start: dict[str, Any]
    points: list[dict[str, Any]]
    taken: Taken
    launch: Launch

    def times_ns(self) -> list[float]:
        """Return the claimed time of every point, in the order of the plan."""
        return [float(point["median_ns"]) for point in sorted(self.points, key=lambda point: int(point["index"]))]


def missing() -> str:
    """Return why nothing can be simulated here, or an empty string."""
    if not shutil.which("smpirun"):
        return "smpirun is not installed (Debian: libsimgrid-dev; tools/install-test-beds installs it)"
    if not ENGINE.is_file():
        return f"no simulated engine at {ENGINE}; build it: tools/build-simulated-engine"
    return ""


def simulate(
    platform: Platform,
    points: Sequence[Mapping[str, Any]],
    *,
    settings: Mapping[str, str] | None = None,
    plan: Mapping[str, Any] | None = None,
    clocks: Sequence[PlantedClock] = (),
    preload: Path | None = None,
    variables: Mapping[str, str] | None = None,
    timeout_s: float = 300.0,
) -> Run:
    """Run the points, each over METHOD, on one rank a host; SimulationError if the simulator does not end well.

    `clocks` are those of the ranks in order; without them all show the simulated time. `preload` is a library that
    stands before the engine's calls, and `variables` are set for all.
    """
    if reason := missing():
        raise SimulationError(reason)
    with tempfile.TemporaryDirectory(prefix="groma-simulation-") as name:
        folder = Path(name) / "001"
        folder.mkdir()
        (folder / "platform.xml").write_text(platform.xml)
        (folder / "hosts").write_text("".join(f"{host}\n" for host in platform.hosts))
        document = {"schema": 1, "order": "sequential", "seed": 1, **(plan or {})}
        (folder / "plan.json").write_text(json.dumps(document | {"points": [METHOD | dict(point) for point in points]}))
        command = _command(folder, len(platform.hosts), settings or {}, preload)
        taken = _run(command, _environment(clocks, variables or {}), timeout_s)
        launch = load_launch(folder)
        launch = replace(launch, points=list(launch.points))  # those of many records are read later: the folder goes
        lines = (folder / "points.jsonl").read_text().splitlines()
        nodes_bytes = (folder / "nodes.json").stat().st_size
    records = [json.loads(line) for line in lines]
    failures = [record["message"] for record in records if record["kind"] == "failure"]
    if failures or records[-1]["kind"] != "end":
        raise SimulationError(f"the simulated launch failed: {'; '.join(failures) or 'it ended early'}")
    measured = [record for record in records if record["kind"] == "point"]
    of_points = (len(line) for line, record in zip(lines, records, strict=True) if record["kind"] == "point")
    taken = replace(
        taken, start_bytes=len(lines[0]) + 1, nodes_bytes=nodes_bytes, longest_point_bytes=max(of_points, default=0)
    )
    return Run(records[0], measured, taken, launch)


def _command(folder: Path, ranks: int, settings: Mapping[str, str], preload: Path | None) -> list[str]:
    network = ["-np", str(ranks), "-hostfile", str(folder / "hosts"), "-platform", str(folder / "platform.xml")]
    asked = [f"--cfg={key}:{value}" for key, value in (EXACT_SETTINGS | dict(settings)).items()]
    engine = [str(ENGINE.resolve()), "--plan", str(folder / "plan.json"), "--out", str(folder / "points.jsonl")]
    engine += ["--nodes", str(folder / "nodes.json")]
    before = ["-wrapper", f"env LD_PRELOAD={preload}"] if preload else []
    return ["smpirun", *before, *network, "--log=root.thres:critical", *asked, *engine]


def _environment(clocks: Sequence[PlantedClock], variables: Mapping[str, str]) -> dict[str, str]:
    planted = {"GROMA_PLANTED_CLOCKS": ",".join(f"{clock.offset_ns}/{clock.drift_ppm}" for clock in clocks)}
    return dict(os.environ) | dict(variables) | (planted if clocks else {})


def _run(command: list[str], environment: Mapping[str, str], timeout_s: float) -> Taken:
    """Run the simulator, `timeout_s` at most; its memory is the most that one of its processes held."""
    with tempfile.TemporaryFile("w+") as said:
        bounded = ["timeout", "--kill-after=5", f"{timeout_s:g}", *command]
        process = subprocess.Popen(bounded, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == 124:
            raise SimulationError(f"the simulation took longer than {timeout_s:g} s: {' '.join(command)}")
        if process.returncode != 0:
            said.seek(0)
            raise SimulationError(f"the simulator ended with {process.returncode}: {said.read()[-2000:]}")
    return Taken(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
