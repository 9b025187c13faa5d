"""Turns facts into checks of the machine: each has its value, and one sentence on what it means for a measurement."""

from __future__ import annotations

from groma.launch import Launcher, Setup
from groma.machine.facts import Facts
from groma.text.checks import FOREIGN_CORES_LIMIT, Check
from groma.text.sizes import format_size

_LEAST_SHARED_MEMORY = 64 << 20
_STEADY_CLOCKS = ("tsc", "arch_sys_counter", "timebase")
_STEADY_GOVERNORS = ("performance",)


def host_findings(facts: Facts, ranks: int) -> list[Check]:
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


def library_findings(launchers: list[Launcher], setup: Setup) -> list[Check]:
    """Return which MPI installations there are and which one measures."""
    return [libraries_finding(launchers), _engine(setup), _launcher(setup.launcher)]


def libraries_finding(launchers: list[Launcher]) -> Check:
    """Return which MPI installations there are."""
    means = "Figures belong to one library and version, so compare only runs that name the same."
    installations = "; ".join(_launcher_text(launcher) for launcher in launchers)
    return Check("libraries", "good" if installations else "unknown", means, installations or "none found")


def _engine(setup: Setup) -> Check:
    engine = setup.engine
    if engine.abi:
        means = "This engine runs on every library with the MPI standard ABI; --launcher chooses which."
        return Check("engine", "good", means, f"{engine.path} (standard ABI)")
    means = "This engine measures only the library it was built for; build another one to compare."
    return Check("engine", "good", means, f"{engine.path} ({engine.family or 'library not known'})")


def _launcher(launcher: Launcher) -> Check:
    if launcher.family:
        means = "It belongs to the engine's library, so ranks find each other instead of running alone."
        return Check("launcher", "good", means, _launcher_text(launcher))
    means = "Its family is unknown; the engine will stop if every rank would run alone."
    return Check("launcher", "unknown", means, _launcher_text(launcher))


def _launcher_text(launcher: Launcher) -> str:
    return f"{launcher.family} {launcher.version} ({launcher.path})".strip()


def _cores(facts: Facts, ranks: int) -> Check:
    value = f"{facts.cores.cores} cores, {facts.cores.cpus} processors allowed for {ranks} ranks"
    if facts.cpu_quota is not None and facts.cpu_quota < ranks:
        value += f", quota of {facts.cpu_quota:g}"
        return Check("cores", "bad", "The container's CPU quota stops ranks during the measurement; raise it.", value)
    if ranks > facts.cores.cpus:
        return Check(
            "cores",
            "bad",
            "Ranks share processors (oversubscribed), so figures measure the scheduler, not the network.",
            value,
        )
    if ranks > facts.cores.cores:
        return Check(
            "cores",
            "warn",
            "Ranks share physical cores, so each is slower than alone; use fewer ranks to avoid it.",
            value,
        )
    return Check("cores", "good", "Every rank gets a core of its own.", value)


def _smt(facts: Facts) -> Check:
    if facts.smt is None:
        return Check(
            "SMT", "unknown", "Whether two ranks share a core is not visible; it depends on placement.", "not visible"
        )
    if facts.smt:
        return Check(
            "SMT",
            "good",
            "Ranks are bound to whole cores while there are enough, so hardware threads do not disturb them.",
            "on",
        )
    return Check("SMT", "good", "Every processor is a whole core.", "off")


def _governor(facts: Facts) -> Check:
    if not facts.governors:
        return Check(
            "governor",
            "unknown",
            "The clock frequency is controlled elsewhere; launches show whether it is steady.",
            "not visible",
        )
    value = ", ".join(facts.governors)
    if set(facts.governors) <= set(_STEADY_GOVERNORS):
        return Check("governor", "good", "The clock frequency stays high, so latencies are steady.", value)
    return Check(
        "governor",
        "warn",
        "The clock frequency follows the load, so short runs look slower; use 'performance' to compare.",
        value,
    )


def _clock_source(facts: Facts) -> Check:
    source = facts.clock_source
    if not source:
        return Check(
            "clock source",
            "unknown",
            "The cost of reading the clock is measured in every launch anyway.",
            "not visible",
        )
    if source in (*_STEADY_CLOCKS, "kvm-clock"):
        return Check(
            "clock source", "good", "Reading the clock takes tens of nanoseconds, without a system call.", source
        )
    return Check(
        "clock source",
        "warn",
        "Reading this clock may take a microsecond; prefer block timing for short operations.",
        source,
    )


def _virtual_machine(facts: Facts) -> Check:
    if facts.virtual_machine:
        return Check(
            "virtual machine",
            "warn",
            "The hypervisor may take cores away, so trust the spread over launches, not one launch.",
            "yes",
        )
    return Check("virtual machine", "good", "No hypervisor takes time away from the ranks.", "no")


def _load(facts: Facts, ranks: int) -> Check:
    if facts.busy_cores is None:
        return Check("load", "unknown", "Every launch records the CPU time that other processes took.", "not watched")
    value = f"other processes use {facts.busy_cores:.2f} of {facts.cores.cpus} processors"
    if facts.busy_cores <= FOREIGN_CORES_LIMIT or facts.cores.cpus - facts.busy_cores >= ranks + FOREIGN_CORES_LIMIT:
        return Check("load", "good", "They leave enough processors to the ranks.", value)
    return Check(
        "load", "warn", "They compete with the ranks; stop them, or expect launches flagged as disturbed.", value
    )


def _memory(facts: Facts) -> Check:
    if facts.available_bytes is None:
        return Check(
            "memory", "unknown", "The engine computes what a plan needs and refuses what does not fit.", "not visible"
        )
    means = "A plan that needs more than this per host is refused before anything is timed."
    return Check("memory", "good", means, f"{format_size(facts.available_bytes)} available")


def _shared_memory(facts: Facts) -> Check:
    if facts.shared_memory_bytes is None:
        return Check(
            "shared memory",
            "warn",
            "Ranks of this host may not be able to exchange messages through memory.",
            "no /dev/shm",
        )
    value = f"{format_size(facts.shared_memory_bytes)} free in /dev/shm"
    if facts.shared_memory_bytes < _LEAST_SHARED_MEMORY:
        return Check(
            "shared memory",
            "warn",
            "MPI libraries need more than this for large messages; enlarge it (--shm-size in containers).",
            value,
        )
    return Check("shared memory", "good", "Ranks of this host exchange messages through memory.", value)
