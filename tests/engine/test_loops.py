"""The timed loops contain direct MPI and clock calls only, and every operation of the catalogue has its loops.

GROMA_EMULATOR has the words that start an engine of another machine, which GROMA_ENGINE names (tools/try-aarch64). CXX
is a compiler for that machine.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.disassembly import MACHINES, loops_in, timed_loops

pytestmark = pytest.mark.bed("objdump")


@pytest.mark.one_case
def test_only_direct_mpi_and_clock_calls(library: beds.Library) -> None:
    offences = {
        f"{loop.kind}_loop<{loop.operation}, {', '.join(loop.method)}>": loop.offences
        for loop in timed_loops(library.engine)
        if loop.offences
    }
    assert timed_loops(library.engine), "no timed loop was found: was the engine stripped of its symbols?"
    assert offences == {}


def test_every_operation_has_a_loop_for_every_clock(library: beds.Library) -> None:
    emulator = shlex.split(os.environ.get("GROMA_EMULATOR", ""))
    described = beds.run([*emulator, str(library.engine), "--describe"], environment=library.environment())
    assert described.exit_code == 0, described.errors
    catalogue = json.loads(described.output)
    choices = {field["name"]: {choice["name"] for choice in field["choices"]} for field in catalogue["fields"]}
    loops = timed_loops(library.engine)
    of_kind = Counter(loop.kind for loop in loops)
    per_method = Counter((loop.kind, loop.method) for loop in loops if loop.kind in ("call", "block"))
    assert of_kind["thread"] == sum("threads" in one["uses"] for one in catalogue["operations"])
    assert set(per_method.values()) == {sum(map(forms_of, catalogue["operations"]))}
    kinds = Counter(kind for kind, _ in per_method)
    clocks = len(choices["clock"]) + 1  # and the one of points that are slowed on purpose
    assert kinds == {"call": clocks, "block": clocks}
    assert of_kind["before"] == of_kind["after"] == clocks  # what brings the ranks together, whatever the operation


def forms_of(operation: dict[str, Any]) -> int:
    """How many sets of loops an operation has: one for touched messages, one with MPI_File_sync, one for all others.

    A swap has one for each order, with and without overlap. Without overlap, the delayed order makes the calls of the
    simple one, and shares its loops.
    """
    swap = operation["swap"]
    if swap is None:
        return 1 + int(operation["touches"]) + int("file_sync" in operation["uses"])
    orders: int = 1 + swap["alike"] + swap["overlaps"] + 2 * (swap["alike"] and swap["overlaps"])
    return orders


SNIPPET = """
extern "C" [[gnu::noinline, gnu::noipa]] int MPI_Barrier(long) { asm volatile(""); return 0; }
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
void (*loops[])(void*, const Batch&) = {block_loop<Direct, Clock>, block_loop<Indirect, Clock>,
                                        block_loop<Allocating, Clock>, block_loop<Throwing, Clock>};
}
int main(int count, char**) { groma::loops[count % 4](nullptr, {}); }
"""


def test_planted_offences_are_found(tmp_path: Path) -> None:
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
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


# A loop as binutils print it: what may be there, then what may not.
AARCH64 = """
0000000000210da0 <void groma::block_loop<groma::Step, X>(void*)>:
  210da0:	stp	x29, x30, [sp, #-48]!
  210db8:	bl	211000 <clock_gettime@plt>
  210dbc:	cbz	x19, 210de0 <void groma::block_loop<groma::Step, X>(void*)+0x40>
  210dc0:	tbnz	w0, #3, 210dd8 <void groma::block_loop<groma::Step, X>(void*)+0x38>
  210dd0:	bl	211010 <MPI_Barrier@plt>
  210dd4:	b.ne	210dd0 <void groma::block_loop<groma::Step, X>(void*)+0x30>  // b.any
  210dd8:	bfi	x0, x1, #0, #8
  210ddc:	brk	#0x1
  210de0:	ret
{planted}
"""


@pytest.mark.parametrize(
    ("planted", "offence"),
    [
        ("blr	x8", "indirect: blr	x8"),
        ("br	x16", "indirect: br	x16"),
        ("ret	x9", "indirect: ret	x9"),
        ("bl	212000 <operator new(unsigned long)@plt>", "call of operator new(unsigned long)@plt"),
        ("b	212000 <memcpy@plt>", "jump to memcpy@plt"),
        ("cbnz	w8, 213000 <groma::fail()+0x10>", "jump to groma::fail()"),
        ("tbz	x8, #63, 213000 <groma::fail()>", "jump to groma::fail()"),
        ("b.lt	213000 <groma::fail()>  // b.tstop", "jump to groma::fail()"),
    ],
)
def test_what_aarch64_calls_and_jumps_to_is_read(planted: str, offence: str) -> None:
    def read(last: str) -> list[str]:
        (loop,) = loops_in(AARCH64.format(planted=last).splitlines(), MACHINES["aarch64"])
        assert loop.calls[:2] == ["clock_gettime@plt", "MPI_Barrier@plt"]
        return loop.offences

    assert read("") == []
    assert read(f"  210de4:	{planted}") == [offence]
