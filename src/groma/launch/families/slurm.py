"""Slurm's srun."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, ClassVar

from groma.errors import InputError
from groma.launch.families.base import THROTTLE, Family
from groma.launch.nodelist import expand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import Asked
    from groma.plan.placement import Way

_FIRST_SPECIAL_STEP = 4294967280  # numbers from here on are batch scripts and interactive shells


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
        words += _of_job()
        throttled = crowded and asked.engine_family != "Open MPI"
        return words + (["--overcommit"] if crowded else []), THROTTLE if throttled else {}

    def host_words(self, asked: Asked) -> list[str]:
        """Name the nodes, in Slurm's order; their shares are equal, or the first ones have a rank more than the others.

        Slurm could place each rank by itself (`--distribution=arbitrary`), but MPICH then takes ranks of one node for
        ranks of several, and sends their messages over the network. With a number of ranks for each node that is not
        that of all nodes, its ranks do not find each other.
        """
        counts = list(asked.shares.values())
        if counts != sorted(counts, reverse=True) or counts[0] - counts[-1] > 1:
            said = ", ".join(f"{host}:{count}" for host, count in asked.shares.items())
            raise InputError(
                f"Slurm deals ranks evenly, and {said} are not even; use a number of ranks that the nodes divide (-n)"
            )
        _refuse_other_order(list(asked.shares))
        words = [f"--nodes={len(counts)}", f"--nodelist={','.join(asked.shares)}"]
        words += [f"--ntasks-per-node={counts[0]}"] if counts[0] == counts[-1] else []
        return words + (["--distribution=block"] if asked.placement.way in ("as launched", "cpus") else [])


def _refuse_other_order(names: list[str]) -> None:
    """Raise InputError where nodes of the job are named in another order than that in which srun fills them."""
    order = [name for name in expand(os.environ.get("SLURM_JOB_NODELIST", "")) if name in names]
    if len(order) == len(names) and order != names:
        raise InputError(f"srun fills the nodes of a job in its own order; name them as {','.join(order)}")


def _of_job() -> list[str]:
    """Return what srun does not take from its job: the CPUs of a task, and within a step the right to share CPUs."""
    cpus, step = os.environ.get("SLURM_CPUS_PER_TASK"), os.environ.get("SLURM_STEP_ID", "")
    shares = ["--overlap"] if step.isdecimal() and int(step) < _FIRST_SPECIAL_STEP else []
    return ([f"--cpus-per-task={cpus}"] if cpus else []) + shares


FAMILY = Slurm()
