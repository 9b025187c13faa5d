"""The placement of the ranks of a launch: by slot, by node, or host by host or CPU by CPU as a list says.

`by-slot` fills one host after the other, `by-node` gives every host a rank in turn, and a list names the host or the
CPU of every rank: `node1+node2`, `0+2`. Rank r goes to entry r of a list, which starts again after its last.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Literal

from groma.errors import InputError

Way = Literal["as launched", "by-slot", "by-node", "hosts", "cpus"]
_WAYS: tuple[Literal["by-slot"], Literal["by-node"]] = ("by-slot", "by-node")
_SEPARATOR = "+"
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True)
class Placement:
    """A way to place ranks; `places` are the hosts or CPUs of a list, in the order of the ranks."""

    way: Way
    places: tuple[str, ...] = ()

    def of_ranks(self, ranks: int) -> list[str]:
        """Return the host or CPU of each of `ranks` ranks."""
        return list(itertools.islice(itertools.cycle(self.places), ranks))

    def shares_cpus(self, ranks: int) -> bool:
        """Return whether a list gives several of `ranks` ranks one CPU."""
        return self.way == "cpus" and len(set(self.of_ranks(ranks))) < ranks


AS_LAUNCHED = Placement("as launched")


def read_placement(text: str) -> Placement:
    """Return the placement of `by-slot`, `by-node`, `node1+node2` or `0+2`; an empty text leaves it to the launcher."""
    if not text:
        return AS_LAUNCHED
    for way in _WAYS:
        if text == way:
            return Placement(way)
    places = tuple(text.split(_SEPARATOR))
    if len(places) > 1 and all(place.isascii() and place.isdecimal() for place in places):
        return Placement("cpus", tuple(str(int(place)) for place in places))
    if len(places) > 1 and all(map(_HOST.fullmatch, places)):
        return Placement("hosts", places)
    raise InputError(
        f"'{text}' is not a placement; write by-slot, by-node, or a list with the host or the CPU of every rank, such "
        "as node1+node2 or 0+2"
    )
