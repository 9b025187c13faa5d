"""The points of a run as the tests of the NAS study: LBW, ATA, STS and the load test, with every run of each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from groma.analysis import PointSummary
from groma.analysis.grouping import grouped
from groma.analysis.series import settings, words

LATENCY_BYTES, LBW_BYTES, ATA_BYTES = 40, 1_000_000, 100_000
STS_BYTES = 262_144  # the longest message of STS, unless a run sets another
CYCLES_S = (0.1, 1.0, 10.0)
MB_S = "MB/s per process"
# What the rows of a test's tables are over, beside the number of ranks; every other setting makes columns.
_ROWS = {
    "lbw": frozenset({"ranks", "bytes"}),
    "ata": frozenset({"ranks", "bytes"}),
    "sts": frozenset({"ranks", "map_sides"}),
    "load": frozenset({"ranks"}),
}


@dataclass(frozen=True)
class Result:
    """One test: processes, message size, and every run's time and bandwidth, in the order of the launches.

    `label` distinguishes it from the others of its row: its variant, and its settings if the test was run with several.
    Of STS, `bytes` is the longest message that may be drawn, and `messages` how many a process has on average.
    """

    processes: int
    bytes: int
    sides: str
    times_s: list[float]
    bandwidths: list[float]
    label: str = ""
    messages: int = 0
    send_buffer: str = "one"

    @property
    def pairs(self) -> int:
        """The pairs of processes, each of which is one run of LBW in the load test."""
        return self.processes // 2

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
    """All tests of a run, by kind; `load` are the pairs of LBW at once."""

    lbw: list[Result]
    ata: list[Result]
    sts: list[Result]
    load: list[Result]

    @property
    def singles(self) -> list[Result]:
        """The single-sided passes of STS, which conclusions and summaries use."""
        return [result for result in self.sts if result.sides == "single"]


def read_results(summaries: list[PointSummary]) -> Results:
    """Sort the points of a run into the tests of the NAS page.

    Of equal results, as LBW has in launches of any size, the one from the launches with the fewest ranks counts.
    """
    tests: dict[str, list[PointSummary]] = {"lbw": [], "ata": [], "sts": [], "load": []}
    for summary in sorted(summaries, key=lambda point: (point.ranks, point.bytes or 0)):
        if test := _test_of(summary):
            tests[test].append(summary)
    return Results(**{test: list(_distinct(points, _ROWS[test]).values()) for test, points in tests.items()})


def _test_of(summary: PointSummary) -> str:
    if summary.operation == "pingpong":
        return "load" if summary.point["pattern"] == "neighbours" else "lbw"
    if summary.operation.startswith("alltoall"):
        return "ata"
    return "sts" if summary.operation.startswith("sts") else ""


def _distinct(points: list[PointSummary], rows: frozenset[str]) -> dict[tuple[object, ...], Result]:
    """Return one result for each label and row of the tables of a test; labels are those of `_labels`."""
    results: dict[tuple[object, ...], Result] = {}
    for label, point in zip(_labels(points, rows), points, strict=True):
        result = _result(point, label)
        results.setdefault((label, result.processes, result.bytes, result.sides), result)
    return results


def _labels(points: list[PointSummary], rows: frozenset[str]) -> list[str]:
    """Return for each point its variant and every setting, but those of rows, in which points of the test differ."""
    known = [{"variant": point.variant, "bytes": point.bytes} | settings(point) for point in points]
    names = dict.fromkeys(name for fields in known for name in fields if name not in rows)
    differing = [name for name in names if len({str(fields.get(name)) for fields in known}) > 1]
    sizes = [[length(point.bytes or 0, point.operation)] * ("bytes" in differing) for point in points]
    return [", ".join([*words(point, differing), *size]) for point, size in zip(points, sizes, strict=True)]


def length(size: int, operation: str = "sts") -> str:
    """Return a size in words: that of a message or, of STS, that of the longest that may be drawn."""
    return f"{'up to ' * operation.startswith('sts')}{size:,} bytes"


def by_label(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Return the results of each label, in their order."""
    return grouped(results, lambda result: result.label)


def digits(value: float) -> str:
    """Return at least three significant digits and no exponent, as the tables of the NAS page have them."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"


def _result(summary: PointSummary, label: str) -> Result:
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
        label=label,
        messages=int(summary.point.get("map_messages", 0)),
        send_buffer=str(summary.point.get("map_send_buffer", "separate")),  # as engines without that field did
    )
