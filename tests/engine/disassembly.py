"""Reads the disassembly of the timed loops, and says what in them is not a direct MPI or clock call."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

import beds

_SYMBOL = re.compile(r"^[0-9a-f]+ <(?P<name>.*)>:$")
_INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(?P<text>\S.*)$")
_TRANSFER = re.compile(r"^(?:bnd |notrack |data16 )*(?P<mnemonic>callq?|jmpq?|j[a-z]+)\s+(?P<target>.*)$")
_DIRECT = re.compile(r"^[0-9a-f]+ <(?P<name>.*?)(?P<offset>\+0x[0-9a-f]+)?>$")
_LOOP = re.compile(r"^(?:void|long) groma::(?P<kind>call|block)_loop<(?P<parameters>.*)>\(")
# __stack_chk_fail is where a compiler that guards the stack goes after an overrun. __clang_call_terminate is where a
# loop of Clang, which is noexcept, would go if an MPI call threw.
_ALLOWED = re.compile(r"^(?:MPI_\w+|clock_gettime|gettimeofday|__stack_chk_fail|__clang_call_terminate)(?:@.*)?$")


@dataclass
class TimedLoop:
    """One instance of a timed loop: what it was made for, and every transfer of control that it must not contain."""

    kind: str
    operation: str
    method: tuple[str, ...]
    calls: list[str] = field(default_factory=list)
    offences: list[str] = field(default_factory=list)


@functools.cache
def timed_loops(program: Path) -> list[TimedLoop]:
    """Return every `groma::call_loop` and `groma::block_loop` of a program, with the parts the compiler split off."""
    listing = beds.run(["objdump", "-d", "-C", "--no-show-raw-insn", "--wide", str(program)])
    assert listing.exit_code == 0, listing.errors
    loops: dict[str, TimedLoop] = {}
    name = ""
    for line in listing.output.splitlines():
        if heading := _SYMBOL.match(line):
            name = _without_clone(heading["name"])
            if found := _LOOP.match(name):
                operation, *method = _split(found["parameters"])
                loops.setdefault(name, TimedLoop(found["kind"], operation, tuple(method)))
        elif name in loops and (instruction := _INSTRUCTION.match(line)):
            _examine(instruction["text"], name, loops[name])
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


def _examine(instruction: str, name: str, loop: TimedLoop) -> None:
    transfer = _TRANSFER.match(instruction)
    if not transfer:
        return
    target = _DIRECT.match(transfer["target"].split("#")[0].strip())
    if not target:
        loop.offences.append(f"indirect: {instruction}")
    elif transfer["mnemonic"].startswith("call"):
        loop.calls.append(target["name"])
        if not _ALLOWED.match(target["name"]):
            loop.offences.append(f"call of {target['name']}")
    elif _without_clone(target["name"]) != name:
        loop.offences.append(f"jump to {target['name']}")
