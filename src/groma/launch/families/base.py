"""A family of launchers: how it is recognised, and its options."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import msgspec

from groma.errors import InputError
from groma.launch.cores import Cores
from groma.plan.placement import Placement, Way

# With more ranks than cores MPICH spins in its progress loop while the rank it waits for is not running
# (4 ranks on 2 cores: 8 ms per small allreduce instead of 7 us).
THROTTLE = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1",
}
# Arguments with which a person gives a launcher what Groma would give it, as launchers spell them.
HOSTS = {"host", "H", "hostfile", "machinefile", "hosts", "f", "w", "nodelist", "L", "requires"}
MAPPING = {"map-by", "rank-by", "ppn", "perhost", "rr", "grr", "npernode", "N", "distribution", "m", "rf", "rankfile"}
BINDING = {"bind-to", "cpu-list", "cpu-set", "cpu-bind", "map-by", "rf", "rankfile", "cc", "b", "bind"}
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]*)\}")


def first_of(arguments: Sequence[str], names: Collection[str]) -> str | None:
    """Return the first of a person's own arguments that is one of these options."""
    options = (option for option in arguments if option.startswith("-"))
    return next((option for option in options if option.lstrip("-").partition("=")[0] in names), None)


@dataclass(frozen=True)
class LaunchRequest:
    """What one launch asks of its launcher: ranks of an engine on `nodes` hosts; `arguments` are a person's own.

    `hosts` has the host of each rank; it is empty if the launcher chooses them. `named` is true if a person named
    them, and false if they are those of an allocation. `room` are the ranks that hosts of an allocation have
    processors for; every other host has `cores`. If `unbound`, ranks are not bound: their threads choose CPUs.
    """

    ranks: int
    engine_family: str
    cores: Cores
    nodes: int
    placement: Placement
    arguments: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    named: bool = False
    room: Mapping[str, int] = field(default_factory=dict)
    unbound: bool = False

    @property
    def shares(self) -> dict[str, int]:
        """The hosts that have ranks, in the order of their first ranks, and how many each has."""
        return dict(Counter(self.hosts))

    def listed_shares(self, separator: str = ",") -> str:
        """Return `a:2,b:2`: each host that has ranks, and how many."""
        return separator.join(f"{host}:{count}" for host, count in self.shares.items())

    @property
    def by_hand(self) -> bool:
        """True if the person gave a list, or arguments of their own: Groma adds no placement to them.

        Beside named hosts, only arguments that bind ranks count: those that place them are refused.
        """
        own = first_of(self.arguments, BINDING) if self.named else self.arguments
        return bool(self.placement.places or own)

    @property
    def oversubscribed(self) -> bool:
        """True if there are more ranks than allowed processors; never of placement given by hand."""
        return not self.by_hand and self._more_than(self.cores.cpus)

    @property
    def unit(self) -> str:
        """The unit each rank gets to itself: `core`, `hwthread`, or `none` when there are too few, or `unbound`."""
        if self.unbound:
            return "none"
        if not self._more_than(self.cores.cores):
            return "core"
        return "none" if self.oversubscribed else "hwthread"

    def _more_than(self, processors: int) -> bool:
        """Return whether some host has more ranks than `processors`, or than it has of them in the allocation."""
        if self.hosts:
            return any(count > min(processors, self.room.get(host, count)) for host, count in self.shares.items())
        return self.ranks > (sum(min(processors, most) for most in self.room.values()) or processors * self.nodes)


class Family(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A family of launchers; without a name it stands for launchers that Groma does not know.

    `says` finds the version, its first group, in what `--version` prints, and `called` recognises by its name a program
    that does not say. `programs` are looked for on PATH. `libraries` match the names of its MPI library's files.
    `starts` are the engines, by family, whose ranks find each other; None: any. `lists` are options of a person that
    list hosts.

    The others are options. `count` gives the number of ranks, `as_root` lets root start them, and `units` binds each
    rank to its unit. `throttled` are the engines, by family, that need `THROTTLE` if ranks share processors. `ways` has
    for each placement the options, in which {} stands for the hosts or CPUs of a list, with `separator` between them.
    `hosts` names the hosts, or `refuses_hosts` says why a person cannot name them; `in_order` fills them one after the
    other. `passes` sets a variable for ranks on other hosts, as {name} and {value}; variables whose names begin as
    `inherited` are passed on anyway. For other words in braces see `filled`.
    """

    name: str = ""
    says: str = ""
    called: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    starts: frozenset[str] | None = None
    lists: frozenset[str] = frozenset()
    count: tuple[str, ...] = ("-n", "{ranks}")
    as_root: tuple[str, ...] = ()
    units: dict[str, tuple[str, ...]] = {}
    throttled: frozenset[str] = frozenset()
    ways: dict[Way, tuple[str, ...]] = {}
    separator: str = ","
    hosts: tuple[str, ...] = ()
    refuses_hosts: str = ""
    in_order: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()

    def fits(self, engine_family: str) -> bool:
        """Return whether the ranks of such an engine would find each other; True if that is not known."""
        return not engine_family or self.starts is None or engine_family in self.starts

    def lacks(self, path: Path, engine_family: str) -> str:
        """Say what the launcher at `path` lacks to start the ranks of such an engine; empty if it lacks nothing."""
        del path, engine_family
        return ""

    def for_version(self, version: str) -> Family:
        """Return the family with the options of this version, as `--version` states it."""
        del version
        return self

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return the options for the number of ranks and their binding, and variables that they need."""
        words = filled(self.count, request, self.name) + list(self.as_root if os.geteuid() == 0 else ())
        if request.by_hand:
            return words, {}
        throttles = request.oversubscribed and request.engine_family in self.throttled
        return [*words, *self.units.get(request.unit, ())], THROTTLE if throttles else {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return the options that put `request.shares` ranks on each host, in that order.

        Raises InputError if the launcher has none, or cannot deal ranks like that.
        """
        if request.named and self.refuses_hosts:
            raise InputError(self.refuses_hosts)
        if not self.hosts:
            launcher = self.name or "this launcher"
            raise InputError(
                f"{launcher} has no option known to Groma to name {', '.join(request.shares)}; leave --hosts out, or "
                "write a template, such as --launcher 'mylauncher -n {ranks} --hosts {hosts}'"
            )
        one_by_one = request.placement.way in ("as launched", "cpus")
        return filled(self.hosts, request, self.name) + list(self.in_order if one_by_one else ())

    def assembled(self, path: str, words: list[str], request: LaunchRequest, env: Mapping[str, str]) -> list[str]:
        """Return the launcher's whole command, up to the program that it starts."""
        del env
        return [path, *words, *request.arguments]

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return hosts or CPUs as the launcher's option takes them; raises InputError for an order it cannot keep."""
        return self.separator.join(placement.of_ranks(ranks))

    def placing_variables(self, placement: Placement, ranks: int) -> dict[str, str]:
        """Return variables that give the launcher a placement, if options do not."""
        del placement, ranks
        return {}

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return the options that pass these variables to ranks on other hosts."""
        passed = [(name, value) for name, value in env.items() if not name.startswith(self.inherited)]
        return [word.format(name=name, value=value) for name, value in passed for word in self.passes]


def placeholders(words: Sequence[str]) -> list[str]:
    """Return the names in braces of a launcher's words."""
    return [name for word in words for name in _PLACEHOLDER.findall(word)]


def filled(words: Sequence[str], request: LaunchRequest, launcher: str, others: Mapping[str, str] = {}) -> list[str]:
    """Return words with what a launch asks for, and `others`, in place of the names in braces.

    {ranks} is the number of ranks, {nodes} that of hosts, {ppn} the ranks of each, {hosts} `a,b`, {slots} `a:2,b:2` and
    {ranks_hosts} the host of every rank, `a,a,b,b`. Raises InputError as `equal_share`.
    """
    values = {
        "ranks": str(request.ranks),
        "nodes": str(len(request.shares)),
        "hosts": ",".join(request.shares),
        "slots": request.listed_shares(),
        "ranks_hosts": ",".join(request.hosts),
        "ppn": str(equal_share(request, launcher)) if "ppn" in placeholders(words) else "",
        **others,
    }
    return [_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in words]


def equal_share(request: LaunchRequest, name: str) -> int:
    """Return the ranks of each host, for a launcher that takes one number; the last host may have fewer.

    Raises InputError for other shares.
    """
    counts = list(request.shares.values())
    if any(count != counts[0] for count in counts[:-1]) or counts[-1] > counts[0]:
        shares = request.listed_shares(", ")
        raise InputError(
            f"{name} puts the same number of ranks on every host, and {shares} are not the same; give every host the "
            "same number (--ppn)"
        )
    return counts[0]


@dataclass(frozen=True)
class Expected:
    """The host of each rank and its CPU; empty if the launcher, or the system, chooses.

    `aliases`: the names are a scheduler's, which need not be those that the hosts have for themselves. `of_job`: nobody
    asked for these hosts; they are where the job has its tasks.
    """

    hosts: tuple[str, ...] = ()
    cpus: tuple[str, ...] = ()
    aliases: bool = False
    of_job: bool = False

    @property
    def as_whom(self) -> str:
        """Say who chose the hosts."""
        return "as its job has tasks there" if self.of_job else "as asked"

    @classmethod
    def of(cls, request: LaunchRequest, *, aliases: bool = False) -> Expected:
        """Return where the ranks of a launch should be; CPUs of a list only on one host, since it counts on each."""
        placement, ranks = request.placement, request.ranks
        hosts = tuple(placement.of_ranks(ranks)) if placement.way == "hosts" else request.hosts
        cpus = tuple(placement.of_ranks(ranks)) if placement.way == "cpus" and request.nodes == 1 else ()
        return cls(hosts, cpus, aliases, of_job=bool(request.hosts) and not request.named)

    def __str__(self) -> str:
        """Return the placement in a line: `a: ranks 0-1; b: ranks 2-3`."""
        if self.hosts:
            names = list(dict.fromkeys(self.hosts))
            return "; ".join(f"{name}: {_ranks(self.hosts, name)}" for name in names)
        if self.cpus:
            return ", ".join(f"rank {rank} on CPU {cpu}" for rank, cpu in enumerate(self.cpus))
        return "as the launcher chooses"


ANYWHERE = Expected()


def _ranks(places: tuple[str, ...], name: str) -> str:
    """Return the ranks of one place, such as `ranks 0-3` or `ranks 0,2`."""
    ranks = [rank for rank, place in enumerate(places) if place == name]
    runs = [[rank for _, rank in run] for _, run in groupby(enumerate(ranks), lambda pair: pair[1] - pair[0])]
    ranges = ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"rank{'s' * (len(ranks) > 1)} {ranges}"
