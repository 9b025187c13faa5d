"""Options that MPICH's Hydra and Intel's launcher, derived from it, share."""

from __future__ import annotations

import itertools

from groma.errors import InputError
from groma.launch.families.base import Family
from groma.plan.placement import Placement, Way

WAYS: dict[Way, tuple[str, ...]] = {"by-slot": (), "by-node": ("-ppn", "1"), "hosts": ("-hosts", "{}")}


class Hydra(Family, frozen=True, kw_only=True):
    """A launcher with Hydra's options."""

    starts: frozenset[str] | None = frozenset({"MPICH"})
    lists: frozenset[str] = frozenset({"host", "hosts"})
    hosts: tuple[str, ...] = ("-hosts", "{slots}")
    passes: tuple[str, ...] = ("-genv", "{name}", "{value}")

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return CPUs, or each host with its number of ranks; a host that comes back is another host to Hydra."""
        if placement.way != "hosts":
            return super().listed(placement, ranks)
        runs = [(host, len(list(repeats))) for host, repeats in itertools.groupby(placement.places)]
        if len(runs) > len(set(placement.places)):
            raise InputError(
                f"the launcher of {self.name} treats a host that a list names again as another one; repeat "
                "a host once for each of its ranks, such as node1+node1+node2; the list then starts again"
            )
        return ",".join(f"{host}:{count}" for host, count in runs)
