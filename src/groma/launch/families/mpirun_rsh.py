"""mpirun_rsh of MVAPICH, beside the Hydra that it comes with.

The options are those of MVAPICH's user guide. Groma's developers had none to try them on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.launch.families.base import THROTTLE, Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest


class MpirunRsh(Family):
    """It names the host of every rank, and takes variables as words before the program."""

    name = "mpirun_rsh"
    called = ("mpirun_rsh",)
    programs = ("mpirun_rsh",)
    libraries = ("libmpi.so.12*",)
    starts = frozenset({"MPICH"})

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return the number of ranks; without named hosts all are on this one."""
        words = ["-np", str(request.ranks)]
        here = ["localhost"] * request.ranks if not (request.hosts or request.arguments) else []
        return words + here, THROTTLE if request.oversubscribed else {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return the host of each rank."""
        return list(request.hosts)

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return each variable as NAME=VALUE."""
        return [f"{name}={value}" for name, value in env.items()]


FAMILY = MpirunRsh()
