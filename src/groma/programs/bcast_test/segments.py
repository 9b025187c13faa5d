"""Which length of a segment is best for a broadcast, and its gain over the smallest (the JET page).

A launch's figure for one length is the time within which 90 % of its transfers are over, because all ranks wait for the
slow ones. The best length is the one with the smallest median over launches. Its gain is a ratio within launches, so
that a disturbance of a whole launch cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groma.analysis.compare import Comparison, compare
from groma.analysis.compare.fastest import choose
from groma.programs.bcast_test.transfers import Transfers


@dataclass(frozen=True)
class Gain:
    """The best way to divide a buffer, those that are tied with it, and the smallest segments' time over its own.

    `launches` measured all ways; with fewer than six of them no way is found slower, and the gain has no interval.
    """

    best: Transfers
    tied: tuple[Transfers, ...]
    smallest: Transfers
    gain: Comparison
    launches: int


def gain_of(parts: Sequence[Transfers]) -> Gain:
    """Compare ways to divide one buffer among the same ranks; one way at least."""
    ways = {part.segments: part.within_launches() for part in parts}
    by_segments = {part.segments: part for part in parts}
    smallest = by_segments[max(ways)]
    choice = choose(smallest.bytes, ways)
    return Gain(
        best=by_segments[choice.fastest],
        tied=tuple(by_segments[segments] for segments in choice.alike[1:]),
        smallest=smallest,
        gain=compare(ways[smallest.segments], ways[choice.fastest]),
        launches=choice.launches,
    )
