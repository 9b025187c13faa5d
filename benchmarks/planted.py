"""Slow calls that tests/engine/interpose/phases.c plants into a library, and what is then true of its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DELAY_US = 50.0


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

    def true_ns(self, control_ns: float, last_ns: float, *, block: bool) -> float:
        """Return the true time of a call: that of the level at the end, at which the last call was `last_ns` slow.

        Where levels come and go it is the mean over calls, but for a tail of single calls: their median is the control.
        """
        word, _, number = self.kind.partition(":")
        if word == "telegraph":
            return control_ns + self.delay_ns(control_ns) / 2
        if word == "every":
            return control_ns + (self.delay_ns(control_ns) / int(number) if block else 0)
        return control_ns + last_ns


PLANTS = (
    Plant("first 50 calls", "first:50"),
    Plant("first 500 calls", "first:500"),
    Plant("first 5000 calls", "first:5000"),
    Plant("step after 3000 calls", "after:3000"),
    Plant("step after 6100 calls", "after:6100"),
    Plant("step after 1.5 s", "late:1500"),
    Plant("telegraph, phases of 200 calls", "telegraph:200"),
    Plant("telegraph of 20 %, phases of 200 calls", "telegraph:200", share=0.2),
    Plant("drift over 20000 calls", "drift:20000"),
    Plant("every 10th call", "every:10"),
)


def words(plants: Mapping[int, Plant], control_ns: float) -> str:
    """Return the interposer's GROMA_PLANTS: what is planted by message length."""
    return ",".join(
        f"{size}:{plant.kind}:{plant.delay_ns(control_ns) / 1000:.3f}" for size, plant in sorted(plants.items())
    )


def last_delays_ns(path: Path) -> dict[int, float]:
    """Return by how much the last call of each message length was slow, as the interposer wrote it."""
    lines: list[Sequence[str]] = [line.split() for line in path.read_text().splitlines()]
    return {int(size): 1000 * float(delay) for size, _calls, delay in lines}
