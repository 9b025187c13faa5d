"""The options and variables by which each launcher places ranks."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from groma.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.launcher import Launcher
    from groma.plan.placement import Placement, Way

_SAID: dict[Way, str] = {
    "by-slot": "by slot",
    "by-node": "by node",
    "hosts": "by a list of hosts",
    "cpus": "by a list of CPUs",
}
_OF_HYDRA: dict[Way, tuple[str, ...]] = {"by-slot": (), "by-node": ("-ppn", "1"), "hosts": ("-hosts", "{}")}
# {} stands for the hosts or CPUs of a list.
_WORDS: dict[str, dict[Way, tuple[str, ...]]] = {
    "Open MPI": {
        "by-slot": ("--map-by", "slot"),
        "by-node": ("--map-by", "node"),
        "hosts": ("--host", "{}", "--map-by", "seq"),
        "cpus": ("--use-hwthread-cpus", "--cpu-list", "{}", "--bind-to", "cpu-list:ordered"),
    },
    "MPICH": _OF_HYDRA | {"cpus": ("-bind-to", "user:{}")},
    "Intel MPI": _OF_HYDRA | {"cpus": ()},  # by variables
    "Slurm": {
        "by-slot": ("--distribution=block",),
        "by-node": ("--distribution=cyclic",),
        "cpus": ("--cpu-bind=map_cpu:{}",),
    },
}
# Arguments with which a person tells a launcher the same.
_HOSTS = {"host", "H", "hostfile", "machinefile", "hosts", "f", "w", "nodelist"}
_MAPPING = {"map-by", "rank-by", "ppn", "perhost", "rr", "grr", "npernode", "N", "distribution", "m", "rf", "rankfile"}
_BINDING = {"bind-to", "cpu-list", "cpu-set", "cpu-bind", "map-by", "rf", "rankfile"}
_CONFLICTS: dict[Way, set[str]] = {
    "by-slot": _MAPPING,
    "by-node": _MAPPING,
    "hosts": _MAPPING | _HOSTS,
    "cpus": _BINDING,
}


def placing_words(launcher: Launcher, placement: Placement, ranks: int) -> list[str]:
    """Return the options that place so many ranks; raises InputError where the launcher has none."""
    way, words = placement.way, _WORDS.get(launcher.family, {})
    if way == "as launched":
        return []
    if way not in words:
        known = ", ".join(family for family, ways in _WORDS.items() if way in ways)
        raise InputError(
            f"{launcher.family or launcher.path} has no option known to Groma to place ranks {_SAID[way]}; use the "
            f"launcher of one of these: {known}"
        )
    given = [word for word in launcher.arguments if word.startswith("-")]
    own = next((word for word in given if word.lstrip("-").partition("=")[0] in _CONFLICTS[way]), None)
    if own is not None:
        raise InputError(
            f"the launcher's own argument {own} says where ranks go, and so does placement {_SAID[way]}; leave one out"
        )
    listed = _listed(launcher, placement, ranks)
    return [word.replace("{}", listed) for word in words[way]]


def _listed(launcher: Launcher, placement: Placement, ranks: int) -> str:
    """Return hosts or CPUs as the launcher's option takes them; raises InputError for an order that it cannot keep."""
    of_ranks = placement.of_ranks(ranks)
    if placement.way == "hosts" and launcher.family in ("MPICH", "Intel MPI"):
        runs = [(host, len(list(same))) for host, same in itertools.groupby(placement.places)]
        if len(runs) > len(set(placement.places)):
            raise InputError(
                f"the launcher of {launcher.family} treats a host that a list names again as another one; repeat "
                "a host once for each of its ranks, such as node1+node1+node2; the list then starts again"
            )
        return ",".join(f"{host}:{count}" for host, count in runs)
    if placement.way == "cpus" and launcher.family == "Open MPI":
        numbers = list(map(int, of_ranks))
        if any(one >= other for one, other in itertools.pairwise(numbers)):
            raise InputError(
                f"the launcher of Open MPI gives the CPUs of a list to the ranks in ascending order, each once; for "
                f"{ranks} ranks, {'+'.join(of_ranks)} is not"
            )
    return ",".join(of_ranks)


def placing_variables(launcher: Launcher, placement: Placement, ranks: int) -> Mapping[str, str]:
    """Return the variables that tell Intel's launcher the CPU of each rank."""
    if launcher.family != "Intel MPI" or placement.way != "cpus":
        return {}
    return {"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": ",".join(placement.of_ranks(ranks))}
