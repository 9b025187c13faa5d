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

    from groma.launch.families.base import Asked
    from groma.plan.placement import Placement, Way


class Pals(Family):
    """It starts programs of Cray MPICH and of libraries with its process manager interface."""

    name = "PALS"
    says = re.compile(r"\bPALS\b[^\d\n]*(\d[\w.-]*)")
    starts = frozenset({"MPICH"})
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {"by-slot": (), "cpus": ("--cpu-bind", "list:{}")}

    def words(self, asked: Asked) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a core or hardware thread, or to none where ranks share one."""
        words = ["-n", str(asked.ranks)]
        if asked.by_hand:
            return words, {}
        unit = {"core": "core", "hwthread": "thread", "none": "none"}[asked.unit]
        return [*words, "--cpu-bind", unit], THROTTLE if unit == "none" else {}

    def host_words(self, asked: Asked) -> list[str]:
        """Return the hosts, and the ranks of each."""
        return ["--hosts", ",".join(asked.shares), "--ppn", str(equal_share(asked, self.name))]

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return CPUs with colons between those of different ranks."""
        return ":".join(placement.of_ranks(ranks))

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name and the value of each variable."""
        return [word for name, value in env.items() for word in ("--env", f"{name}={value}")]


FAMILY = Pals()
