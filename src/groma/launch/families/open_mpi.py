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

_OF_PRRTE = 5  # the first version whose launcher is PRRTE's


class OpenMpi(Family):
    """It binds by options, and refuses root and more ranks than slots without options for them."""

    name = "Open MPI"
    says = re.compile(r"\((?:OpenRTE|Open MPI)\)\s*(\S+)")
    programs: ClassVar[tuple[str, ...]] = ("mpiexec.openmpi",)
    starts = frozenset({"Open MPI"})
    lists = frozenset({"host", "H"})
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {
        "by-slot": ("--map-by", "slot"),
        "by-node": ("--map-by", "node"),
        "hosts": ("--host", "{}", "--map-by", "seq"),
        "cpus": ("--use-hwthread-cpus", "--cpu-list", "{}", "--bind-to", "cpu-list:ordered"),
    }

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a core or hardware thread, or to none if ranks share one."""
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

    def for_version(self, version: str) -> Family:
        """Return the family of version 5 and later, and this one for older and unknown versions."""
        major = version.partition(".")[0]
        return OpenMpi5() if major.isdecimal() and int(major) >= _OF_PRRTE else self

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name of each variable; OMPI_MCA_ are passed on, and refused as an option."""
        return [word for name in env if not name.startswith("OMPI_MCA_") for word in ("-x", name)]


class OpenMpi5(OpenMpi):
    """PRRTE translates the options of earlier versions, all but those for CPUs, which it takes in any order."""

    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {
        **OpenMpi.ways,
        "cpus": ("--map-by", "pe-list={}:ordered:hwtcpus"),
    }

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return hosts or CPUs of all ranks; no two ranks have one CPU."""
        places = placement.of_ranks(ranks)
        if placement.way == "cpus" and len(set(places)) < ranks:
            raise InputError(
                f"the launcher of {self.name} gives each CPU of a list to one rank; name {ranks} CPUs for {ranks} ranks"
            )
        return ",".join(places)


FAMILY = OpenMpi()
