"""Intel MPI's launcher: a Hydra that binds ranks by itself, and takes CPUs by variables."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from groma.launch.families import hydra

if TYPE_CHECKING:
    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Placement


class IntelMpi(hydra.Hydra):
    """On one host its ranks talk through shared memory unless the person chose a fabric."""

    name = "Intel MPI"
    says = re.compile(r"Intel\(R\) MPI Library.*?Version (\S+)", re.DOTALL)
    libraries = ("libmpi.so.12*",)
    ways = dict(hydra.WAYS) | {"cpus": ()}

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Leave the binding to the launcher."""
        one_host = request.nodes == 1 and not request.arguments and request.placement.way != "hosts"
        fabrics = {"I_MPI_FABRICS": "shm"} if one_host and "I_MPI_FABRICS" not in os.environ else {}
        return ["-n", str(request.ranks)], fabrics

    def placing_variables(self, placement: Placement, ranks: int) -> dict[str, str]:
        """Return the variables with the CPU of each rank."""
        if placement.way != "cpus":
            return {}
        return {"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": self.listed(placement, ranks)}


FAMILY = IntelMpi()
