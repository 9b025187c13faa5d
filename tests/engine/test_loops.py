"""The timed loops contain direct MPI and clock calls only, and every operation of the catalogue has its loops."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.disassembly import timed_loops

pytestmark = pytest.mark.bed("objdump")


def test_only_direct_mpi_and_clock_calls(library: beds.Library) -> None:
    offences = {
        f"{loop.kind}_loop<{loop.operation}, {', '.join(loop.method)}>": loop.offences
        for loop in timed_loops(library.engine)
        if loop.offences
    }
    assert timed_loops(library.engine), "no timed loop was found: was the engine stripped of its symbols?"
    assert offences == {}


def test_every_operation_has_a_loop_for_every_clock_and_sync(library: beds.Library) -> None:
    described = beds.run([str(library.engine), "--describe"], environment=library.environment())
    assert described.exit_code == 0, described.errors
    catalogue = json.loads(described.output)
    choices = {
        field["name"]: {choice["name"] for choice in field["choices"]} - {"auto"}  # settled at launch
        for field in catalogue["fields"]
        if field["choices"]
    }
    per_method = Counter((loop.kind, loop.method) for loop in timed_loops(library.engine))
    assert set(per_method.values()) == {sum(map(forms_of, catalogue["operations"]))}
    kinds = Counter(kind for kind, _ in per_method)
    clocks = len(choices["clock"]) + 1  # and the one of points that are slowed on purpose
    assert kinds == {"call": clocks * len(choices["sync"]), "block": clocks}


def forms_of(operation: dict[str, Any]) -> int:
    """How many sets of loops an operation has: a swap has one for each order, with and without overlap.

    Without overlap, the delayed order makes the calls of the simple one, and shares its loops.
    """
    swap = operation["swap"]
    return 1 if swap is None else 1 + swap["alike"] + swap["overlaps"] + 2 * (swap["alike"] and swap["overlaps"])


SNIPPET = """
extern "C" [[gnu::noipa]] int MPI_Barrier(long) { return 0; }
extern "C" int clock_gettime(int, void*);
namespace groma {
struct Operation { int (*other)(int); long size; int* made; };
struct Batch { long repetitions; };
struct Direct { static void step(Operation&) { MPI_Barrier(0); } };
struct Indirect { static void step(Operation& o) { o.other(1); } };
struct Allocating { static void step(Operation& o) { o.made = new int[static_cast<unsigned long>(o.size)]; } };
struct Throwing { static void step(Operation& o) { if (o.size > 3) throw 1; } };
struct Clock {};
template <class Step, class Clock>
[[gnu::noinline]] void block_loop(void* erased, const Batch& batch) {
  long time[2];
  clock_gettime(1, time);
  for (long i = 0; i < batch.repetitions; ++i) Step::step(*static_cast<Operation*>(erased));
  clock_gettime(1, time);
}
template void block_loop<Direct, Clock>(void*, const Batch&);
template void block_loop<Indirect, Clock>(void*, const Batch&);
template void block_loop<Allocating, Clock>(void*, const Batch&);
template void block_loop<Throwing, Clock>(void*, const Batch&);
}
int main() {}
"""


def test_planted_offences_are_found(tmp_path: Path) -> None:
    compiler = shutil.which("c++") or shutil.which("g++")
    assert compiler, "the engine was built, so there is a compiler"
    (tmp_path / "loops.cpp").write_text(SNIPPET)
    program = tmp_path / "loops"
    built = beds.run([compiler, "-std=c++20", "-O3", "-o", str(program), str(tmp_path / "loops.cpp")])
    assert built.exit_code == 0, built.errors
    found = {loop.operation.removeprefix("groma::"): loop for loop in timed_loops(program)}
    assert found["Direct"].offences == []
    assert "MPI_Barrier" in found["Direct"].calls
    assert any(offence.startswith("indirect") for offence in found["Indirect"].offences)
    assert any("operator new" in offence for offence in found["Allocating"].offences)
    assert any("__cxa_throw" in offence for offence in found["Throwing"].offences)
