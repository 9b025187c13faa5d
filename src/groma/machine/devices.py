"""Which memory of devices an MPI library takes: found out in launches of two ranks that may die."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from groma.catalog import packaged
from groma.errors import InputError
from groma.launch.command import Setup
from groma.machine.drivers import DRIVERS, has_driver
from groma.machine.probe import Tried, launched
from groma.plan import Plan
from groma.results.instruments import DeviceSupport, RankDevice
from groma.results.records import Failure, Point, Start
from groma.text.checks import Check, State

Outcome = Literal["works", "wrong data", "refused", "dies", "no device"]

_RANKS = 2
_LIMIT_S = 60.0
_EXIT_BAD_INPUT = 2
MPI_ERROR = "the MPI library reported an error"  # as the engine says it
_PROBED_BYTES = (8, 1 << 20)
_FIELDS = ("memory", "send_memory", "receive_memory")
_BRIEF = {"stop": "reps", "repetitions": 3, "warmups": 1, "block": 2, "limit_s": 20}
# What makes a library take memory of a device, as far as that is a matter of its settings.
_SETTINGS = {
    "Intel MPI": "set I_MPI_OFFLOAD=1 (and I_MPI_OFFLOAD_MODE=cuda)",
    "Open MPI": "use a build with CUDA, or UCX with CUDA first in LD_LIBRARY_PATH, its folder ucx as UCX_MODULE_DIR, "
    "and OMPI_MCA_pml=ucx",
    "MPICH": "use a build with CUDA, or UCX with CUDA first in LD_LIBRARY_PATH, its folder ucx as UCX_MODULE_DIR, "
    "MPIR_CVAR_NOLOCAL=1 and MPIR_CVAR_CH4_NETMOD=ucx",
}


@dataclass(frozen=True)
class Ability:
    """What came of messages of two ranks in memory of a kind, in a sentence, and what the library says of itself."""

    kind: str
    outcome: Outcome
    text: str
    support: DeviceSupport | None = None
    devices: Sequence[RankDevice] = ()


def kinds_of(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the kinds of device memory that points have MPI take, in their order."""
    without_mpi = {operation.name for operation in packaged().operations if operation.nccl}
    sent = [point for point in points if point.get("operation") not in without_mpi]
    asked = [str(point[name]) for point in sent for name in _FIELDS if name in point]
    return list(dict.fromkeys(kind for kind in asked if kind.partition("_")[0] in DRIVERS))


def ability(setup: Setup, kind: str, env: dict[str, str] | None = None, device: str = "") -> Ability:
    """Send 8 B and 1 MiB between two ranks in memory of a kind; raises MachineError if no launch can be started.

    `device` names the devices as the field of a plan does.
    """
    points = [{"operation": "pingpong", "bytes": size, "memory": kind} for size in _PROBED_BYTES]
    return tried(setup, kind, points, env, device)


def brief_plan(points: Sequence[Mapping[str, Any]], device: str = "") -> dict[str, Any]:
    """Return a plan of these points that takes a few repetitions of each, in their order."""
    brief = [{**_BRIEF, **point} for point in points]
    return {"schema": 1, "order": "sequential", "seed": 1, "device": device, "points": brief}


def tried(
    setup: Setup, kind: str, points: Sequence[Mapping[str, Any]], env: dict[str, str] | None = None, device: str = ""
) -> Ability:
    """Measure points briefly in a launch that may die, and return what came of it; raises as `ability`."""
    launch = launched(setup, _RANKS, brief_plan(points, device), env, _LIMIT_S)
    start = next((record for record in launch.records if isinstance(record, Start)), None)
    outcome, text = _outcome(setup, kind, launch, len(points), start)
    return Ability(kind, outcome, text, start.device_support if start else None, (start and start.devices) or ())


def _outcome(setup: Setup, kind: str, launch: Tried, asked: int, start: Start | None) -> tuple[Outcome, str]:
    family = setup.launcher.family
    library = " ".join(filter(None, (family, setup.launcher.version))) or str(setup.engine.path)
    if start is None and launch.exit_code == _EXIT_BAD_INPUT:
        return "no device", launch.reason
    failure = next((record for record in launch.records if isinstance(record, Failure)), None)
    if failure is not None and failure.reason == "device":
        return "no device", failure.message
    if failure is None and sum(isinstance(record, Point) for record in launch.records) == asked:
        return "works", f"{library} takes memory={kind}."
    if failure is not None and failure.reason == "wrong_data":
        return "wrong data", f"{library} delivers wrong data with memory={kind}: {failure.message}."
    advice = _SETTINGS.get(family, "use a library that was built for it")
    says = _own_words(start.device_support if start else None, kind)
    if MPI_ERROR in launch.words:
        return "refused", f"{library} does not take memory={kind}: {launch.words}{says}; {advice}"
    return "dies", f"{library} does not take memory={kind}: a rank dies of it: {launch.reason}{says}; {advice}"


def _own_words(support: DeviceSupport | None, kind: str) -> str:
    """Return what the library says of itself, as a part of a sentence; empty if it is silent."""
    if support is None:
        return ""
    answer = support.cuda if kind.startswith("cuda") else support.hip
    said = [f"mpi_memory_alloc_kinds={support.memory_kinds}"] if support.memory_kinds else []
    said += [] if answer is None else [f"{'yes' if answer else 'no'} when asked"]
    return f"; it says {', '.join(said)}" if said else ""


def refuse_unable(setups: Sequence[tuple[Setup, dict[str, str]]], plan: Plan) -> None:
    """Raise InputError if a library, with the variables of its variant, does not take the memory that a plan asks for.

    Each is asked once for each kind, in a launch of two ranks; nothing is launched for plans in the host's memory.
    """
    device = str(plan.scheduling.get("device", ""))
    for kind in kinds_of(plan.points):
        for setup, env in setups:
            found = ability(setup, kind, env, device)
            if found.outcome != "works":
                raise InputError(found.text)


def abilities(setup: Callable[[], Setup]) -> list[Ability]:
    """Return what a library can do with each kind of device whose driver is installed; raises as `ability`."""
    return [ability(setup(), kind) for kind in DRIVERS if has_driver(kind)]


def device_findings(setup: Setup) -> list[Check]:
    """Return which devices this machine has, and whether the library of a setup takes their memory.

    Nothing for a driver that is not installed. Raises as `ability`.
    """
    return [_finding(one) for one in abilities(lambda: setup)]


def _finding(one: Ability) -> Check:
    names = ", ".join(dict.fromkeys(device.name for device in one.devices)) or "none seen"
    state: State = "good" if one.outcome == "works" else "warn"
    return Check(f"devices ({one.kind})", state, one.text, names)
