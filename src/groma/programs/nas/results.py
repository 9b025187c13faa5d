"""The points of a run as the tests of the NAS study: LBW, ATA, STS and the load test, with every run of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.analysis import PointSummary

# The buffers from which STS sends; the original program uses one buffer, which is the default.
_SENT_FROM = {"one": "from one buffer", "separate": "from places of their own"}


@dataclass(frozen=True)
class Result:
    """One test: processes, message size, and every run's time and bandwidth, in the order of the launches."""

    processes: int
    bytes: int
    sides: str
    times_s: list[float]
    bandwidths: list[float]
    send_buffer: str = "one"

    @property
    def time_s(self) -> float:
        """The best run's time."""
        return min(self.times_s)

    @property
    def bandwidth(self) -> float:
        """The best run's bandwidth, in MB/s and process."""
        return max(self.bandwidths)

    @property
    def mb_s(self) -> str:
        """The best run's bandwidth, as a cell."""
        return digits(self.bandwidth)

    @property
    def ms(self) -> str:
        """The best run's time in milliseconds, as a cell."""
        return digits(self.time_s * 1e3)

    @property
    def us(self) -> str:
        """The best run's time in microseconds, as a cell."""
        return digits(self.time_s * 1e6)


@dataclass(frozen=True)
class Results:
    """All tests of a run, by kind."""

    lbw: list[Result]
    ata: list[Result]
    sts: list[Result]
    load: list[Result]

    def lbw_at(self, size: int) -> Result | None:
        """Return the two-process result at one size, from the launches with the fewest processes."""
        return next((result for result in self.lbw if result.bytes == size), None)

    def ata_at(self, processes: int, size: int) -> Result | None:
        """Return the all-to-all of `processes` at one size."""
        return next((result for result in self.ata if (result.processes, result.bytes) == (processes, size)), None)

    @property
    def sts_by_buffer(self) -> dict[str, list[Result]]:
        """Return the some-to-some tests by how they are sent, those from one buffer first, as on the NAS page."""
        by_buffer = {
            words: [result for result in self.sts if result.send_buffer == name] for name, words in _SENT_FROM.items()
        }
        return {words: results for words, results in by_buffer.items() if results}

    @property
    def sts_marked(self) -> list[tuple[str, Result]]:
        """All some-to-some tests, each with its buffer after a comma if there are several kinds."""
        several = len(self.sts_by_buffer) > 1
        return [(f", {kind}" * several, result) for kind, passes in self.sts_by_buffer.items() for result in passes]

    @property
    def main_sts(self) -> list[Result]:
        """Return the some-to-some tests that conclusions and summaries use."""
        return next(iter(self.sts_by_buffer.values()), [])

    @property
    def counts(self) -> list[int]:
        """Process counts of the all-to-all tests, ascending."""
        return sorted({result.processes for result in self.ata})


def read_results(summaries: list[PointSummary]) -> Results:
    """Sort the points of a run into the tests of the NAS page."""
    lbw: dict[int, Result] = {}
    ata, sts, load = [], [], []
    for summary in sorted(summaries, key=lambda point: (point.ranks, point.bytes or 0)):
        result = _result(summary)
        if summary.operation == "pingpong" and summary.point["pattern"] == "neighbours":
            load.append(result)
        elif summary.operation == "pingpong":
            lbw.setdefault(result.bytes, result)
        elif summary.operation.startswith("alltoall"):
            ata.append(result)
        elif summary.operation.startswith("sts"):
            sts.append(result)
    return Results(list(lbw.values()), ata, sts, load)


def digits(value: float) -> str:
    """Return at least three significant digits and no exponent, as the tables of the NAS page have them."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"


def _result(summary: PointSummary) -> Result:
    first = summary.launches[0]
    shared = summary.member_count if summary.operation.startswith("sts") else 1
    per_ns = first.record.bytes_moved / first.divisor / shared
    times = [float(time) for time in summary.launch_times_ns]
    return Result(
        processes=summary.member_count,
        bytes=summary.bytes or 0,
        sides=str(summary.point.get("map_sides", "")),
        times_s=[time / 1e9 for time in times],
        bandwidths=[1000 * per_ns / time for time in times],
        send_buffer=str(summary.point.get("map_send_buffer", "separate")),  # as engines without that field did
    )
