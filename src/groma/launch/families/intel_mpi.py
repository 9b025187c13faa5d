"""Intel MPI's launcher: a Hydra that binds ranks by itself, and takes CPUs by variables."""

from __future__ import annotations

import os

from groma.launch.families.base import LaunchRequest
from groma.launch.families.mpich import WAYS, Hydra
from groma.plan.placement import Placement


class IntelMpi(Hydra, frozen=True):
    """On one host its ranks talk through shared memory unless the person chose a fabric."""

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Leave the binding to the launcher."""
        words, _ = super().words(request)
        one_host = request.nodes == 1 and not request.arguments and request.placement.way != "hosts"
        return words, {"I_MPI_FABRICS": "shm"} if one_host and "I_MPI_FABRICS" not in os.environ else {}

    def placing_variables(self, placement: Placement, ranks: int) -> dict[str, str]:
        """Return the variables with the CPU of each rank."""
        if placement.way != "cpus":
            return {}
        return {"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": self.listed(placement, ranks)}


FAMILY = IntelMpi(
    name="Intel MPI",
    says=r"(?s)Intel\(R\) MPI Library.*?Version (\S+)",
    libraries=("libmpi.so.12*",),
    ways=WAYS | {"cpus": ()},
)
