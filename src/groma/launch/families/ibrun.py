"""ibrun of TACC's systems: a script that starts ranks on the hosts of a Slurm job by the launcher of the loaded MPI.

The options are those of TACC's guides. Groma's developers had no such machine to try them on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.families.base import Family

if TYPE_CHECKING:
    from groma.launch.families.base import LaunchRequest


class Ibrun(Family):
    """It chooses hosts and binding by itself, and passes the environment on; it is known by its name."""

    name = "ibrun"
    called = ("ibrun",)
    programs = ("ibrun",)

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return the number of ranks."""
        return ["-n", str(request.ranks)], {}


FAMILY = Ibrun()
