"""Slow calls that tests/engine/interpose/phases.c plants into a library, and what is then true of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DELAY_US = 50.0


@dataclass(frozen=True)
class Seen:
    """What the interposer saw of a plant: by how much the last call was slow, and the mean of `every`'s calls, in ns.

    The mean is 0 for other plants, and where no ten calls followed each other.
    """

    last_ns: float
    mean_ns: float


@dataclass(frozen=True)
class Plant:
    """One way to make calls slow: the interposer's word for it, and by how much.

    `share` is a delay relative to the time of a call, in place of `delay_us`.
    """

    name: str
    kind: str
    delay_us: float = DELAY_US
    share: float = 0.0

    def delay_ns(self, control_ns: float) -> float:
        """Return the delay of a slow call beside a control of that time."""
        return self.share * control_ns if self.share else 1000 * self.delay_us

    def true_ns(self, control_ns: float, seen: Seen, *, block: bool) -> float:
        """Return the true time of a call: that of the level at the end, at which the last call was so slow.

        Where levels come and go it is the mean over calls. Where every n-th call is slow, that of blocks is what the
        interposer saw, since the calls after a slow one are slower too; the median of single calls is the control.
        """
        word = self.kind.partition(":")[0]
        if word in ("telegraph", "switch"):
            return control_ns + self.delay_ns(control_ns) / 2
        if word == "every":
            return seen.mean_ns if block else control_ns
        return control_ns + seen.last_ns


PLANTS = (
    Plant("first 50 calls", "first:50"),
    Plant("first 500 calls", "first:500"),
    Plant("first 5000 calls", "first:5000"),
    Plant("step after 3000 calls", "after:3000"),
    Plant("step after 6100 calls", "after:6100"),
    Plant("step after 1.5 s", "late:1500"),
    Plant("telegraph, phases of 200 calls", "telegraph:200"),
    Plant("telegraph of 20 %, phases of 200 calls", "telegraph:200", share=0.2),
    Plant("300 calls slow by a fifth, 300 not, in turns", "switch:300", share=0.2),
    Plant("drift over 20000 calls", "drift:20000"),
    Plant("every 10th call", "every:10"),
)

# Names of those that leave the level of most calls as it is.
PASSING = {plant.name for plant in PLANTS if plant.kind.startswith(("first", "every"))}


def words(plants: Mapping[int, Plant], control_ns: float) -> str:
    """Return the interposer's GROMA_PLANTS: what is planted by message length."""
    return ",".join(
        f"{size}:{plant.kind}:{plant.delay_ns(control_ns) / 1000:.3f}" for size, plant in sorted(plants.items())
    )


def read_seen(path: Path) -> dict[int, Seen]:
    """Return what the interposer wrote of each message length."""
    lines = [line.split() for line in path.read_text().splitlines()]
    return {int(size): Seen(1000 * float(delay), 1000 * float(mean)) for size, _calls, delay, mean in lines}
