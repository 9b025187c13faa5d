"""MPICH's Hydra: mpiexec, mpiexec.hydra."""

from __future__ import annotations

from groma.launch.families import hydra
from groma.launch.families.base import THROTTLE, LaunchRequest


class Mpich(hydra.Hydra, frozen=True):
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
    ways=hydra.WAYS | {"cpus": ("-bind-to", "user:{}")},
)
