"""The examination of a machine: facts from the kernel, the MPI libraries, and one short launch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from groma.errors import GromaError
from groma.launch.command import Setup
from groma.launch.launcher import find_launchers
from groma.machine.facts import WATCH_S, read_facts
from groma.machine.findings import host_findings, library_findings
from groma.text.checks import Check


@dataclass
class Examination:
    """All checks of a machine, in the order they are shown; `failure` says why nothing can be measured."""

    findings: list[Check] = field(default_factory=list)
    failure: str | None = None

    def document(self) -> dict[str, Any]:
        """Return what run.json records: each check by its name."""
        return {
            check.name: {"value": check.value, "state": check.state, "meaning": check.text} for check in self.findings
        }


def examine(setup: Setup, ranks: int, *, launch: bool = True) -> Examination:
    """Examine this machine for `ranks` ranks; `launch` adds what one launch of under a second sees.

    Without it nothing is waited for: a run that follows records the load of every launch, so it is not watched here.
    """
    facts = read_facts(watch_s=WATCH_S if launch else 0)
    examination = Examination(library_findings(find_launchers(), setup) + host_findings(facts, ranks))
    if not launch:
        return examination
    from groma.machine.devices import device_findings  # noqa: PLC0415 - they read records, which takes numpy
    from groma.machine.probe import probe  # noqa: PLC0415

    try:
        examination.findings += probe(setup, ranks).findings() + device_findings(setup)
    except GromaError as error:
        examination.failure = str(error)
    return examination
