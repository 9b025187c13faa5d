"""A short C program that measures one point by its method, with nothing but MPI and libc (program.c.jinja)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from groma.reproduce.method import OPERATIONS, REDUCTIONS, TYPES, Method, Operation
from groma.text.printable import printable
from groma.text.templates import plain_templates

# Behind an array: Linux copies more slowly from the last pages that a program wrote (decision 36).
_UNUSED_BYTES = 1 << 18
_OVER_RANKS = {"max": "MPI_MAX", "min": "MPI_MIN", "mean": "MPI_SUM"}
_OF_RANK = "(int)(i / COUNT)"  # whose message element `i` of an array belongs to


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
