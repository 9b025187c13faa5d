"""mpirun and mpiexec_mpt of HPE MPT (before: SGI MPT).

The options are those of its manual page mpirun(1). Groma's developers had no such machine to try them on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.launch.families.base import Family

if TYPE_CHECKING:
    from groma.launch.families.base import LaunchRequest


class HpeMpt(Family):
    """It passes the environment on by itself; hosts come from PBS (mpiexec_mpt), or stand first in a template."""

    name = "HPE MPT"
    says = re.compile(r"(?:HPE|SGI) MPT\s+(\d\S*)")
    programs = ("mpiexec_mpt",)

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return the number of ranks; binding is left to its own variables (MPI_DSM_CPULIST)."""
        return ["-np", str(request.ranks)], {}


FAMILY = HpeMpt()
