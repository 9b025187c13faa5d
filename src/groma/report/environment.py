"""The end of the page: launches, placement, machine and the exact commands."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from markupsafe import Markup

from groma.analysis.noise import is_disturbed, lost, observations
from groma.results import Launch, Run
from groma.results.documents import Node, Nodes
from groma.results.instruments import Clock, ProcessMemory, ThreadLevel
from groma.text.counts import cpus
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

MOST_RANKS_LISTED = 64
_LAUNCHES = (
    "launch",
    "ranks",
    "points",
    "ended",
    Markup('<a href="#define-foreign-load">foreign cores</a>'),
    "",
    Markup('<a href="#define-lost-to-interruptions">lost</a>'),
    "core to core, ns",
)


def environment(run: Run, place: Path | None = None) -> dict[str, Any]:
    """Return the variables of the page's last sections; `place` is where commands find the run, if not where it is."""
    folder = place or run.path.absolute()
    first = next((launch for launch in run.launches if launch.nodes is not None), None)
    started = next((launch for launch in run.launches if launch.start is not None), None)
    columns = _places(first.nodes) if first and first.nodes else {}
    return {
        "launches": Table("Launches", _LAUNCHES, [_launch(launch) for launch in run.launches]),
        "settings": _settings(run, started),
        "hosts": [_host(node) for node in first.nodes.nodes] if first and first.nodes else [],
        "places": Table.of_columns("Placement", columns),
        "places_left": max(0, len(first.nodes.ranks) - MOST_RANKS_LISTED) if first and first.nodes else 0,
        "placement_launch": first.number if first else None,
        "placement_differs": _placement_differs(run),
        "command": shlex.join(run.meta.command),
        "run_argument": shlex.quote(str(folder)),
        "launch_command": _launch_command(run, folder),
    }


def _launch(launch: Launch) -> list[str]:
    start, meta = launch.start, launch.meta
    bounce = start.limits.line_bounce_ns if start else None
    losses = lost(observations(launch))
    ended = "early" if launch.ended_early else "complete"
    return [
        str(launch.number),
        str(launch.ranks or ""),
        f"{len(launch.points)} of {start.points if start else meta.points if meta else 0}",
        ended if meta is None or meta.exit_code is None else f"{ended}, exit code {meta.exit_code}",
        DASH if launch.foreign_cores is None else f"{launch.foreign_cores:.2f}",
        "disturbed" if is_disturbed(launch) else "",
        DASH if losses is None else f"{losses.share:.2%}",
        significant(bounce, 3),
    ]


def _settings(run: Run, started: Launch | None) -> list[tuple[str, str]]:
    meta = run.meta
    start = started.start if started else None
    rows = [
        ("run", f"{run.path.name}, {meta.state}"),
        ("started", meta.created),
        ("finished", meta.finished or "no"),
        ("host", meta.host),
        ("order and seed", f"{meta.plan.order}, {meta.seed}"),
        ("budget", "none" if meta.budget_s is None else f"{meta.budget_s:g} s"),
        ("Groma", meta.groma),
    ]
    if start is not None:
        notes = [f"ranks {' and '.join(map(str, note.ranks))}: {note.note}" for note in start.limits.tcp.notes]
        rows += [
            ("MPI library", start.library.text or f"{start.library.name} {start.library.version}"),
            ("MPI standard", start.library.standard),
            ("thread level", _thread_level(start.thread_level)),
            ("launcher", start.launcher),
            ("engine", f"{start.engine}, {start.compiler}{', MPI standard ABI' if start.abi else ''}"),
            ("clocks", "; ".join(_clock(clock) for clock in start.clocks)),
            ("TCP between hosts", "; ".join(notes)),
            (
                "memory per node",
                f"{format_size(start.memory.needed_bytes)} of {format_size(start.memory.available_bytes)} available",
            ),
        ]
        if start.process_memory is not None:
            rows.append(("memory per process", _process_memory(start.process_memory)))
        if start.harness is not None:
            call, block = f"{start.harness.call_ns:.3g} ns", f"{start.harness.block_ns:.3g} ns"
            rows.append(("harness", f"{call} per stamped call beyond its clock readings, {block} in a block"))
    return [(name, value) for name, value in rows if value]


def _process_memory(memory: ProcessMemory) -> str:
    said = f"{format_size(memory.before_bytes)} before MPI starts, {format_size(memory.after_bytes)} after that"
    if memory.after_messages_bytes is None:
        return said
    return f"{said}, {format_size(memory.after_messages_bytes)} after the first messages"


def _thread_level(level: ThreadLevel | None) -> str:
    if level is None:  # an engine that did not say
        return ""
    return level.asked if level.asked == level.provided else f"{level.asked}, the library provides {level.provided}"


def _clock(clock: Clock) -> str:
    if clock.refused:
        return f"{clock.name} refused: {clock.refused}"
    if clock.resolution_ns is None or clock.read_ns is None:
        return f"{clock.name} not measured"
    return f"{clock.name} steps of {clock.resolution_ns:.4g} ns, {clock.read_ns:.3g} ns to read"


def _host(node: Node) -> list[tuple[str, str]]:
    rows = [
        ("host", node.name),
        ("ranks", str(node.ranks)),
        ("CPU", node.cpu_model),
        ("CPUs", f"{node.cpus}{', hardware threads share cores' if node.smt else ''}"),
        ("CPU quota", "" if node.cpu_quota is None else cpus(node.cpu_quota)),
        ("NUMA nodes", str(node.numa_nodes)),
        ("memory", format_size(node.memory_bytes)),
        ("last-level cache", format_size(node.last_level_cache_bytes) if node.last_level_cache_bytes else "unknown"),
        ("frequency governor", node.governor or "not visible"),
        ("clock source", node.clock_source),
        ("virtual machine", "yes" if node.virtual_machine else "no"),
        ("kernel", node.kernel),
    ]
    return [(name, value) for name, value in rows if value]


def _places(nodes: Nodes) -> dict[str, list[str]]:
    """Return the columns of the first ranks by their headings; core, cache and socket only if one of them is known.

    A core and a cache are named by their lowest CPU.
    """
    names = [node.name for node in nodes.nodes]
    places = nodes.ranks[:MOST_RANKS_LISTED]
    columns = {
        "rank": [str(place.rank) for place in places],
        "host": [names[place.node] if 0 <= place.node < len(names) else str(place.node) for place in places],
        "allowed CPUs": [place.allowed_cpus for place in places],
        "on CPU": [str(place.cpu) for place in places],
        "core": [_by_cpu(place.core) for place in places],
        "last-level cache": [_by_cpu(place.cache) for place in places],
        "NUMA node": [str(place.numa_node) for place in places],
        "socket": [DASH if place.socket is None else str(place.socket) for place in places],
    }
    return {heading: cells for heading, cells in columns.items() if any(cell != DASH for cell in cells)}


def _by_cpu(lowest: int | None) -> str:
    return DASH if lowest is None else f"of CPU {lowest}"


def _placement_differs(run: Run) -> list[int]:
    """Return the launches whose ranks were allowed elsewhere than those of the first with as many ranks."""
    first: dict[int, list[tuple[int, int, str]]] = {}
    differing = []
    for launch in run.launches:
        if launch.nodes is not None:
            masks = [(place.rank, place.node, place.allowed_cpus) for place in launch.nodes.ranks]
            if first.setdefault(len(masks), masks) != masks:
                differing.append(launch.number)
    return differing


def _launch_command(run: Run, place: Path) -> str:
    """Return the command of the first launch, with the variables that were set for it.

    It names the plan at its `place`, and no files for records: running it again must not overwrite the run's.
    """
    for launch in run.launches:
        if launch.meta is not None:
            variables = [f"{name}={shlex.quote(value)}" for name, value in sorted(launch.meta.environment.items())]
            plan = place / "launches" / f"{launch.number:03}" / "plan.json"
            return " ".join([*variables, shlex.join(_harmless(launch.meta.command, plan))])
    return ""


def _harmless(command: list[str], plan: Path) -> list[str]:
    written, words = [], iter(command)
    for word in words:
        if word in {"--out", "--nodes"}:
            next(words, None)
        elif word == "--plan":
            next(words, None)
            written += [word, str(plan)]
        else:
            written.append(word)
    return written
