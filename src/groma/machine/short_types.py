"""Which libraries send and add numbers of 16 bits: found out in launches of two ranks that may die.

No standard has these types for C. A library may know the name of one and abort in a reduction of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groma.errors import InputError
from groma.launch.command import Setup
from groma.machine.devices import brief_plan
from groma.machine.probe import launched
from groma.plan import Plan
from groma.results.records import Failure, Point

NAMES = ("float16", "bfloat16")
_RANKS = 2
_BYTES = 8  # few, so that all libraries add them in order


def refuse_unable(setups: Sequence[tuple[Setup, dict[str, str]]], plan: Plan) -> None:
    """Raise InputError if a library, with the variables of its variant, fails in a type of 16 bits of a plan.

    What its header does not name is left to the launches, which measure the rest. Raises MachineError if no launch can
    be started.
    """
    for name in asked(plan.points):
        for setup, env in setups:
            if reason := refusal(setup, name, env):
                raise InputError(reason)


def asked(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the types of 16 bits that points ask for."""
    return [name for name in NAMES if any(point.get("datatype") == name for point in points)]


def refusal(setup: Setup, name: str, env: dict[str, str]) -> str:
    """Return why a library is not to be measured with a type: what a message and a sum of it came to; empty if well."""
    points = [{"operation": operation, "bytes": _BYTES, "datatype": name} for operation in ("pingpong", "allreduce")]
    launch = launched(setup, _RANKS, brief_plan(points), env)
    failures = [record for record in launch.records if isinstance(record, Failure)]
    measured = sum(isinstance(record, Point) for record in launch.records)
    if measured == len(points) or any(one.reason == "lacking" for one in failures):
        return ""
    library = " ".join(filter(None, (setup.launcher.family, setup.launcher.version))) or str(setup.engine.path)
    step = "sums" if measured else "messages"
    return (
        f"datatype={name} can't be measured: {library} fails in {step} of it ({launch.reason}); use datatype=float, "
        "or another library"
    )
