"""`flux run` of the Flux framework.

The options are those of flux-run(1) and flux-shell-options(7) of flux-core 0.49 and newer (https://flux-framework.org).
Groma's developers had no Flux to try them on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.errors import InputError
from groma.launch.families.base import THROTTLE, Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Placement, Way


class Flux(Family):
    """It starts the ranks of any library with PMI-1 or PMI-2, and hands its own environment to them."""

    name = "Flux"
    says = re.compile(r"libflux-core:\s*(\S+)")
    called = ("flux",)
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {
        "by-slot": ("--taskmap=block",),
        "by-node": ("--taskmap=cyclic",),
        "cpus": ("-o", "cpu-affinity=map:{}"),
    }

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to its cores; the options that name hosts give the number of ranks too."""
        words = [] if request.hosts else [f"--ntasks={request.ranks}"]
        if request.by_hand:
            return words, {}
        crowded = request.oversubscribed
        throttled = crowded and request.engine_family != "Open MPI"
        return [*words, "-o", f"cpu-affinity={'off' if crowded else 'per-task'}"], THROTTLE if throttled else {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return how many hosts and which, and the ranks of each, which must be the same."""
        counts = list(request.shares.values())
        if len(set(counts)) > 1:
            shares = request.listed_shares(", ")
            raise InputError(
                f"flux run puts the same number of ranks on every host, and {shares} are not the same; use a number of "
                "ranks that the hosts divide (-n), or other hosts"
            )
        words = [
            f"--nodes={len(counts)}",
            f"--tasks-per-node={counts[0]}",
            f"--requires=host:{','.join(request.shares)}",
        ]
        return words + (["--taskmap=block"] if request.placement.way in ("as launched", "cpus") else [])

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return CPUs with semicolons between those of different ranks."""
        return ";".join(placement.of_ranks(ranks))

    def assembled(self, path: str, words: list[str], request: LaunchRequest, env: Mapping[str, str]) -> list[str]:
        """Return the command with its subcommand first: `run`, unless the person's arguments begin with another."""
        del env
        own = request.arguments
        if own and not own[0].startswith("-"):
            return [path, own[0], *words, *own[1:]]
        return [path, "run", *words, *own]

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name and the value of each variable."""
        return [f"--env={name}={value}" for name, value in env.items()]


FAMILY = Flux()
