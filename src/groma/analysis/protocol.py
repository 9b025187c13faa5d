"""Where the library changes its protocol: jumps of a curve, and sends to a receiver that comes late."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from groma.analysis.models import Line, Model, fit

# The engine's operation `delayed_receiver` lets the receiver come this late; an eager send does not wait for it.
RECEIVER_DELAY_NS = 100_000
PROBE = "delayed_receiver"
JUMP_LIMIT = 0.05  # at a break, lines closer to each other than this count as continuous: no jump


@dataclass(frozen=True)
class Bracket:
    """Two sizes between which something changes: the last one before, the first one after."""

    below: int
    above: int

    def between(self, count: int, step: int = 1) -> list[int]:
        """Return up to `count` multiples of `step` inside, evenly spread; none if there is no room."""
        width = self.above - self.below
        if width // step <= count + 1:
            spread = list(range(self.below // step * step, self.above, step))
        else:
            spread = [(self.below + width * place // (count + 1)) // step * step for place in range(1, count + 1)]
        return sorted({size for size in spread if self.below < size < self.above})


@dataclass(frozen=True)
class Jump:
    """A break of a curve at which its time jumps, by `ratio` of the time below."""

    bracket: Bracket
    ratio: float


def bracket(changed: Mapping[int, bool]) -> Bracket | None:
    """Return where `changed` turns from False to True, by size; None if it does not.

    Where noise makes it turn more than once, the first turn counts.
    """
    above = min((size for size, is_changed in changed.items() if is_changed), default=None)
    below = max(
        (size for size, is_changed in changed.items() if not is_changed and (above is None or size < above)),
        default=None,
    )
    return None if above is None or below is None else Bracket(below, above)


def waits(send_ns: float) -> bool:
    """Return whether a send to a late receiver waited for it: it was not eager."""
    return send_ns > RECEIVER_DELAY_NS / 2


def eager_bracket(sends_ns: Mapping[int, float]) -> Bracket | None:
    """Return the largest eager size and the smallest that waits, from `delayed_receiver`'s times by size."""
    return bracket({size: waits(time) for size, time in sends_ns.items()})


def jumps(times_ns: Mapping[int, float], added: Collection[int] = ()) -> list[Jump]:
    """Return the breaks at which the curve jumps, each as narrow as the sizes allow.

    Lines are fitted to all sizes except those `added` to narrow a break, which are then divided between the two lines.
    """
    model = fit_without(times_ns, added)
    return (
        []
        if model is None
        else [jump for lower, upper in pairwise(model.segments) if (jump := _jump(times_ns, lower, upper))]
    )


def fit_without(times_ns: Mapping[int, float], added: Collection[int]) -> Model | None:
    """Fit lines to the sizes that were not added to narrow a break."""
    kept = sorted(size for size in times_ns if size not in added)
    return fit(kept, [times_ns[size] for size in kept])


def _jump(times_ns: Mapping[int, float], lower: Line, upper: Line) -> Jump | None:
    inside = sorted(size for size in times_ns if lower.last <= size <= upper.first)
    narrowest = _parting(inside, times_ns, lower, upper)
    ratios = [upper.time_ns(size) / max(lower.time_ns(size), 1.0) - 1 for size in (narrowest.below, narrowest.above)]
    ratio = min(ratios, key=abs)  # lines that meet at either end bend there without a jump
    return Jump(narrowest, ratio) if abs(ratio) > JUMP_LIMIT and ratios[0] * ratios[1] > 0 else None


def _parting(sizes: list[int], times_ns: Mapping[int, float], lower: Line, upper: Line) -> Bracket:
    """Divide the sizes between the two lines at the place where the sum of all relative errors is smallest."""

    def off(size: int, line: Line) -> float:
        return abs(times_ns[size] - line.time_ns(size)) / times_ns[size]

    costs = [
        sum(off(size, lower) for size in sizes[:cut]) + sum(off(size, upper) for size in sizes[cut:])
        for cut in range(1, len(sizes))
    ]
    cut = 1 + costs.index(min(costs))
    return Bracket(sizes[cut - 1], sizes[cut])
