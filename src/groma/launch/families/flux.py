"""`flux run` of the Flux framework.

The options are those of flux-run(1) and flux-shell-options(7) of flux-core 0.49 and newer (https://flux-framework.org).
Groma's developers had no Flux to try them on.
"""

from __future__ import annotations

from collections.abc import Mapping

from groma.errors import InputError
from groma.launch.families.base import Family, LaunchRequest


class Flux(Family, frozen=True):
    """It starts the ranks of any library with PMI-1 or PMI-2, and hands its own environment to them."""

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return no number of ranks beside hosts: the options that name these give it too."""
        words, variables = super().words(request)
        return words[1:] if request.hosts else words, variables

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return how many hosts and which, and the ranks of each, which must be the same."""
        if len(set(request.shares.values())) > 1:
            shares = request.listed_shares(", ")
            raise InputError(
                f"flux run puts the same number of ranks on every host, and {shares} are not the same; use a number of "
                "ranks that the hosts divide (-n), or other hosts"
            )
        return super().host_words(request)

    def assembled(self, path: str, words: list[str], request: LaunchRequest, env: Mapping[str, str]) -> list[str]:
        """Return the command with its subcommand first: `run`, unless the person's arguments begin with another."""
        del env
        own = request.arguments
        if own and not own[0].startswith("-"):
            return [path, own[0], *words, *own[1:]]
        return [path, "run", *words, *own]


FAMILY = Flux(
    name="Flux",
    says=r"libflux-core:\s*(\S+)",
    called=("flux",),
    count=("--ntasks={ranks}",),
    units={
        "core": ("-o", "cpu-affinity=per-task"),
        "hwthread": ("-o", "cpu-affinity=per-task"),
        "none": ("-o", "cpu-affinity=off"),
    },
    throttled=frozenset({"MPICH", "HPE MPT", ""}),
    ways={
        "by-slot": ("--taskmap=block",),
        "by-node": ("--taskmap=cyclic",),
        "cpus": ("-o", "cpu-affinity=map:{}"),
    },
    separator=";",
    hosts=("--nodes={nodes}", "--tasks-per-node={ppn}", "--requires=host:{hosts}"),
    in_order=("--taskmap=block",),
    passes=("--env={name}={value}",),
)
