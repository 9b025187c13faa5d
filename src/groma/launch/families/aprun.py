"""aprun of Cray's ALPS (XC, XE and XK systems).

The options are those of its manual page aprun(1), in Cray's document S-2496 ("Workload Management and Application
Placement for the Cray Linux Environment"). Groma's developers had no such machine to try them on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.launch.families.base import Family, equal_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Way


class Aprun(Family):
    """It starts the programs of Cray MPICH, and never more ranks on a node than it has processors."""

    name = "ALPS"
    says = re.compile(r"aprun \(ALPS\)\s*(\S+)")
    called = ("aprun",)
    starts = frozenset({"MPICH"})
    lists = frozenset({"L"})
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {"by-slot": (), "cpus": ("-cc", "{}")}

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a processor of its own."""
        return ["-n", str(request.ranks), *([] if request.by_hand else ["-cc", "cpu"])], {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return the nodes, by name or number, and the ranks of each."""
        return ["-N", str(equal_share(request, self.name)), "-L", ",".join(request.shares)]

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name and the value of each variable."""
        return [word for name, value in env.items() for word in ("-e", f"{name}={value}")]


FAMILY = Aprun()
