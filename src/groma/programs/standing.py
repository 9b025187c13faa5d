"""Programs of other suites that Groma stands in for: by their names it takes their options, and prints as they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from groma.catalog import Catalog
from groma.catalog.registry import programs, require_style
from groma.errors import InputError
from groma.plan import Plan
from groma.programs.sheet import Style

Reader = Callable[[str, Sequence[str], int, Catalog], "Plan | str"]


@dataclass(frozen=True)
class StandIns:
    """The programs of one suite, by their `names`.

    `read(name, arguments, ranks, catalog)` returns what these arguments ask for, or the text if they ask for nothing
    but help or the version. It raises InputError for an argument that the program does not take, or that Groma does not
    measure.
    """

    names: tuple[str, ...]
    read: Reader


def stand_ins() -> Mapping[str, tuple[StandIns, str]]:
    """Return the suite of every program that can be stood in for, and the name of its style, by the program's name."""
    found: dict[str, tuple[StandIns, str]] = {}
    for suite, program in programs().items():
        if program.stand_ins:
            part: StandIns = program.part(program.stand_ins)
            found |= dict.fromkeys(part.names, (part, suite))
    return found


def stand_in_named(name: str) -> tuple[Reader, Style]:
    """Return how a program reads its arguments, and how it prints; raises InputError if there is no stand-in for it."""
    known = stand_ins()
    if name not in known:
        raise InputError(f"Groma does not stand in for {name}; there are {', '.join(known)}")
    part, suite = known[name]
    program = require_style(suite)
    style: Style = program.part(program.style)
    return part.read, style


def whole_number(option: str, text: str, least: int = 0) -> int:
    """Return an option's number; raises InputError unless it is a whole one of at least `least`."""
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
        raise InputError(f"{option} '{text}' is not a whole number of at least {least}")
    return int(text)
