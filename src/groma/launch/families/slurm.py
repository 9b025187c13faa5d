"""Slurm's srun."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.launch.families.base import THROTTLE, Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import Asked
    from groma.plan.placement import Way


class Slurm(Family):
    """It starts the ranks of any library whose process manager interface it has; Debian calls it slurm-wlm."""

    name = "Slurm"
    says = re.compile(r"^slurm(?:-wlm)? (\S+)")
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {
        "by-slot": ("--distribution=block",),
        "by-node": ("--distribution=cyclic",),
        "cpus": ("--cpu-bind=map_cpu:{}",),
    }

    def words(self, asked: Asked) -> tuple[list[str], dict[str, str]]:
        """Name the interface of the engine's library, and bind; variables are all passed on by srun itself."""
        if asked.by_hand:
            return ["-n", str(asked.ranks)], {}
        interface = "pmix" if asked.engine_family == "Open MPI" else "pmi2"
        crowded = asked.oversubscribed
        words = ["-n", str(asked.ranks), f"--mpi={interface}", "--cpu-bind=none" if crowded else "--cpu-bind=cores"]
        throttled = crowded and asked.engine_family != "Open MPI"
        return words + (["--overcommit"] if crowded else []), THROTTLE if throttled else {}


FAMILY = Slurm()
