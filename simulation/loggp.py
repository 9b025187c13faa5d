"""LogGP's five parameters, planted in a network and in its processors, and measured by request sequences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from groma.analysis import models
from groma.programs.loggp.study import OPERATION, SequenceTimes, sequence_times
from simulation.claims import Claim
from simulation.platforms import HEADER_BYTES, LINK, SWITCHED, cluster, one_way_ns
from simulation.simulator import simulate

SIZES_BYTES = (8, 512, 1024, 4096, 16384, 32768)
_FAR_BYTES = 65536  # G is shown as the time that this many bytes add
_EAGER = {"smpi/async-small-thresh": "65536"}  # messages travel before they are asked for


@dataclass(frozen=True)
class Overhead:
    """A processor's time for one message: seconds, and seconds for each of its bytes."""

    fixed_s: float
    byte_s: float

    def ns(self, size: float) -> float:
        """Return the time of a message of `size` bytes."""
        return 1e9 * (self.fixed_s + size * self.byte_s)

    @property
    def setting(self) -> str:
        """As SMPI reads it: from 0 bytes on."""
        return f"0:{self.fixed_s!r}:{self.byte_s!r}"


@dataclass(frozen=True)
class Gap:
    """What bounds a sequence: the time of one more message at no bytes, and for each byte."""

    none_ns: float
    byte_ns: float

    def ns(self, size: float) -> float:
        """Return g + (s-1) G."""
        return self.none_ns + size * self.byte_ns


def loggp() -> Iterator[Claim]:
    """Sequences that the receiver bounds, then sequences that the network bounds."""
    send, receive = Overhead(1e-6, 0.1e-9), Overhead(2e-6, 0.2e-9)
    slow = {"smpi/os": send.setting, "smpi/or": receive.setting}
    yield from _claims("slow receiver", slow, (send, receive), Gap(receive.ns(0), 1e9 * receive.byte_s))
    free = Overhead(0, 0)
    per_byte = 1e9 / LINK.bytes_per_s
    yield from _claims("narrow network", {}, (free, free), Gap(HEADER_BYTES * per_byte, per_byte))


def _claims(
    subject: str, settings: Mapping[str, str], overheads: tuple[Overhead, Overhead], gap: Gap
) -> Iterator[Claim]:
    points: list[Mapping[str, object]] = [{"operation": OPERATION, "bytes": size} for size in SIZES_BYTES]
    run = simulate(cluster(2, LINK), points, settings=_EAGER | dict(settings))
    found: dict[int, SequenceTimes] = {}
    for point in run.points:
        phases = {name: np.array(times) for name, times in point["phases_ns"].items()}
        found[int(point["point"]["bytes"])] = sequence_times(phases, int(point["point"]["window"]))
    send, receive = overheads
    for size in SIZES_BYTES:
        one = found[size]
        yield Claim(f"LogGP o_s, {subject}", size, send.ns(size), one.send_ns)
        yield Claim(f"LogGP o_r, {subject}", size, receive.ns(size), one.receive_ns)
        yield Claim(f"LogGP L + (s-1) G, {subject}", size, one_way_ns(SWITCHED, size), one.way_ns)
        yield Claim(f"LogGP gap, {subject}", size, gap.ns(size), one.gap_ns)
    line = models.line(SIZES_BYTES, [found[size].gap_ns for size in SIZES_BYTES])
    yield Claim(f"LogGP g, {subject}", 1, gap.ns(1), line.time_ns(1))
    yield Claim(f"LogGP G times 64 KiB, {subject}", _FAR_BYTES, _FAR_BYTES * gap.byte_ns, _FAR_BYTES * line.ns_per_byte)
