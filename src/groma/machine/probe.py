"""One short launch that measures nothing but the machine: does MPI start, where are the ranks, how noisy is it."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import MachineError
from groma.launch import Interrupts, Process
from groma.machine.findings import Finding
from groma.run.launching import engine_arguments
from groma.run.words import last_words

if TYPE_CHECKING:
    from groma.launch import Setup

_LIMIT_S = 60.0
_PLAN = {"schema": 1, "order": "sequential", "seed": 0, "points": [{"operation": "noop"}]}


@dataclass(frozen=True)
class Probe:
    """The engine's start record and its record of the nodes."""

    start: dict[str, Any]
    nodes: dict[str, Any]

    def findings(self) -> list[Finding]:
        """Return what the launch saw, as findings."""
        return [_ranks(self), _placement(self), _clock(self), _noise(self)]


def probe(setup: Setup, ranks: int) -> Probe:
    """Launch the engine once with an empty operation; raises MachineError where that fails."""
    with tempfile.TemporaryDirectory(prefix="groma-check-") as name, Interrupts() as interrupts:
        folder = Path(name)
        (folder / "plan.json").write_text(json.dumps(_PLAN))
        command = setup.command(ranks, engine_arguments(folder))
        try:
            process = Process(command, folder / "stderr")
        except OSError as error:
            raise MachineError(f"the launcher cannot be started ({error}); tried: {command.shell()}") from None
        deadline = time.monotonic() + _LIMIT_S
        while process.exit_code is None and interrupts.received is None and time.monotonic() < deadline:
            interrupts.wait(deadline - time.monotonic())
        if process.exit_code is None:
            process.end(interrupts)
        process.sweep()
        if interrupts.received is not None:
            raise MachineError(f"{interrupts.received.name} interrupted the check")
        start = _start_record(folder / "points.jsonl")
        if start is None:
            words = last_words(folder / "stderr") or f"no message, exit code {process.exit_code}"
            raise MachineError(f"MPI does not start {ranks} ranks here: {words} (tried: {command.shell()})")
        if start["ranks"] != ranks:
            raise MachineError(
                f"{setup.launcher.path} was asked for {ranks} ranks, but MPI saw {start['ranks']}: launcher and "
                "library do not belong together; use the mpiexec of the engine's library (--launcher)"
            )
        nodes = folder / "nodes.json"
        return Probe(start, json.loads(nodes.read_bytes()) if nodes.exists() else {})


def _start_record(path: Path) -> dict[str, Any] | None:
    lines = path.read_text().splitlines() if path.exists() else []
    record = json.loads(lines[0]) if lines and lines[0].endswith("}") else {}
    return record if record.get("kind") == "start" else None


def _ranks(seen: Probe) -> Finding:
    library = seen.start.get("library", {})
    hosts = "one host" if seen.start["nodes"] == 1 else f"{seen.start['nodes']} hosts"
    value = f"{seen.start['ranks']} on {hosts}, {library.get('name')} {library.get('version')}"
    if seen.start.get("oversubscribed"):
        return Finding(
            "ranks", value, "bad", "Some ranks share a processor, so figures measure the scheduler; use fewer ranks."
        )
    return Finding("ranks", value, "good", "All ranks communicated, with this library.")


def _placement(seen: Probe) -> Finding:
    ranks = seen.nodes.get("ranks", [])
    several = len(seen.nodes.get("nodes", [])) > 1
    where = [
        f"{rank['rank']} on {'host ' + str(rank['node']) + ' ' if several else ''}CPU {rank['cpu']}"
        for rank in ranks[:8]
    ]
    value = ", ".join(where) + (f" and {len(ranks) - 8} more" if len(ranks) > 8 else "") or "not recorded"
    if not ranks:
        return Finding("placement", value, "unknown", "The placement of the ranks was not recorded.")
    if _processors_shared(ranks):
        meaning = (
            "Ranks may use the same processors or move between them, so launches differ more; bind them to compare."
        )
        return Finding("placement", value, "warning", meaning)
    return Finding("placement", value, "good", "Measured on every rank: each has its own processors.")


def _processors_shared(ranks: list[dict[str, Any]]) -> bool:
    """Whether two ranks of one node are allowed on the same processor."""
    taken: set[tuple[int, int]] = set()
    for rank in ranks:
        allowed = {(rank["node"], cpu) for cpu in _cpus(rank["allowed_cpus"])}
        if allowed & taken:
            return True
        taken |= allowed
    return False


def _cpus(text: str) -> set[int]:
    """Read the kernel's list of processors: `0-3,8`."""
    cpus: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


def _clock(seen: Probe) -> Finding:
    clocks = [clock for clock in seen.start.get("clocks", []) if "refused" not in clock]
    value = ", ".join(f"{clock['name']} {clock['read_ns']:.0f} ns" for clock in clocks) or "not recorded"
    slow = any(clock["name"] == "monotonic" and clock["read_ns"] > 200 for clock in clocks)
    if slow:
        return Finding(
            "clock", value, "warning", "Reading the clock is slow here, so short operations need block timing."
        )
    return Finding(
        "clock",
        value,
        "good" if clocks else "unknown",
        "This is the cost of one clock reading; call timing contains two.",
    )


def _noise(seen: Probe) -> Finding:
    from groma.analysis.noise import LOST_SHARE_LIMIT, lost  # noqa: PLC0415 - these import numpy
    from groma.results.instruments import Noise  # noqa: PLC0415

    noise = seen.start.get("noise", [])
    if not noise:
        return Finding("noise", "not recorded", "unknown", "Interruptions of the ranks were not observed.")
    taken = lost(msgspec.convert(noise, list[Noise]))
    share, longest_ms = (taken.share, taken.longest_ns / 1e6) if taken else (0.0, 0.0)
    value = f"{share:.2%} of the time lost, at most {longest_ms:.2g} ms at once"
    if share > LOST_SHARE_LIMIT:
        return Finding(
            "noise",
            value,
            "warning",
            "Interruptions lengthen the slowest repetitions; they affect maxima, not medians.",
        )
    return Finding("noise", value, "good", "The ranks are rarely interrupted.")
