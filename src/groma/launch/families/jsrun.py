"""jsrun of IBM's Job Step Manager, inside an LSF allocation.

The options are those of "jsrun command" in IBM Spectrum LSF 10.1 (Job Step Manager) and of OLCF's guide to Summit.
Groma's developers had no such machine to try them on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.errors import InputError
from groma.launch.families.base import Family, equal_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Way


class Jsrun(Family):
    """Each rank is a resource set of one core; hosts are filled in the order of the allocation."""

    name = "jsrun"
    says = re.compile(r"jsrun[^\d\n]*(\d[\w.-]*)")
    called = ("jsrun",)
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {"by-slot": ("-d", "packed")}

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Ask for resource sets of one rank and one core, to which it is bound."""
        own = [] if request.by_hand else ["-a", "1", "-c", "1", "-b", "rs"]
        return ["-n", str(request.ranks), *own], {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return the ranks of each host: which hosts, it takes from the allocation alone."""
        if request.named:
            raise InputError(
                "jsrun fills the hosts of its allocation in their order; leave --hosts out, and say with --ppn how "
                "many ranks each takes"
            )
        return ["-r", str(equal_share(request, self.name))]

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name and the value of each variable."""
        return [word for name, value in env.items() for word in ("-E", f"{name}={value}")]


FAMILY = Jsrun()
