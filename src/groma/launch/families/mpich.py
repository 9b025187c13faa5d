"""MPICH's Hydra: mpiexec, mpiexec.hydra."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.launch.families import hydra
from groma.launch.families.base import THROTTLE

if TYPE_CHECKING:
    from groma.launch.families.base import LaunchRequest


class Mpich(hydra.Hydra):
    """Debian's library has a name of its own, since libraries lie side by side there."""

    name = "MPICH"
    says = re.compile(r"HYDRA build details.*?Version:\s*(\S+)", re.DOTALL)
    programs = ("mpiexec.hydra", "mpiexec.mpich")
    libraries = ("libmpich.so*", "libmpi.so.12*")
    ways = dict(hydra.WAYS) | {"cpus": ("-bind-to", "user:{}")}

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a core or hardware thread; throttle if ranks share one."""
        words = ["-n", str(request.ranks)]
        if request.by_hand:
            return words, THROTTLE if request.placement.shares_cpus(request.ranks) else {}
        unit = request.unit
        return words + (["-bind-to", unit] if unit != "none" else []), THROTTLE if unit == "none" else {}


FAMILY = Mpich()
