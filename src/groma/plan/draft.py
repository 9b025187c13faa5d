"""A plan as it was written: settings with their place in the file, before they are checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec

from groma.catalog.refinement import Refinement, set_refinement
from groma.catalog.reporting import DEFAULT, Reporting, read_reporting
from groma.errors import InputError, PlanError
from groma.plan.variants import Variant

DEFAULT_LAUNCHES = 10
DEFAULT_RANKS = 2
LONGEST_NAME = 40


@dataclass(frozen=True)
class Written:
    """One value and where it stands; a value from the command line has no path."""

    value: object
    path: str | None = None
    line: int | None = None

    def wrong(self, message: str) -> InputError:
        """Return the error that says `message` about this value, with its place."""
        return InputError(message) if self.path is None else PlanError(message, self.path, self.line)

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Give an InputError about this value its place."""
        try:
            yield
        except InputError as error:
            raise self.wrong(str(error)) from None


@dataclass
class Draft:
    """What one plan asks for: common settings, blocks of points, and overrides from the command line.

    If it `states_ranks`, its rank counts are those of its launches in a job too; else the job's tasks are.
    `programs` are the drafts of several profiles that take turns, in place of blocks. With `crowded` ranks, more than
    CPUs, those measure nothing by windows that they measure otherwise too. If it `is_of_operations`, it names them and
    nothing else, and they get sizes.
    """

    name: str
    blocks: list[dict[str, Written]]
    summary: str = ""
    profile: str | None = None
    launches: int = DEFAULT_LAUNCHES
    states_launches: bool = False
    rank_counts: tuple[int, ...] = (DEFAULT_RANKS,)
    states_ranks: bool = False
    budget_s: float | None = None
    every_s: float | None = None
    within: float | None = None
    common: dict[str, Written] = field(default_factory=dict)
    overrides: dict[str, Written] = field(default_factory=dict)
    scheduling: dict[str, Written] = field(default_factory=dict)
    reporting: Reporting = DEFAULT
    variants: tuple[Variant, ...] = ()
    style: str | None = None
    refinement: Refinement = field(default_factory=Refinement)
    program: dict[str, float] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    programs: tuple[Draft, ...] = ()
    crowded: bool = False
    is_of_operations: bool = False

    def override(self, name: str, value: object) -> None:
        """Let the command line set a field of every point."""
        for draft in (self, *self.programs):
            draft.overrides[name] = Written(value)

    def schedule(self, name: str, value: object) -> None:
        """Let the command line set a field of the plan."""
        for draft in (self, *self.programs):
            draft.scheduling[name] = Written(value)

    def set_program(self, name: str, value: object) -> None:
        """Set one of the settings of the profile's program; raises InputError unless it is a number from 0 on.

        A setting that is whole in the profile stays so.
        """
        before = self.program[name]
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if not 0 <= number < float("inf") or (isinstance(before, int) and not number.is_integer()):
            kind = "a whole number" if isinstance(before, int) else "a number"
            raise InputError(f"{name} needs {kind} of at least 0, not {value!r}; the profile has {before:g}")
        self.program[name] = int(number) if isinstance(before, int) else number

    def report(self, name: str, text: str) -> None:
        """Let the command line set how samples become a figure; raises InputError."""
        for draft in (self, *self.programs):
            draft.reporting = read_reporting(msgspec.structs.asdict(draft.reporting) | {name: text})

    def refine(self, name: str, value: object) -> None:
        """Let the command line set how sizes are refined; raises InputError."""
        set_refinement(self.refinement, name, value)


def draft_of_operations(operations: list[str]) -> Draft:
    """Return the draft that measures these operations at their defaults, with sizes in doublings."""
    return Draft(name=name_of(operations), blocks=[{"operation": Written(operations)}], is_of_operations=True)


def name_of(operations: list[str]) -> str:
    """Return the operations' names as one, as many as fit; the others are counted: `allreduce-bcast-and-5-more`."""
    names = [name.replace("/", "-") for name in dict.fromkeys(operations)]
    joined = names[:1]
    for name in names[1:]:
        if len("-".join([*joined, name])) > LONGEST_NAME:
            return f"{'-'.join(joined)}-and-{len(names) - len(joined)}-more"
        joined.append(name)
    return "-".join(joined)
