"""One short launch that measures nothing but the machine: does MPI start, where are the ranks, how noisy is it."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groma.analysis.noise import lost
from groma.analysis.placement import kept_apart
from groma.errors import MachineError
from groma.launch.command import Setup
from groma.launch.engine import engine_arguments
from groma.launch.process import Interrupts, Process
from groma.launch.words import last_words
from groma.machine.findings import finding
from groma.results.documents import Nodes
from groma.results.records import Record, Start, decode, decode_record
from groma.text.checks import LOST_SHARE_LIMIT, LOST_SHARE_MOST, Check

_LIMIT_S = 60.0
_SLOW_CLOCK_NS = 200.0
_PLAN = {"schema": 1, "order": "sequential", "seed": 0, "points": [{"operation": "noop"}]}


@dataclass(frozen=True)
class Probe:
    """The engine's start record and its record of the nodes."""

    start: Start
    nodes: Nodes | None

    def findings(self) -> list[Check]:
        """Return what the launch saw, as checks."""
        return [_ranks(self), _placement(self), _clock(self), _noise(self)]


def probe(setup: Setup, ranks: int) -> Probe:
    """Launch the engine once with an empty operation; raises MachineError if that fails."""
    launch = launched(setup, ranks, _PLAN)
    start = next((record for record in launch.records if isinstance(record, Start)), None)
    if start is None:
        raise MachineError(f"MPI does not start {ranks} ranks here: {launch.reason} (tried: {launch.command})")
    if start.ranks != ranks:
        raise MachineError(
            f"{setup.launcher.path} was asked for {ranks} ranks, but MPI saw {start.ranks}: launcher and "
            "library do not belong together; use the mpiexec of the engine's library (--launcher)"
        )
    return Probe(start, launch.nodes)


@dataclass(frozen=True)
class Tried:
    """A launch that was made to learn something: its records, its nodes, how it ended, and its last words."""

    records: list[Record]
    nodes: Nodes | None
    exit_code: int
    words: str
    command: str

    @property
    def reason(self) -> str:
        """Why it ended, as far as it said."""
        return self.words or f"no message, exit code {self.exit_code}"


def launched(
    setup: Setup, ranks: int, plan: Mapping[str, Any], env: dict[str, str] | None = None, limit_s: float = _LIMIT_S
) -> Tried:
    """Launch a plan into a folder that does not stay; raises MachineError if it can't be started or is interrupted."""
    with tempfile.TemporaryDirectory(prefix="groma-check-") as name, Interrupts() as interrupts:
        folder = Path(name)
        (folder / "plan.json").write_text(json.dumps(plan))
        command = setup.command(ranks, engine_arguments(folder), env)
        try:
            process = Process(command, folder / "stderr")
        except OSError as error:
            raise MachineError(f"the launcher cannot be started ({error}); tried: {command.shell()}") from None
        deadline = time.monotonic() + limit_s
        while process.exit_code is None and interrupts.received is None and time.monotonic() < deadline:
            interrupts.wait(deadline - time.monotonic())
        if process.exit_code is None:
            process.end(interrupts)
        process.sweep()
        if interrupts.received is not None:
            raise MachineError(f"{interrupts.received.name} interrupted the check")
        nodes = folder / "nodes.json"
        return Tried(
            _records(folder / "points.jsonl"),
            decode(nodes.read_bytes(), Nodes) if nodes.exists() else None,
            process.exit_code or 0,
            last_words(folder / "stderr"),
            command.shell(),
        )


def _records(path: Path) -> list[Record]:
    """Return the whole records of a launch: the last one may be torn."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [decode_record(line) for line in lines if line.endswith(b"}")]


def _ranks(result: Probe) -> Check:
    library = result.start.library
    hosts = "one host" if result.start.nodes == 1 else f"{result.start.nodes} hosts"
    value = f"{result.start.ranks} on {hosts}, {library.name} {library.version}"
    return finding("ranks", "processors_shared" if result.start.oversubscribed else "apart", value)


def _placement(result: Probe) -> Check:
    if result.nodes is None or not result.nodes.ranks:
        return finding("placement", "hidden", "not recorded")
    ranks, many_hosts = result.nodes.ranks, len(result.nodes.nodes) > 1
    places = [f"{rank.rank} on {f'host {rank.node} ' if many_hosts else ''}CPU {rank.cpu}" for rank in ranks[:8]]
    value = ", ".join(places) + (f" and {len(ranks) - 8} more" if len(ranks) > 8 else "")
    return finding("placement", "apart" if kept_apart(result.nodes) else "loose", value)


def _clock(result: Probe) -> Check:
    costs_ns = {clock.name: clock.read_ns for clock in result.start.clocks if clock.read_ns is not None}
    value = ", ".join(f"{name} {read_ns:.0f} ns" for name, read_ns in costs_ns.items()) or "not recorded"
    if costs_ns.get("monotonic", 0.0) > _SLOW_CLOCK_NS:
        return finding("clock", "slow", value)
    return finding("clock", "quick" if costs_ns else "hidden", value)


def _noise(result: Probe) -> Check:
    lost_time = lost(result.start.noise)
    if lost_time is None:
        return finding("noise", "hidden", "not recorded")
    value = f"{lost_time.share:.2%} of the time lost, at most {lost_time.longest_ns / 1e6:.2g} ms at once"
    if lost_time.most > LOST_SHARE_MOST:
        return finding("noise", "most", value)
    return finding("noise", "some" if lost_time.share > LOST_SHARE_LIMIT else "little", value)
