"""The options by which a launcher places ranks, and the arguments of a user that contradict them."""

from __future__ import annotations

from dataclasses import replace

from groma.errors import InputError
from groma.launch.families import families, family_named
from groma.launch.families.base import BINDING, HOSTS, MAPPING, LaunchRequest, first_of
from groma.launch.families.template import is_template
from groma.launch.launcher import Launcher
from groma.launch.nodelist import expand
from groma.plan.hosts import NO_HOSTS, Hosts, read_hosts
from groma.plan.placement import Placement, Way

_WITHOUT_VALUE = {"rr"}  # of the options that map ranks
_SAID: dict[Way, str] = {
    "by-slot": "by slot",
    "by-node": "by node",
    "hosts": "by a list of hosts",
    "cpus": "by a list of CPUs",
}
_CONFLICTS: dict[Way, set[str]] = {
    "by-slot": MAPPING,
    "by-node": MAPPING,
    "hosts": MAPPING | HOSTS,
    "cpus": BINDING,
}


def placing_words(launcher: Launcher, placement: Placement, ranks: int) -> list[str]:
    """Return the options that place `ranks` ranks; raises InputError if the launcher has none."""
    family, way = family_named(launcher.family).for_version(launcher.version), placement.way
    if way == "as launched":
        return []
    if way not in family.ways:
        capable = ", ".join(candidate.name for candidate in families() if way in candidate.ways)
        raise InputError(
            f"{launcher.family or launcher.path} has no option known to Groma to place ranks {_SAID[way]}; use the "
            f"launcher of one of these: {capable}"
        )
    own = first_of(launcher.arguments, _CONFLICTS[way])
    if own is not None:
        raise InputError(
            f"the launcher's own argument {own} says where ranks go, and so does placement {_SAID[way]}; leave one out"
        )
    listed = family.listed(placement, ranks)
    return [word.replace("{}", listed) for word in family.ways[way]]


def hosts_of_ranks(launcher: Launcher, hosts: Hosts, placement: Placement, ranks: int) -> tuple[str, ...]:
    """Return the host of each rank, or nothing if the launcher chooses them.

    Hosts of an allocation give way to a person's own arguments and to a list of hosts. Raises InputError if hosts
    that a person named are named elsewhere too, or take fewer ranks.
    """
    if not hosts:
        return ()
    own = None if is_template(launcher.arguments) else first_of(launcher.arguments, HOSTS | MAPPING)
    if hosts.of_job and (own or placement.way == "hosts"):
        return ()
    if placement.way == "hosts":
        raise InputError(f"--hosts and the placement {'+'.join(placement.places)} both name hosts; leave one out")
    if own is not None:
        raise InputError(f"the launcher's own argument {own} says where ranks go, and so does --hosts; leave one out")
    return hosts.of_ranks(ranks, placement.way)


def host_words(launcher: Launcher, request: LaunchRequest) -> list[str]:
    """Return the options that name the hosts of the ranks; raises InputError if the launcher has none."""
    return family_named(launcher.family).host_words(request) if request.hosts else []


def hosts_listed(launcher: Launcher) -> tuple[Hosts, Launcher]:
    """Return the hosts that a person's own arguments list, and the launcher without them and without what maps ranks.

    There are none if the arguments are a template, name hosts in another way, or list what is no name of a host.
    """
    lists = family_named(launcher.family).lists
    names: list[str] = []
    others: list[str] = []
    words = iter(launcher.arguments)
    for word in words:
        option, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or option not in lists | MAPPING:
            others.append(word)
            continue
        if option in _WITHOUT_VALUE:
            continue
        value = value if equals else next(words, "")
        if option in lists:
            names += expand(value)
    try:
        hosts = read_hosts(",".join(dict.fromkeys(name.partition(":")[0] for name in names)))
    except InputError:
        return NO_HOSTS, launcher
    return Hosts(hosts), replace(launcher, arguments=tuple(others))
