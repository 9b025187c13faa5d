"""MPICH's Hydra: mpiexec, mpiexec.hydra; Intel's launcher is made from it."""

from __future__ import annotations

import itertools

from groma.errors import InputError
from groma.launch.families.base import THROTTLE, Family, LaunchRequest
from groma.plan.placement import Placement, Way

WAYS: dict[Way, tuple[str, ...]] = {"by-slot": (), "by-node": ("-ppn", "1"), "hosts": ("-hosts", "{}")}


class Hydra(Family, frozen=True, kw_only=True):
    """A launcher with Hydra's options."""

    starts: frozenset[str] | None = frozenset({"MPICH"})
    lists: frozenset[str] = frozenset({"host", "hosts"})
    hosts: tuple[str, ...] = ("-hosts", "{slots}")
    passes: tuple[str, ...] = ("-genv", "{name}", "{value}")

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return CPUs, or each host with its number of ranks; a host that comes back is another host to Hydra."""
        if placement.way != "hosts":
            return super().listed(placement, ranks)
        runs = [(host, len(list(repeats))) for host, repeats in itertools.groupby(placement.places)]
        if len(runs) > len(set(placement.places)):
            raise InputError(
                f"the launcher of {self.name} treats a host that a list names again as another one; repeat "
                "a host once for each of its ranks, such as node1+node1+node2; the list then starts again"
            )
        return ",".join(f"{host}:{count}" for host, count in runs)


class Mpich(Hydra, frozen=True):
    """Debian's library has a name of its own, since libraries lie side by side there."""

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Throttle also if a person's list gives several ranks one CPU."""
        words, variables = super().words(request)
        shared = request.by_hand and request.placement.shares_cpus(request.ranks)
        return words, THROTTLE if shared else variables


FAMILY = Mpich(
    name="MPICH",
    says=r"(?s)HYDRA build details.*?Version:\s*(\S+)",
    programs=("mpiexec.hydra", "mpiexec.mpich"),
    libraries=("libmpich.so*", "libmpi.so.12*"),
    units={"core": ("-bind-to", "core"), "hwthread": ("-bind-to", "hwthread")},
    throttled=frozenset({"MPICH", ""}),
    ways=WAYS | {"cpus": ("-bind-to", "user:{}")},
)
