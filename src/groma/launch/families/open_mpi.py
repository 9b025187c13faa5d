"""Open MPI's mpirun, mpiexec and orterun; since version 5 they are PRRTE's under Open MPI's name."""

from __future__ import annotations

import itertools

import msgspec

from groma.errors import InputError
from groma.launch.families.base import Family
from groma.plan.placement import Placement

_OF_PRRTE = 5  # the first version whose launcher is PRRTE's


class OpenMpi4(Family, frozen=True):
    """It binds by options, and refuses root and more ranks than slots without options for them."""

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


class OpenMpi(OpenMpi4, frozen=True):
    """The options of older and unknown versions, unless a version is asked for."""

    def for_version(self, version: str) -> Family:
        """Return the family of version 5 and later, and this one for older and unknown versions."""
        major = version.partition(".")[0]
        if not major.isdecimal() or int(major) < _OF_PRRTE:
            return self
        ways = self.ways | {"cpus": ("--map-by", "pe-list={}:ordered:hwtcpus")}
        return OpenMpi5(**msgspec.structs.asdict(self) | {"ways": ways})


class OpenMpi5(Family, frozen=True):
    """PRRTE translates the options of earlier versions, all but those for CPUs, which it takes in any order."""

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return hosts or CPUs of all ranks; no two ranks have one CPU."""
        if placement.shares_cpus(ranks):
            raise InputError(
                f"the launcher of {self.name} gives each CPU of a list to one rank; name {ranks} CPUs for {ranks} ranks"
            )
        return super().listed(placement, ranks)


FAMILY = OpenMpi(
    name="Open MPI",
    says=r"\((?:OpenRTE|Open MPI)\)\s*(\S+)",
    programs=("mpiexec.openmpi",),
    starts=frozenset({"Open MPI"}),
    lists=frozenset({"host", "H"}),
    as_root=("--allow-run-as-root",),
    units={
        "core": ("--bind-to", "core"),
        "hwthread": ("--use-hwthread-cpus", "--bind-to", "hwthread"),
        "none": ("--oversubscribe", "--bind-to", "none"),
    },
    ways={
        "by-slot": ("--map-by", "slot"),
        "by-node": ("--map-by", "node"),
        "hosts": ("--host", "{}", "--map-by", "seq"),
        "cpus": ("--use-hwthread-cpus", "--cpu-list", "{}", "--bind-to", "cpu-list:ordered"),
    },
    hosts=("--host", "{slots}"),
    in_order=("--map-by", "slot"),
    passes=("-x", "{name}"),
    inherited=("OMPI_MCA_",),  # it passes these on, and refuses them as an option
)
