"""Reads the disassembly of the timed loops, and says what in them is not a direct MPI or clock call.

Programs of x86-64 and aarch64 are read; those of another machine than this one by the binutils for that machine.
"""

from __future__ import annotations

import functools
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import beds

_SYMBOL = re.compile(r"^[0-9a-f]+ <(?P<name>.*)>:$")
_INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(?P<text>\S.*)$")
_COMMENT = re.compile(r"\s+(?:#|//) ")
_DIRECT = re.compile(r"^[0-9a-f]+ <(?P<name>.*?)(?P<offset>\+0x[0-9a-f]+)?>$")
_LOOP = re.compile(
    r"^(?:void|long|bool) groma::(?:(?P<kind>call|block|thread)_loop|synchronise_(?P<place>before|after))"
    r"<(?P<parameters>.*)>\("
)
# __stack_chk_fail is where a compiler that guards the stack goes after an overrun. __clang_call_terminate is where a
# loop of Clang, which is noexcept, would go if an MPI call threw. A thread that waits for another calls sched_yield
# after 4096 looks.
_ALLOWED = re.compile(
    r"^(?:MPI_\w+|clock_gettime|gettimeofday|sched_yield|__stack_chk_fail|__clang_call_terminate)(?:@.*)?$"
)
# What a loop of calls does outside its stamps: it brings the ranks together (docs/adr/0070).
_OUTSIDE = re.compile(r"^(?:void|bool) groma::synchronise_(?:before|after)<groma::\w+>\(")
# Of the operations beside MPI's on files, by their types in the engine.
_OF_SYSTEM = re.compile(r"^(?:p(?:read|write)(?:64)?|fsync|__errno_location)(?:@.*)?$")
_BY_SYSTEM = ("PosixWrite", "PosixRead", "AlltoallvWrite")
# Of operations of NCCL: what calls the library, which is opened at run time.
_OF_NCCL = re.compile(r"^groma::NcclRanks::\w+\(")


@dataclass(frozen=True)
class Machine:
    """A kind of processor: its number in the header of an ELF file, and its calls and jumps as binutils write them.

    In both, `target` is where they go: an address and a symbol, or else a register or a place in memory.
    """

    number: int
    call: re.Pattern[str]
    jump: re.Pattern[str]


MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(
        62,
        call=re.compile(r"^(?:bnd |notrack |data16 )*callq?\s+(?P<target>.*)$"),
        jump=re.compile(r"^(?:bnd |notrack |data16 )*j[a-z]+\s+(?P<target>.*)$"),
    ),
    # A branch on a register names that first, and one on a bit also the bit. `ret` with a register is a jump.
    "aarch64": Machine(
        183,
        call=re.compile(r"^(?:bl|blra?[ab]?z?)\s+(?P<target>.*)$"),
        jump=re.compile(
            r"^(?:(?:b|bc?\.[a-z]{2}|bra?[ab]?z?|ret)\s+|cbn?z\s+\w+,\s*|tbn?z\s+\w+,\s*#\w+,\s*)(?P<target>.*)$"
        ),
    ),
}


@dataclass
class TimedLoop:
    """One instance of a timed loop: what it was made for, and every transfer of control that it must not contain.

    Of what brings the ranks together, the kind is `before` or `after`, and the operation is the clock.
    """

    kind: str
    operation: str
    method: tuple[str, ...]
    calls: list[str] = field(default_factory=list)
    offences: list[str] = field(default_factory=list)


@functools.cache
def timed_loops(program: Path) -> list[TimedLoop]:
    """Return every `groma::call_loop`, `block_loop` and `thread_loop` of a program, with what was split off them.

    With them: what brings the ranks together before and after a call.
    """
    machine = machine_of(program)
    objdump = "objdump" if machine == platform.machine() else f"{machine}-linux-gnu-objdump"
    listing = beds.run([objdump, "-d", "-C", "--no-show-raw-insn", "--wide", str(program)])
    assert listing.exit_code == 0, listing.errors
    return loops_in(listing.output.splitlines(), MACHINES[machine])


def machine_of(program: Path) -> str:
    """Return the machine that a program is for, by its name in MACHINES."""
    with program.open("rb") as file:
        number = int.from_bytes(file.read(20)[18:], "little")
    return next(name for name, machine in MACHINES.items() if machine.number == number)


def loops_in(listing: Iterable[str], machine: Machine) -> list[TimedLoop]:
    """Return the timed loops in what objdump printed."""
    loops: dict[str, TimedLoop] = {}
    name, loop = "", None
    for line in listing:
        if line.endswith(">:") and (heading := _SYMBOL.match(line)):
            name = _without_clone(heading["name"])
            if found := _LOOP.match(name):
                operation, *method = _split(found["parameters"])
                loops.setdefault(name, TimedLoop(found["kind"] or found["place"], operation, tuple(method)))
            loop = loops.get(name)
        elif loop is not None and (instruction := _INSTRUCTION.match(line)):
            _examine(instruction["text"], machine, name, loop)
    return list(loops.values())


def _without_clone(symbol: str) -> str:
    """Drop what the compiler adds to the name of a part it split off: ` [clone .cold]`."""
    return symbol.split(" [clone", 1)[0]


def _split(parameters: str) -> list[str]:
    """Split template parameters at the commas that are not inside an inner template."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(parameters):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append(parameters[start:place].strip())
            start = place + 1
    return [*parts, parameters[start:].strip()]


def _examine(instruction: str, machine: Machine, name: str, loop: TimedLoop) -> None:
    call = machine.call.match(instruction)
    transfer = call or machine.jump.match(instruction)
    if not transfer:
        return
    target = _DIRECT.match(_COMMENT.split(transfer["target"], maxsplit=1)[0].strip())
    if not target:
        loop.offences.append(f"indirect: {instruction}")
    elif call:
        loop.calls.append(target["name"])
        by_system = any(name in loop.operation for name in _BY_SYSTEM) and _OF_SYSTEM.match(target["name"])
        by_nccl = "groma::Nccl" in loop.operation and _OF_NCCL.match(target["name"])
        outside = loop.kind == "call" and _OUTSIDE.match(target["name"])
        if not (by_system or by_nccl or outside or _ALLOWED.match(target["name"])):
            loop.offences.append(f"call of {target['name']}")
    elif _without_clone(target["name"]) != name:
        loop.offences.append(f"jump to {target['name']}")
