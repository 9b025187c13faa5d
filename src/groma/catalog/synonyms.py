"""What operations are called elsewhere: in the field, by OSU, IMB and SKaMPI, and in MPI."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from groma.catalog.catalog import Catalog
from groma.catalog.words import plain, same_here, suggestion, table
from groma.errors import InputError
from groma.text.counts import first_names

_NAMED = 3  # operations that a sentence names
# Whose tests are known by their names; of two with the same name, the first. All are also known as PREFIX:NAME.
_PROGRAMS = {"osu": "OSU", "imb": "IMB", "imb_rma": "IMB-RMA", "skampi5": "SKaMPI"}


@dataclass(frozen=True)
class Meaning:
    """What a word stands for: an operation, or a shell pattern of several.

    A test of a `program` is the operation by the method of that program's profile, in the way with these `settings`.
    If the program defines its figures otherwise, `differs` says how.
    """

    operation: str
    program: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    differs: str = ""

    @property
    def method(self) -> str:
        """By whose method it is measured, as the end of a sentence about it."""
        return f" as the profile {self.program} measures it" if self.program else ""


def meaning(word: str, catalog: Catalog) -> Meaning | None:
    """Return what a word for operations stands for: one of them, a shell pattern, a test of a program, an MPI call.

    None if there is no such operation.
    """
    operations = {operation.name: operation for operation in catalog.operations}
    if word in operations or any(mark in word for mark in "*?["):
        return Meaning(word)
    if word in table()["commands"]:
        return None
    if (test := _tests().get(word)) is not None:
        return test
    called = {operation.calls: name for name, operation in reversed(operations.items())}
    called |= {plain(name): name for name in operations} | table()["operations"]
    own = called.get(word) or called.get(plain(word))
    return Meaning(own) if own else None


def unmeasured(word: str) -> str:
    """Return what a test or an MPI call is that Groma does not measure yet; empty if it is not known as one."""
    return next((what for what, names in table()["unmeasured"].items() if re.fullmatch(names, word)), "")


def difference(word: str) -> str:
    """Return in what the operation of a command differs from the test that it stands for; empty if nothing is known."""
    found = table()["differences"].items()
    return next((what for what, names in found if any(fnmatch.fnmatchcase(word, name) for name in names.split())), "")


def refuse_unmeasured(word: str, catalog: Catalog) -> None:
    """Raise InputError for a test that Groma has no method for, or not measures yet, and for a call not timed alone."""
    if command := table()["commands"].get(word):
        measured = f"{word} does ({found})" if (found := difference(word)) else f"{word} does"
        raise InputError(f"no profile measures as {measured}; for the same messages write groma run {command}")
    if what := unmeasured(word):
        raise InputError(f"Groma does not measure {word} yet ({what}); see groma list operations")
    timed = [operation.name for operation in catalog.operations if word in re.findall(r"\w+", operation.calls)]
    if timed and word.startswith("MPI_"):
        raise InputError(f"no operation is {word} alone; it is timed in {first_names(timed, _NAMED)}: name one of them")


def understood(word: str, catalog: Catalog) -> Meaning:
    """Return what a word for operations stands for; raises InputError, with the right name, if it is none."""
    if (found := meaning(word, catalog)) is not None:
        return found
    refuse_unmeasured(word, catalog)
    name = same_here(word) or word
    if name in [*catalog.names("point"), *catalog.names("plan")]:
        noun = "a field" if name == word else f"the field {name}"
        raise InputError(f"{word} is {noun}, not an operation; write --set {name}=VALUE")
    tests = [name for name in _tests() if ":" not in name]
    names = [*(operation.name for operation in catalog.operations), *table()["operations"], *tests]
    raise InputError(f"there is no operation '{word}'{suggestion(word, names) or '; see groma list operations'}")


def operations_named(word: str, catalog: Catalog) -> list[str]:
    """Return the operations that a word of a plan stands for; raises InputError also for another program's method."""
    found = understood(word, catalog)
    if found.program:
        raise InputError(
            f"{word} is {found.operation} as the profile {found.program} measures it; write {found.operation}, or "
            f"measure it with groma run {word}"
        )
    names = fnmatch.filter([operation.name for operation in catalog.operations], found.operation)
    if not names:
        raise InputError(f"no operation matches '{word}'; see groma list operations")
    return names


@functools.cache
def _tests() -> dict[str, Meaning]:
    """Return the tests of other programs by their names, and by these with the program before them."""
    from groma.catalog.registry import programs  # noqa: PLC0415 - reads all programs

    known = programs()
    found = dict[str, Meaning]()
    for program, prefix in _PROGRAMS.items():
        if program in known:
            told = known[program].part(known[program].importer).told
            own = {test.name: Meaning(test.operation, program, test.settings) for test in told.tests}
            own |= {test.name: Meaning(test.operation, program, test.settings, told.differs) for test in told.nearest}
            found = own | found | {f"{prefix}:{name}": test for name, test in own.items()}
    return found
