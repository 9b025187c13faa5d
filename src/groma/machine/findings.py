"""From facts to findings: each a value, a state and one sentence of what it means for a measurement."""

from __future__ import annotations

from typing import Literal

import msgspec

from groma.launch import Launcher, Setup
from groma.machine.facts import Facts
from groma.sizes import format_size

State = Literal["good", "warning", "bad", "unknown"]
# Other processes that use more than this disturb figures.
FOREIGN_LOAD_CORES = 0.15
_LEAST_SHARED_MEMORY = 64 << 20
_STEADY_CLOCKS = ("tsc", "arch_sys_counter", "timebase")
_STEADY_GOVERNORS = ("performance",)


class Finding(msgspec.Struct, frozen=True):
    """One property of the machine."""

    name: str
    value: str
    state: State
    meaning: str


def host_findings(facts: Facts, ranks: int) -> list[Finding]:
    """Return what the kernel's facts mean for `ranks` ranks on this host."""
    return [
        _cores(facts, ranks),
        _smt(facts),
        _governor(facts),
        _clock_source(facts),
        _virtual_machine(facts),
        _load(facts, ranks),
        _memory(facts),
        _shared_memory(facts),
    ]


def library_findings(launchers: list[Launcher], setup: Setup) -> list[Finding]:
    """Return which MPI installations there are and which one measures."""
    return [libraries_finding(launchers), _engine(setup), _launcher(setup.launcher)]


def libraries_finding(launchers: list[Launcher]) -> Finding:
    """Return which MPI installations there are."""
    means = "Figures belong to one library and version, so compare only runs that name the same."
    found = "; ".join(_launcher_text(launcher) for launcher in launchers)
    return Finding("libraries", found or "none found", "good" if found else "unknown", means)


def _engine(setup: Setup) -> Finding:
    engine = setup.engine
    if engine.abi:
        means = "This engine runs on every library with the MPI standard ABI; --launcher chooses which."
        return Finding("engine", f"{engine.path} (standard ABI)", "good", means)
    means = "This engine measures only the library it was built for; build another one to compare."
    return Finding("engine", f"{engine.path} ({engine.family or 'library not known'})", "good", means)


def _launcher(launcher: Launcher) -> Finding:
    if launcher.family:
        means = "It belongs to the engine's library, so ranks find each other instead of running alone."
        return Finding("launcher", _launcher_text(launcher), "good", means)
    means = "Its family is unknown; the engine will stop if every rank would run alone."
    return Finding("launcher", _launcher_text(launcher), "unknown", means)


def _launcher_text(launcher: Launcher) -> str:
    return f"{launcher.family} {launcher.version} ({launcher.path})".strip()


def _cores(facts: Facts, ranks: int) -> Finding:
    value = f"{facts.cores.cores} cores, {facts.cores.cpus} processors allowed for {ranks} ranks"
    if facts.cpu_quota is not None and facts.cpu_quota < ranks:
        value += f", quota of {facts.cpu_quota:g}"
        return Finding("cores", value, "bad", "The container's CPU quota stops ranks during the measurement; raise it.")
    if ranks > facts.cores.cpus:
        return Finding(
            "cores",
            value,
            "bad",
            "Ranks share processors (oversubscribed), so figures measure the scheduler, not the network.",
        )
    if ranks > facts.cores.cores:
        return Finding(
            "cores",
            value,
            "warning",
            "Ranks share physical cores, so each is slower than alone; use fewer ranks to avoid it.",
        )
    return Finding("cores", value, "good", "Every rank gets a core of its own.")


def _smt(facts: Facts) -> Finding:
    if facts.smt is None:
        return Finding(
            "SMT",
            "not visible",
            "unknown",
            "Whether two ranks share a core is not visible; it depends on placement.",
        )
    if facts.smt:
        return Finding(
            "SMT",
            "on",
            "good",
            "Ranks are bound to whole cores while there are enough, so hardware threads do not disturb them.",
        )
    return Finding("SMT", "off", "good", "Every processor is a whole core.")


def _governor(facts: Facts) -> Finding:
    if not facts.governors:
        return Finding(
            "governor",
            "not visible",
            "unknown",
            "The clock frequency is controlled elsewhere; launches show whether it is steady.",
        )
    value = ", ".join(facts.governors)
    if set(facts.governors) <= set(_STEADY_GOVERNORS):
        return Finding("governor", value, "good", "The clock frequency stays high, so latencies are steady.")
    return Finding(
        "governor",
        value,
        "warning",
        "The clock frequency follows the load, so short runs look slower; use 'performance' to compare.",
    )


def _clock_source(facts: Facts) -> Finding:
    source = facts.clock_source
    if not source:
        return Finding(
            "clock source",
            "not visible",
            "unknown",
            "The cost of reading the clock is measured in every launch anyway.",
        )
    if source in (*_STEADY_CLOCKS, "kvm-clock"):
        return Finding(
            "clock source", source, "good", "Reading the clock takes tens of nanoseconds, without a system call."
        )
    return Finding(
        "clock source",
        source,
        "warning",
        "Reading this clock may take a microsecond; prefer block timing for short operations.",
    )


def _virtual_machine(facts: Facts) -> Finding:
    if facts.virtual_machine:
        return Finding(
            "virtual machine",
            "yes",
            "warning",
            "The hypervisor may take cores away, so trust the spread over launches, not one launch.",
        )
    return Finding("virtual machine", "no", "good", "No hypervisor takes time away from the ranks.")


def _load(facts: Facts, ranks: int) -> Finding:
    if facts.busy_cores is None:
        return Finding("load", "not watched", "unknown", "Every launch records the CPU time that other processes took.")
    value = f"other processes use {facts.busy_cores:.2f} of {facts.cores.cpus} processors"
    if facts.busy_cores <= FOREIGN_LOAD_CORES or facts.cores.cpus - facts.busy_cores >= ranks + FOREIGN_LOAD_CORES:
        return Finding("load", value, "good", "They leave enough processors to the ranks.")
    return Finding(
        "load", value, "warning", "They compete with the ranks; stop them, or expect launches flagged as disturbed."
    )


def _memory(facts: Facts) -> Finding:
    if facts.available_bytes is None:
        return Finding(
            "memory", "not visible", "unknown", "The engine computes what a plan needs and refuses what does not fit."
        )
    return Finding("memory", f"{format_size(facts.available_bytes)} available", "good",
                   "A plan that needs more than this per host is refused before anything is timed.")  # fmt: skip


def _shared_memory(facts: Facts) -> Finding:
    if facts.shared_memory_bytes is None:
        return Finding(
            "shared memory",
            "no /dev/shm",
            "warning",
            "Ranks of this host may not be able to exchange messages through memory.",
        )
    value = f"{format_size(facts.shared_memory_bytes)} free in /dev/shm"
    if facts.shared_memory_bytes < _LEAST_SHARED_MEMORY:
        return Finding(
            "shared memory",
            value,
            "warning",
            "MPI libraries need more than this for large messages; enlarge it (--shm-size in containers).",
        )
    return Finding("shared memory", value, "good", "Ranks of this host exchange messages through memory.")
