"""Starts the programs of engine/programs, and reads what they print."""

from __future__ import annotations

import re
from pathlib import Path

from beds import Library, Result
from printed_numbers import Printed, exactly

PVM_VARIABLES = {"PVM_ROOT": "/usr/lib/pvm3", "PVM_ARCH": "LINUX64", "PVM_ALLOW_ROOT": "1"}


def program(library: Library, name: str) -> Path:
    """Return the program built for a library, which lies beside the engine."""
    path = library.engine.with_name(name)
    assert path.is_file(), f"there is no {path}; build it: cmake --build --preset {library.name}"
    return path


def start(library: Library, ranks: int, name: str, *arguments: str | Path) -> Result:
    """Run a program and return how it ended."""
    return library.run(ranks, *arguments, engine=program(library, name))


def report(library: Library, ranks: int, name: str, *arguments: str | Path) -> str:
    """Run a program that must succeed and return what it printed."""
    result = start(library, ranks, name, *arguments)
    assert result.exit_code == 0, result
    return result.output


def figures(printed: str) -> dict[str, Printed]:
    """Return the last number of every ` Label:   number unit` line by its label; a label's second line is `Label 2`."""
    found: dict[str, Printed] = {}
    for label, number, _ in re.findall(r"^ ([A-Z][^0-9\n]*?):?  +(-?[0-9.]+)( \S.*)?$", printed, re.MULTILINE):
        found[label if label not in found else f"{label} 2"] = (
            Printed.of(number) if "." in number else exactly(int(number))
        )
    return found
