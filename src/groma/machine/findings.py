"""Turns facts into checks of the machine: each has its value, and one sentence on what it means for a measurement."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec

from groma.launch.command import Setup
from groma.launch.launcher import Launcher
from groma.machine.facts import Facts
from groma.text.checks import FOREIGN_CORES_LIMIT, Check, State
from groma.text.sizes import format_size

_LEAST_SHARED_MEMORY = 64 << 20
_QUICK_CLOCKS = ("tsc", "arch_sys_counter", "timebase", "kvm-clock")
_STEADY_GOVERNORS = ("performance",)


@functools.cache
def meanings() -> dict[str, dict[str, tuple[State, str]]]:
    """Return state and sentence of everything that a check may find, by the check's name and what it found."""
    text = Path(__file__).with_name("checks.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, dict[str, tuple[State, str]]])


def finding(name: str, found: str, value: str) -> Check:
    """Return the check of this name that found one of the things in checks.toml."""
    state, meaning = meanings()[name][found]
    return Check(name, state, meaning, value)


def host_findings(facts: Facts, ranks: int) -> list[Check]:
    """Return what the kernel's facts mean for `ranks` ranks on this host."""
    smt = {None: "hidden", True: "on", False: "off"}[facts.smt]
    virtual = "yes" if facts.virtual_machine else "no"
    return [
        _cores(facts, ranks),
        finding("SMT", smt, "not visible" if facts.smt is None else smt),
        _governor(facts),
        _clock_source(facts),
        finding("virtual machine", virtual, virtual),
        _load(facts, ranks),
        _memory(facts),
        _shared_memory(facts),
    ]


def library_findings(launchers: list[Launcher], setup: Setup) -> list[Check]:
    """Return which MPI installations there are and which one measures."""
    return [libraries_finding(launchers), _engine(setup), _launcher(setup.launcher)]


def libraries_finding(launchers: list[Launcher]) -> Check:
    """Return which MPI installations there are."""
    installations = "; ".join(_launcher_text(launcher) for launcher in launchers)
    return finding("libraries", "found" if installations else "none", installations or "none found")


def _engine(setup: Setup) -> Check:
    engine = setup.engine
    if engine.abi:
        return finding("engine", "abi", f"{engine.path} (standard ABI)")
    return finding("engine", "native", f"{engine.path} ({engine.family or 'library not known'})")


def _launcher(launcher: Launcher) -> Check:
    return finding("launcher", "known" if launcher.family else "unknown", _launcher_text(launcher))


def _launcher_text(launcher: Launcher) -> str:
    return f"{launcher.family} {launcher.version} ({launcher.path})".strip()


def _cores(facts: Facts, ranks: int) -> Check:
    value = f"{facts.cores.cores} cores, {facts.cores.cpus} processors allowed for {ranks} ranks"
    if facts.cpu_quota is not None and facts.cpu_quota < ranks:
        return finding("cores", "quota", f"{value}, quota of {facts.cpu_quota:g}")
    if ranks > facts.cores.cpus:
        return finding("cores", "processors_shared", value)
    return finding("cores", "cores_shared" if ranks > facts.cores.cores else "enough", value)


def _governor(facts: Facts) -> Check:
    if not facts.governors:
        return finding("governor", "hidden", "not visible")
    steady = set(facts.governors) <= set(_STEADY_GOVERNORS)
    return finding("governor", "steady" if steady else "other", ", ".join(facts.governors))


def _clock_source(facts: Facts) -> Check:
    if not facts.clock_source:
        return finding("clock source", "hidden", "not visible")
    return finding("clock source", "quick" if facts.clock_source in _QUICK_CLOCKS else "other", facts.clock_source)


def _load(facts: Facts, ranks: int) -> Check:
    if facts.busy_cores is None:
        return finding("load", "hidden", "not watched")
    enough_left = facts.cores.cpus - facts.busy_cores >= ranks + FOREIGN_CORES_LIMIT
    little = facts.busy_cores <= FOREIGN_CORES_LIMIT or enough_left
    value = f"other processes use {facts.busy_cores:.2f} of {facts.cores.cpus} processors"
    return finding("load", "little" if little else "much", value)


def _memory(facts: Facts) -> Check:
    if facts.available_bytes is None:
        return finding("memory", "hidden", "not visible")
    return finding("memory", "known", f"{format_size(facts.available_bytes)} available")


def _shared_memory(facts: Facts) -> Check:
    if facts.shared_memory_bytes is None:
        return finding("shared memory", "none", "no /dev/shm")
    little = facts.shared_memory_bytes < _LEAST_SHARED_MEMORY
    value = f"{format_size(facts.shared_memory_bytes)} free in /dev/shm"
    return finding("shared memory", "little" if little else "enough", value)
