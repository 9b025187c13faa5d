"""Slurm's srun."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

from groma.errors import InputError
from groma.launch.asking import printed_by
from groma.launch.families.base import THROTTLE, Family, LaunchRequest
from groma.launch.nodelist import expand
from groma.plan.hosts import dealt

_FIRST_SPECIAL_STEP = 4294967280  # numbers from here on are batch scripts and interactive shells


class Slurm(Family, frozen=True):
    """It starts the ranks of any library whose process manager interface it has.

    Debian calls it slurm-wlm, SchedMD's own packages slurm-smd; sites print lines of their own before it says so.
    """

    def lacks(self, path: Path, engine_family: str) -> str:
        """Say that this Slurm was installed without the plugin by which ranks of the engine's library find each other.

        Where srun does not answer, it is believed to have it.
        """
        interface, offered = _interface(engine_family), _interfaces(path)
        if not engine_family or not offered or interface in offered:
            return ""
        return f"{path} has no --mpi={interface}, which ranks of {engine_family} need ({', '.join(offered)} are there)"

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Name the interface of the engine's library, and bind; variables are all passed on by srun itself."""
        interface = _interface(request.engine_family)
        if request.by_hand:
            by_list = request.placement.places and not request.arguments
            return ["-n", str(request.ranks), *([f"--mpi={interface}", *_of_job()] if by_list else [])], {}
        crowded = request.oversubscribed
        words = ["-n", str(request.ranks), f"--mpi={interface}", "--cpu-bind=none" if crowded else "--cpu-bind=cores"]
        throttled = crowded and request.engine_family != "Open MPI"
        return [*words, *_of_job(), *(["--overcommit"] if crowded else [])], THROTTLE if throttled else {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Name the nodes, in Slurm's order; it deals the ranks in rounds, as far as the nodes have processors.

        Slurm could place each rank by itself (`--distribution=arbitrary`), but MPICH then takes ranks of one node for
        ranks of several, and sends their messages over the network. With a number of ranks for each node that is not
        that of all nodes, its ranks do not find each other.
        """
        counts = list(request.shares.values())
        if counts != dealt(request.ranks, [request.room.get(host) for host in request.shares]):
            shares = request.listed_shares(", ")
            raise InputError(
                f"Slurm deals ranks evenly, and {shares} are not even; use a number of ranks that the nodes divide (-n)"
            )
        _refuse_other_order(list(request.shares))
        words = [f"--nodes={len(counts)}", f"--nodelist={','.join(request.shares)}"]
        words += [f"--ntasks-per-node={counts[0]}"] if counts[0] == counts[-1] else []
        return words + (["--distribution=block"] if request.placement.way in ("as launched", "cpus") else [])


def _interface(engine_family: str) -> str:
    """Return the process manager interface of an engine's library, as srun calls it."""
    return "pmix" if engine_family == "Open MPI" else "pmi2"


@functools.lru_cache(maxsize=8)
def _interfaces(path: Path) -> tuple[str, ...]:
    """Return the interfaces that srun lists, one in each line; versions before 21.08 write `srun: ` before each."""
    return tuple(re.findall(r"^(?:srun:)?\s*(\w+)$", printed_by(path, "--mpi=list"), re.MULTILINE))


def _refuse_other_order(names: list[str]) -> None:
    """Raise InputError if nodes of the job are named in another order than that in which srun fills them."""
    order = [name for name in expand(os.environ.get("SLURM_JOB_NODELIST", "")) if name in names]
    if len(order) == len(names) and order != names:
        raise InputError(f"srun fills the nodes of a job in its own order; name them as {','.join(order)}")


def _of_job() -> list[str]:
    """Return the options that srun does not take from its job: CPUs per task, and sharing of CPUs within a step."""
    cpus, step = os.environ.get("SLURM_CPUS_PER_TASK"), os.environ.get("SLURM_STEP_ID", "")
    shares = ["--overlap"] if step.isdecimal() and int(step) < _FIRST_SPECIAL_STEP else []
    return ([f"--cpus-per-task={cpus}"] if cpus else []) + shares


FAMILY = Slurm(
    name="Slurm",
    says=r"(?m)^slurm(?:-\w+)* (\d\S*)",
    lists=frozenset({"nodelist", "w"}),
    ways={
        "by-slot": ("--distribution=block",),
        "by-node": ("--distribution=cyclic",),
        "cpus": ("--cpu-bind=map_cpu:{}",),
    },
)
