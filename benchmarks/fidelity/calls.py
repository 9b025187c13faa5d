"""Which MPI calls a real program and its profile make for a test, and in what they differ.

Times of two launches differ for reasons of the machine; the calls do not. A launch of each has calls.c before the
library, and what it wrote down is compared for every test and size: datatype, reduction, roots, buffers, their
alignment, and what follows a call.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.fidelity.launches import Bench, Preloaded
from benchmarks.fidelity.programs import Program, sizes_of
from benchmarks.fidelity.shared import build
from groma.catalog import packaged
from groma.plan import Plan
from groma.programs.printed import Test

SOURCE = Path(__file__).with_name("calls.c")
# Calls of a length that are fewer than this share of the most frequent ones are not what is timed.
LEAST_SHARE = 0.05
# What follows a call less often than this, as a share and in calls, belongs to the beginning or the end of a series.
LEAST_FOLLOWING, FEWEST_FOLLOWING = 0.004, 4
# Counts of buffers are the same within this factor of each other, or where both are many: a program that stops by
# itself goes through more or less of its pool.
ALIKE, MANY = 1.25, 8
# Calls that follow each other are of one length within this factor: a program that stops by itself stops elsewhere.
IN_A_ROW, SERIES_ALIKE = "in a row", 2
# Arrays begin with a page or within one. Where within one, malloc decides: that changes from one program to the next.
_PAGE_BYTES = 4096
_SAME_TYPE = {"MPI_INT32_T": "MPI_INT"}
_TYPES = {
    "byte": "MPI_BYTE",
    "char": "MPI_CHAR",
    "int32": "MPI_INT",
    "int64": "MPI_INT64_T",
    "float": "MPI_FLOAT",
    "double": "MPI_DOUBLE",
}
_PAIRWISE = ("Send", "Ssend", "Rsend", "Bsend", "Isend", "Issend", "Recv", "Irecv", "Sendrecv")
_ANY_SOURCE = " from any source"

Facts = Mapping[str, str | int]


@dataclass(frozen=True)
class Kind:
    """The calls of one function, length, datatype and reduction in one rank's launch; see calls.c for the fields."""

    place: int
    function: str
    bytes: int
    calls: int
    facts: Facts
    next: Sequence[tuple[int, int]]

    @property
    def name(self) -> str:
        """Of a wait, how many requests it is for: a program may wait for its sends and its receives together."""
        return f"Waitall of {self.bytes}" if self.function == "Waitall" else self.function


def launched(run: Callable[[Preloaded], object], compiler: str, folder: Path) -> list[list[Kind]]:
    """Return every rank's calls in a launch that `run` makes with calls.c preloaded."""
    shutil.rmtree(folder / "calls", ignore_errors=True)
    (folder / "calls").mkdir()
    run(Preloaded(build(compiler, SOURCE, folder), {"GROMA_CALLS": str(folder / "calls" / "rank")}))
    files = sorted((folder / "calls").iterdir(), key=lambda path: int(path.suffix[1:]))
    return [read(path.read_text()) for path in files]


def read(text: str) -> list[Kind]:
    """Return what calls.c wrote of one rank."""
    kinds = []
    for line in text.splitlines():
        one: dict[str, Any] = json.loads(line)
        common = {name: one.pop(name) for name in ("place", "function", "bytes", "calls", "next")}
        one["datatype"] = _SAME_TYPE.get(one["datatype"], one["datatype"])
        for name in ("send_alignment", "receive_alignment"):
            one[name] = _alignment(one[name])
        kinds.append(Kind(**common, facts={name.replace("_", " "): value for name, value in one.items()}))
    return kinds


def _alignment(least: int) -> str:
    if least == 0:
        return "no array"
    return "within a page" if least < _PAGE_BYTES else "a page"


@dataclass(frozen=True)
class Both:
    """A program and its profile on a library, with a number of ranks."""

    bench: Bench
    program: Program
    plan: Plan
    ranks: int

    def _type(self, test: Test) -> str:
        """Return MPI's name of the datatype of the profile's points for this test."""
        point = next(point for point in self.plan.points if point["operation"] == test.operation)
        return _TYPES[str(packaged().resolve(point)["datatype"])]

    def differences(self, tests: Sequence[Test], sizes: list[int]) -> dict[tuple[str, int], list[str]]:
        """Return for every test and size in what the calls differ: one launch of each side for each test."""
        scratch, (compiler, engine_compiler) = self.bench.scratch, self.bench.compilers
        found = {}
        # IMB-RMA makes the same calls in another mode too, in the same launch: which are which cannot be told.
        for test in (one for one in tests if one.part != "MPI-RMA"):
            datatype = self._type(test)
            for start in self.program.starts(self.bench.programs, [test], sizes, scratch):
                real = launched(partial(self.bench.real, self.program, start, self.ranks), compiler, scratch)
                emulated = partial(self.bench.emulated, self.plan, start, sizes, self.ranks)
                own = launched(emulated, engine_compiler, scratch)
                for size in sizes_of(test, sizes):
                    found[test.name, size] = differences(test, test.bytes_of(size, self.ranks), real, own, datatype)
        return found


def differences(
    test: Test, size: int, real: Sequence[Sequence[Kind]], own: Sequence[Sequence[Kind]], datatype: str
) -> list[str]:
    """Return in what the calls of a test at a size (of one rank's message) differ, those of all ranks together.

    `datatype` is the profile's. Empty if they are the same.
    """
    found: list[str] = []
    for program, profile in zip(real, own, strict=False):
        found += _of_rank(*(_facts(_timed(test, size, side, datatype), side) for side in (program, profile)))
    return list(dict.fromkeys(found))


def _timed(test: Test, size: int, kinds: Sequence[Kind], datatype: str) -> list[Kind]:
    """Return the calls that a rank makes for the test at this size, the most frequent first.

    Calls with the datatype are meant, where there are any: a clock may send messages of the same length.
    """
    call = test.operation.partition("/")[0].removeprefix("bi").capitalize()
    pairwise = "epoch_calls" not in test.settings and not any(kind.function == call for kind in kinds)
    chosen = [
        kind
        for kind in kinds
        if kind.bytes == size
        and (kind.function.removesuffix(_ANY_SOURCE) in _PAIRWISE if pairwise else kind.function == call)
    ]
    meant = [kind for kind in chosen if kind.facts["datatype"] == datatype] or chosen
    most = max((kind.calls for kind in meant), default=0)
    return sorted((kind for kind in meant if kind.calls >= LEAST_SHARE * most), key=lambda kind: -kind.calls)


def _facts(timed: Sequence[Kind], kinds: Sequence[Kind]) -> dict[str, dict[str, str | int]]:
    """Return the facts of each function, and what follows its calls."""
    found: dict[str, dict[str, str | int]] = {}
    for kind in timed:
        found.setdefault(kind.function, dict(kind.facts) | _following(kind, kinds))
    return found


def _following(kind: Kind, kinds: Sequence[Kind]) -> dict[str, str | int]:
    """Return what follows a call, most frequent first; calls in a row with their number, unless they are very many.

    After collectives in a row each program collects its times in its own way, which is no part of what is timed.
    """
    least = max(FEWEST_FOLLOWING, LEAST_FOLLOWING * sum(count for _, count in kind.next))
    often = sorted(((place, count) for place, count in kind.next if count >= least), key=lambda one: -one[1])
    total = sum(count for _, count in often)
    itself = dict(often).get(kind.place, 0)
    if kind.function.removesuffix(_ANY_SOURCE) not in _PAIRWISE and 2 * itself > total > itself:
        return {"then": "itself", IN_A_ROW: round(total / (total - itself))}
    words = []
    for place, count in often:
        in_a_row = f", {total / (total - count):.0f} in a row" if count < total else ""
        words.append(f"itself{in_a_row}" if place == kind.place else kinds[place].name)
    return {"then": " or ".join(words) or "the end"}


def _of_rank(real: Mapping[str, Facts], own: Mapping[str, Facts]) -> Iterable[str]:
    if real.keys() != own.keys():
        yield f"calls: {_names(real)} against {_names(own)}"
    for function in real.keys() & own.keys():
        for name, value in real[function].items():
            other = own[function].get(name, value)
            alike = _within(value, other, SERIES_ALIKE) if name == IN_A_ROW else _alike(value, other)
            if not alike:
                yield f"{function}, {name}: {value} against {other}"


def _names(functions: Iterable[str]) -> str:
    return ", ".join(sorted(functions)) or "none"


def _alike(one: str | int, other: str | int) -> bool:
    many = isinstance(one, int) and isinstance(other, int) and min(one, other) >= MANY
    return many or _within(one, other, ALIKE)


def _within(one: str | int, other: str | int, factor: float) -> bool:
    if isinstance(one, int) and isinstance(other, int) and min(one, other) > 1:
        return max(one, other) <= factor * min(one, other)
    return one == other
