"""Open MPI's mpirun, mpiexec and orterun; since version 5 they are PRRTE's under Open MPI's name."""

from __future__ import annotations

import itertools
import os
import re
from typing import TYPE_CHECKING, ClassVar

from groma.errors import InputError
from groma.launch.families.base import Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Placement, Way


class OpenMpi(Family):
    """It binds by options, and refuses root and more ranks than slots unless told otherwise."""

    name = "Open MPI"
    says = re.compile(r"\((?:OpenRTE|Open MPI)\)\s*(\S+)")
    programs = ("mpiexec.openmpi",)
    starts = frozenset({"Open MPI"})
    lists = frozenset({"host", "H"})
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {
        "by-slot": ("--map-by", "slot"),
        "by-node": ("--map-by", "node"),
        "hosts": ("--host", "{}", "--map-by", "seq"),
        "cpus": ("--use-hwthread-cpus", "--cpu-list", "{}", "--bind-to", "cpu-list:ordered"),
    }

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a core or hardware thread, or to none where ranks share one."""
        words = ["-n", str(request.ranks)] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
        if request.by_hand:
            return words, {}
        unit = request.unit
        unit_options = {"core": [], "hwthread": ["--use-hwthread-cpus"], "none": ["--oversubscribe"]}[unit]
        return [*words, *unit_options, "--bind-to", unit], {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return each host with its number of ranks; without a placement they are filled one after the other."""
        order = ["--map-by", "slot"] if request.placement.way in ("as launched", "cpus") else []
        return ["--host", request.listed_shares(), *order]

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return hosts or CPUs of all ranks; CPUs must ascend."""
        listed = super().listed(placement, ranks)
        if placement.way == "cpus":
            numbers = list(map(int, placement.of_ranks(ranks)))
            if any(cpu >= following for cpu, following in itertools.pairwise(numbers)):
                raise InputError(
                    f"the launcher of {self.name} gives the CPUs of a list to the ranks in ascending order, each once; "
                    f"for {ranks} ranks, {listed.replace(',', '+')} is not"
                )
        return listed

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name of each variable; OMPI_MCA_ are passed on, and refused as an option."""
        return [word for name in env if not name.startswith("OMPI_MCA_") for word in ("-x", name)]


FAMILY = OpenMpi()
