"""The page of `make bench`: ratios of Groma's times to those of loops by hand, and what the harness takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchmarks.chart import Dot, strips
from benchmarks.host import processor
from benchmarks.libraries import beds
from benchmarks.page import Page, Study
from groma.analysis.order import CONFIDENCE, Interval, median_interval
from groma.text.charts.axes import even
from groma.text.sizes import format_size

SIZES_BYTES = (8, 1 << 10, 1 << 16, 1 << 20)
FORMS = ("pingpong_isend", "pingpong_persistent", "iallreduce", "allreduce_init")
FORM_SIZES_BYTES = (8, 1 << 16)
Asked = tuple[str, int]  # an operation, and a size in bytes
# Persistent collectives come last: Intel MPI 2021.18 makes one-sided calls wrongly after them.
POINTS: tuple[Asked, ...] = (
    *(("pingpong", size) for size in SIZES_BYTES),
    *(("put/flush", size) for size in FORM_SIZES_BYTES),
    ("fetch_and_op/flush", 8),
    *(("partitioned/in_order", size) for size in FORM_SIZES_BYTES),
    *((form, size) for form in FORMS for size in FORM_SIZES_BYTES),
)
RATIO = (0.97, 1.03)
MET, NOT_MET, OPEN = "met", "not met", "inconclusive"
CALL_LIMIT_NS, BLOCK_LIMIT_NS = 30.0, 2.0
_AXIS = (0.88, 1.12)


class Bare(NamedTuple):
    """The time of a call of a loop by hand in ns, and of the same loop with a wait of a tenth of that in each call."""

    plain_ns: float
    planted_ns: float


@dataclass(frozen=True)
class Lack:
    """An operation that is not measured on a library, at one size or (None) at all, and why."""

    library: str
    operation: str
    bytes: int | None
    why: str


@dataclass(frozen=True)
class Row:
    """One operation and size on one library: medians over launches, and the ratio of Groma's to the bare loop's.

    `low` and `high` are its 95 % interval, None if the rounds are too few. `planted` is the same ratio of the bare loop
    with a tenth planted to Groma's; `found` if its whole interval lies above the wanted range. In `left_out` rounds the
    machine changed.
    """

    library: str
    operation: str
    bytes: int
    bare_ns: float
    groma_ns: float
    ratio: float
    low: float | None
    high: float | None
    verdict: str
    planted: float | None
    found: bool | None  # None, as `planted`, in rows of before
    rounds: int
    left_out: int
    machine: str


@dataclass(frozen=True)
class Harness:
    """What Groma's loop takes beyond its two clock readings: for a stamped call, and for a call in a block."""

    library: str
    version: str
    call_ns: float
    block_ns: float

    @property
    def is_met(self) -> bool:
        """True if both are within the limits."""
        return self.call_ns < CALL_LIMIT_NS and self.block_ns < BLOCK_LIMIT_NS


def row(
    library: str, point: Asked, bare: Sequence[Bare], groma: Sequence[float], *, rows: int = 1, left_out: int = 0
) -> Row:
    """Compare the launch medians (ns) of the two programs, of which this row is one of several.

    Ratio and interval are those of the median over rounds of the ratio within a round, whose launches are neighbours in
    time. The verdict is by the wider interval that holds for all rows together (Bonferroni).
    """
    plain_ns, planted_ns = np.array(bare).T
    ratios, planted = np.array(groma) / plain_ns, planted_ns / np.array(groma)
    interval, family = median_interval(ratios), median_interval(ratios, 1 - (1 - CONFIDENCE) / rows)
    bare_ns, groma_ns, ratio = (float(np.median(values)) for values in (plain_ns, groma, ratios))
    low, high = (interval.low, interval.high) if interval else (None, None)
    word, slower = verdict(ratio, family), median_interval(planted)
    found = slower is not None and slower.low > RATIO[1]
    times, slowed = (bare_ns, groma_ns, ratio), float(np.median(planted))
    return Row(library, *point, *times, low, high, word, slowed, found, len(ratios), left_out, processor())


def verdict(ratio: float, family: Interval | None) -> str:
    """Say that a ratio is not met only if the whole interval says so."""
    if RATIO[0] <= ratio <= RATIO[1]:
        return MET
    if family is None or (family.high >= RATIO[0] and family.low <= RATIO[1]):
        return OPEN
    return NOT_MET


def measured_again(before: Sequence[Sequence[Any]], new: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the tables of a page after a measurement: the new rows, and those of before that were not made again."""
    rows, harness, lacks = new
    asked = {_asked(row) for row in rows}
    own = {one.library for one in harness}
    left = {(one.library, one.operation) for one in (*rows, *lacks)}
    return [
        sorted([*(row for row in before[0] if _asked(row) not in asked), *rows], key=_place),
        [*(one for one in before[1] if one.library not in own), *harness],
        [*(one for one in before[2] if (one.library, one.operation) not in left), *lacks],
    ]


def _asked(row: Row) -> tuple[str, str, int]:
    return row.library, row.operation, row.bytes


def _place(row: Row) -> tuple[int, int]:
    return list(beds.libraries()).index(row.library), POINTS.index((row.operation, row.bytes))


def page(rows: Sequence[Row], harness: Sequence[Harness], lacks: Sequence[Lack]) -> Page:
    """Return docs/bench.md."""
    counts = Counter(row.verdict for row in rows)
    left_out = Counter(dict(sorted(((row.library, row.left_out) for row in rows), key=lambda one: one[1])))
    launches = sorted({row.rounds + row.left_out for row in rows})
    found = [row.found for row in rows if row.found is not None]
    return Page(
        chart=_chart(rows),
        headings=["library", "operation", *(format_size(size) for size in SIZES_BYTES), "left out"],
        rows=[
            _cells(*asked, rows, lacks)
            for asked in dict.fromkeys(
                [
                    *((row.library, row.operation) for row in rows),
                    *((one.library, one.operation) for one in lacks),
                ]
            )
        ],
        words=vars(rows[0])
        | {"count": len(rows), "met": counts[MET], "not_met": counts[NOT_MET], "open": counts[OPEN]}
        | {"low": RATIO[0], "high": RATIO[1], "call_limit": CALL_LIMIT_NS, "block_limit": BLOCK_LIMIT_NS}
        | {"planted_found": sum(found), "planted_rows": len(found)}
        | {
            "harness": "; ".join(f"{one.library} {one.call_ns:.2f} and {one.block_ns:.2f}" for one in harness),
            "harness_met": sum(one.is_met for one in harness),
            "libraries": len(harness),
            "left_out": ", ".join(f"{name} {count}" for name, count in left_out.items() if count) or "none",
            "launches": " or ".join(map(str, launches)),
            "machine": "; ".join(sorted({row.machine for row in rows})),
            "versions": "; ".join(" ".join(one.version.split(",")[0].split()) for one in harness),
        },
    )


def _cells(library: str, operation: str, rows: Sequence[Row], lacks: Sequence[Lack]) -> list[str]:
    own = {row.bytes: row for row in rows if (row.library, row.operation) == (library, operation)}
    cells = [own.get(size) for size in SIZES_BYTES]
    left_out = "; ".join(
        f"{format_size(one.bytes)}: {one.why}" if one.bytes is not None and own else one.why
        for one in lacks
        if (one.library, one.operation) == (library, operation)
    )
    figures = (f"{row.ratio:.3f}" + "?" * (row.verdict != MET) if row else "" for row in cells)
    return [library, operation, *figures, left_out]


def _chart(rows: Sequence[Row]) -> str:
    dots = [
        Dot(f"{row.operation} {format_size(row.bytes)}", row.library, row.ratio, f"{row.ratio:.3f}", row.low, row.high)
        for row in sorted(rows, key=lambda row: POINTS.index((row.operation, row.bytes)))
    ]
    x = even("time of Groma over that of the bare loop", *_AXIS)
    return strips(dots, x, "Ratio of times at every size, with 95% intervals; the band is what is wanted", RATIO)


STUDY = Study("bench", {"bench": Row, "bench-harness": Harness, "bench-lacks": Lack}, page)
