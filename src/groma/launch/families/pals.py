"""mpiexec of PALS, the launcher of HPE Cray EX under PBS Professional.

The options are those of its manual page mpiexec(1) (HPE, "Parallel Application Launch Service") and of ALCF's guides to
Polaris and Aurora. Groma's developers had no such machine to try them on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.launch.families.base import THROTTLE, Family, equal_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Placement, Way


class Pals(Family):
    """It starts programs of Cray MPICH and of libraries with its process manager interface."""

    name = "PALS"
    says = re.compile(r"\bPALS\b[^\d\n]*(\d[\w.-]*)")
    starts = frozenset({"MPICH"})
    lists = frozenset({"hosts"})
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {"by-slot": (), "cpus": ("--cpu-bind", "list:{}")}

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a core or hardware thread, or to none if ranks share one."""
        words = ["-n", str(request.ranks)]
        if request.by_hand:
            return words, {}
        unit = {"core": "core", "hwthread": "thread", "none": "none"}[request.unit]
        return [*words, "--cpu-bind", unit], THROTTLE if unit == "none" else {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return the hosts, and the ranks of each."""
        return ["--hosts", ",".join(request.shares), "--ppn", str(equal_share(request, self.name))]

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return CPUs with colons between those of different ranks."""
        return ":".join(placement.of_ranks(ranks))

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name and the value of each variable."""
        return [word for name, value in env.items() for word in ("--env", f"{name}={value}")]


FAMILY = Pals()
