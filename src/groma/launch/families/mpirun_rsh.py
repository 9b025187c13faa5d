"""mpirun_rsh of MVAPICH, beside the Hydra that it comes with.

The options are those of MVAPICH's user guide. Groma's developers had none to try them on.
"""

from __future__ import annotations

from groma.launch.families.base import Family, LaunchRequest


class MpirunRsh(Family, frozen=True):
    """It names the host of every rank, and takes variables as words before the program."""

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return the number of ranks; without named hosts all are on this one."""
        words, variables = super().words(request)
        here = ["localhost"] * request.ranks if not (request.hosts or request.arguments) else []
        return words + here, variables

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return the host of each rank."""
        return list(request.hosts)


FAMILY = MpirunRsh(
    name="mpirun_rsh",
    called=("mpirun_rsh",),
    programs=("mpirun_rsh",),
    libraries=("libmpi.so.12*",),
    starts=frozenset({"MPICH"}),
    count=("-np", "{ranks}"),
    throttled=frozenset({"MPICH", ""}),
    passes=("{name}={value}",),
)
