"""Where the ranks of a launch should be, as far as its command says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from groma.launch.families.base import LaunchRequest


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
