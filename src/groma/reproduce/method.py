"""How a point was measured, and the short C program that does the same with nothing but MPI (program.c.jinja).

What such a program cannot do is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from groma.analysis.summary import PointSummary
from groma.errors import InputError
from groma.results.records import Point
from groma.text.printable import printable
from groma.text.templates import plain_templates


class Operation(msgspec.Struct, frozen=True):
    """One operation in C; operations.toml says what its members are."""

    calls: str
    expected: str = ""
    same: str = ""
    sends_all: bool = False
    receives_all: bool = False
    at_root: bool = False
    first_alone: bool = False

    @property
    def reduces(self) -> bool:
        """True if elements are reduced."""
        return "total(" in self.expected


class _Known(msgspec.Struct):
    operations: dict[str, Operation]
    types: dict[str, tuple[str, str]]
    reductions: dict[str, tuple[str, str]]


_KNOWN = msgspec.toml.decode((Path(__file__).parent / "operations.toml").read_bytes(), type=_Known)
OPERATIONS, TYPES, REDUCTIONS = _KNOWN.operations, _KNOWN.types, _KNOWN.reductions

SYNCS = ("none", "barrier", "dissemination", "roundtime")
CLOCKS = ("monotonic", "mpi")
TIMINGS = ("call", "block")
REDUCES = ("root", "max", "min", "mean", "span")
ESTIMATORS = ("median", "mean", "min")
OUTLIERS = ("keep", "trim_quarters")
_SHARED_CLOCK = ("monotonic",)
# Behind an array: Linux copies more slowly from the last pages that a program wrote (decision 36).
_UNUSED_BYTES = 1 << 18
_OVER_RANKS = {"max": "MPI_MAX", "min": "MPI_MIN", "mean": "MPI_SUM"}
_OF_RANK = "(int)(i / COUNT)"  # whose message element `i` of an array belongs to
# Fields that must be so, with what the program would have to do otherwise.
_PLAIN: dict[str, Any] = {
    "communicator": "copy",
    "layout": "contiguous",
    "cache": "warm",
    "touch": "none",
    "memory": "host",
    "send_memory": "same",
    "receive_memory": "same",
    "root": "fixed",
    "arrival": "together",
    "added_ns": 0,
}


@dataclass(frozen=True)
class Method:
    """The numbers and choices of one point's C program; times are in nanoseconds."""

    operation: str
    ranks: int
    launched: int
    elements: int
    datatype: str
    reduction: str
    root: int
    same_array: bool
    mpi_allocates: bool
    alignment: int
    receive_offset: int
    clock: str
    sync: str
    reduce: str
    in_blocks: bool
    calls: int
    samples: int
    warmup: int
    lead_ns: int
    divisor: int
    estimator: str
    outliers: str


def method_of(summary: PointSummary, element_bytes: int) -> Method:
    """Return the method of a point; raises InputError for what a C program of this kind does not do."""
    records = [record for _, record in summary.records]
    first, point = records[0], records[0].point
    _refuse(summary, point, first)
    lead = [record.lead_ns for record in records if record.lead_ns is not None]
    return Method(
        operation=summary.operation,
        ranks=first.member_count,
        launched=summary.ranks,
        elements=first.message_bytes // element_bytes,
        datatype=str(point.get("datatype", "byte")),
        reduction=str(point.get("reduction", "sum")),
        root=int(point.get("root_rank", 0)),
        same_array=point.get("buffers") == "same",
        mpi_allocates=point.get("allocation") == "mpi",
        alignment=int(point.get("alignment", 4096)),
        receive_offset=int(point.get("receive_offset", 0)),
        clock=point["clock"],
        sync=point["sync"],
        reduce="root" if OPERATIONS[summary.operation].first_alone else point["reduce"],
        in_blocks=point["timing"] == "block",
        calls=_middle([record.repetitions_per_sample for record in records]),
        samples=_middle([record.samples_ns.size for record in records]),
        warmup=_middle([_warmup(record) for record in records]),
        lead_ns=min(lead, default=0),
        divisor=first.divisor,
        estimator=summary.reporting.estimator,
        outliers=summary.reporting.outliers,
    )


def _refuse(summary: PointSummary, point: dict[str, Any], record: Point) -> None:
    name = summary.operation
    if not summary.has_samples or record.hosts < 1:
        raise InputError(f"{name} was imported: how it was measured is not known well enough to write it as a program")
    if name not in OPERATIONS:
        raise InputError(f"{name} cannot be written as a short C program; these can: {', '.join(OPERATIONS)}")
    reporting = summary.reporting
    choices: dict[str, tuple[object, Collection[str]]] = {
        "clock": (point["clock"], CLOCKS),
        "timing": (point["timing"], TIMINGS),
        "sync": (point["sync"], SYNCS),
        "reduce": (point["reduce"], REDUCES),
        "datatype": (point.get("datatype", "byte"), TYPES),
        "estimator": (reporting.estimator, ESTIMATORS),
        "outliers": (reporting.outliers, OUTLIERS),
    }
    reasons = [
        *(f"{field}={point[field]}" for field, plain in _PLAIN.items() if point.get(field, plain) != plain),
        *(f"{field}={value}" for field, (value, known) in choices.items() if value not in known),
        *_of_clock(name, point, record),
        *_of_ranks(name, point, record),
    ]
    if OPERATIONS[name].reduces and point["reduction"] not in REDUCTIONS:
        reasons.append(f"reduction={point['reduction']}")
    if reasons:
        raise InputError(
            f"{name} with {', '.join(reasons)} is beyond a short C program; measure it without, or hand on the run "
            "itself (groma bundle)"
        )


def _of_clock(name: str, point: dict[str, Any], record: Point) -> list[str]:
    """Return why the ranks' clocks are not comparable without Groma's global clock; empty if they need not be."""
    across = point["sync"] == "roundtime" or (point["reduce"] == "span" and not OPERATIONS[name].first_alone)
    if not across or (record.hosts == 1 and point["clock"] in _SHARED_CLOCK):
        return []
    where = f"on {record.hosts} hosts" if record.hosts > 1 else f"and clock={point['clock']}"
    return [f"sync={point['sync']} and reduce={point['reduce']} {where}"]


def _of_ranks(name: str, point: dict[str, Any], record: Point) -> list[str]:
    """Return for which ranks or arrays there is no such program."""
    operation, reasons = OPERATIONS[name], []
    if record.groups != 1 or record.members != list(range(min(record.member_count, len(record.members)))):
        reasons.append(f"pattern={point['pattern']} of ranks {record.members[:4]}")
    if point.get("buffers") == "same" and name != "barrier" and not operation.same:
        reasons.append("buffers=same")
    if not operation.first_alone and point["reduce"] == "root" and point.get("root_rank"):
        reasons.append(f"reduce=root and root_rank={point['root_rank']}")
    return reasons


def _warmup(record: Point) -> int:
    """Return how many calls a launch made before the samples that count."""
    calls = record.calls.made if record.calls else 0
    return max(int(record.warmup_ns.size), calls) + int(record.discarded_ns.size) * record.repetitions_per_sample


def _middle(values: Sequence[int]) -> int:
    return round(float(np.median(values)))


def source(method: Method, head: Sequence[str]) -> str:
    """Return the program; `head` are the lines of the comment at its top."""
    operation = OPERATIONS[method.operation]
    in_mpi, reduction = TYPES[method.datatype][1], REDUCTIONS.get(method.reduction, REDUCTIONS["sum"])[0]
    return (
        plain_templates(Path(__file__).parent)
        .get_template("program.c.jinja")
        .render(
            m=method,
            operation=operation,
            head=[_of_comment(line) for line in head],
            constants=", ".join(f"{name} = {value}" for name, value in _constants(method, operation).items()),
            element=TYPES[method.datatype][0],
            calls=operation.calls.replace("TYPE", in_mpi).replace("OPERATION", reduction),
            reduced=REDUCTIONS[method.reduction][1] if operation.reduces else "",
            expected=_expected(method, operation),
            of_rank=_OF_RANK,
            over_ranks=_OVER_RANKS,
            scale=_scale(method),
        )
    )


def _of_comment(line: str) -> str:
    """Return a line, which has texts of records in it, that stays one line of its comment."""
    return " ".join(printable(line).split("\n")).replace("*/", "* /").rstrip()


def _constants(method: Method, operation: Operation) -> dict[str, int]:
    numbers = {"RANKS": method.ranks, "SAMPLES": method.samples, "WARMUP": method.warmup}
    if method.in_blocks:
        numbers["CALLS"] = method.calls
    if operation.expected:
        numbers |= {"COUNT": method.elements, "ROOT": method.root}
        if not method.mpi_allocates:
            numbers |= {"ALIGNMENT": method.alignment, "OFFSET": method.receive_offset, "UNUSED": _UNUSED_BYTES}
    return numbers


def _expected(method: Method, operation: Operation) -> str:
    """Return what element `i` of the array that receives must be; empty if nothing is sent."""
    expected = operation.same if method.same_array else operation.expected
    return expected.replace("from", _OF_RANK if operation.receives_all else "0").replace("k)", "i % COUNT)")


def _scale(method: Method) -> str:
    """Return by what the figure of the samples in ns is divided for microseconds of one figure."""
    factors = [f"{method.divisor}e3", *["CALLS"] * method.in_blocks, *["ranks"] * (method.reduce == "mean")]
    return f"({' * '.join(factors)})" if len(factors) > 1 else factors[0]
