"""The options by which a launcher places ranks, and what of a person's own would contradict them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import InputError
from groma.launch.families import families, family_named

if TYPE_CHECKING:
    from groma.launch.launcher import Launcher
    from groma.plan.placement import Placement, Way

_SAID: dict[Way, str] = {
    "by-slot": "by slot",
    "by-node": "by node",
    "hosts": "by a list of hosts",
    "cpus": "by a list of CPUs",
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
    family, way = family_named(launcher.family), placement.way
    if way == "as launched":
        return []
    if way not in family.ways:
        known = ", ".join(other.name for other in families() if way in other.ways)
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
    listed = family.listed(placement, ranks)
    return [word.replace("{}", listed) for word in family.ways[way]]
