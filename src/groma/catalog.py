"""What can be asked: the catalogue that the engine prints about itself (docs/contract.md, document 1)."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable
from importlib import resources
from typing import Any, Literal, TypeVar

import msgspec

from groma.errors import CatalogError, InputError

SCHEMA = 1
_Named = TypeVar("_Named", "Operation", "Pattern", "Field")


class Choice(msgspec.Struct, frozen=True):
    """One word a field accepts."""

    name: str
    help: str = ""


class Field(msgspec.Struct, frozen=True):
    """One setting of a point or of a whole plan."""

    name: str
    scope: Literal["point", "plan"]
    type: Literal["choice", "integer", "size", "number", "boolean", "text"]
    unit: str = ""
    default: Any = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[Choice, ...] = ()
    help: str = ""


class Pattern(msgspec.Struct, frozen=True):
    """Who takes part, or in which communicators; `argument` is what follows `name=`: nothing, `k` or `ranks`."""

    name: str
    argument: str = ""
    summary: str = ""


class SwapFacts(msgspec.Struct, frozen=True):
    """What a swap is: its protocol's number in COMMTEST, and which orders and overlap it can be asked for with."""

    number: int
    alike: bool
    overlaps: bool


class BusFacts(msgspec.Struct, frozen=True):
    """How algorithm and bus bandwidth are computed: the size, and the factor among p ranks, in words."""

    size: str
    factor: str


class Operation(msgspec.Struct, frozen=True):
    """What is timed, with the words that define its figures."""

    name: str
    family: str
    summary: str
    calls: str
    time: str
    divisor: int
    phases: tuple[str, ...] = ()
    bandwidth: str = ""
    bus: BusFacts | None = None
    validation: str = ""
    min_ranks: int = 1
    uses: tuple[str, ...] = ()
    defaults: dict[str, Any] = {}
    swap: SwapFacts | None = None


class ExitCode(msgspec.Struct, frozen=True):
    """What one exit code of the engine means."""

    code: int
    meaning: str


class Catalog(msgspec.Struct, frozen=True):
    """Operations, patterns and fields of one engine."""

    schema: int
    engine: str
    operations: tuple[Operation, ...]
    patterns: tuple[Pattern, ...]
    communicators: tuple[Pattern, ...]
    fields: tuple[Field, ...]
    exit_codes: tuple[ExitCode, ...] = ()

    def operation(self, name: str) -> Operation:
        """Return the operation of that name, or raise InputError with the nearest one."""
        return _named("operation", name, self.operations)

    def pattern(self, text: str) -> Pattern:
        """Return the pattern that `name` or `name=argument` starts with, or raise InputError."""
        return _named("pattern", text.partition("=")[0], self.patterns)

    def communicator(self, text: str) -> Pattern:
        """Return the communicator that `name` or `name=argument` starts with, or raise InputError."""
        return _named("communicator", text.partition("=")[0], self.communicators)

    def field(self, name: str, scope: str = "point") -> Field:
        """Return the field of that name and scope, or raise InputError with the nearest one."""
        return _named("field", name, [field for field in self.fields if field.scope == scope])

    def names(self, scope: str) -> list[str]:
        """Return the names of the fields of one scope, in the catalogue's order."""
        return [field.name for field in self.fields if field.scope == scope]

    @property
    def payload(self) -> frozenset[str]:
        """Fields that matter only to the operations that say they use them."""
        return frozenset(use for operation in self.operations for use in operation.uses)

    def resolve(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return the point with every field it leaves out at its default."""
        defaults = {field.name: field.default for field in self.fields if field.scope == "point"}
        return defaults | self.operation(point["operation"]).defaults | point


def packaged() -> Catalog:
    """Return the catalogue this version of Groma was made with."""
    source = resources.files("groma") / "catalog.json"
    try:
        return _decode_cached(source.read_bytes(), "the packaged catalogue")
    except FileNotFoundError:
        raise CatalogError("this installation of Groma has no catalogue (catalog.json); install Groma again") from None


def decode(data: bytes, source: str) -> Catalog:
    """Return the catalogue in `data`; `source` names it in errors."""
    try:
        catalog = msgspec.json.decode(data, type=Catalog)
    except msgspec.MsgspecError as error:
        raise CatalogError(
            f"{source} is not a catalogue Groma can read ({error}); use the engine built with this Groma"
        ) from None
    if catalog.schema != SCHEMA:
        raise CatalogError(
            f"{source} has schema {catalog.schema}, this Groma reads schema {SCHEMA}; install the matching version"
        )
    return catalog


def difference(packaged_catalog: Catalog, engine_catalog: Catalog) -> str | None:
    """Return the first thing on which two catalogues differ, in words, or None."""
    if packaged_catalog == engine_catalog:
        return None
    for noun, attribute in (
        ("operation", "operations"),
        ("pattern", "patterns"),
        ("communicator", "communicators"),
        ("field", "fields"),
    ):
        ours = {item.name: item for item in getattr(packaged_catalog, attribute)}
        theirs = {item.name: item for item in getattr(engine_catalog, attribute)}
        for name in ours.keys() - theirs.keys():
            return f"the engine lacks the {noun} {name}"
        for name in theirs.keys() - ours.keys():
            return f"the engine has an unknown {noun} {name}"
        for name, item in ours.items():
            if item != theirs[name]:
                return f"the {noun} {name} is described differently"
    if packaged_catalog.engine != engine_catalog.engine:
        return f"the engine is version {engine_catalog.engine}, the catalogue {packaged_catalog.engine}"
    return "they list the same things in another order or with other exit codes"


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` for the nearest known word, or an empty string."""
    nearest = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return f"; did you mean '{nearest[0]}'?" if nearest else ""


def _named(noun: str, name: str, items: Iterable[_Named]) -> _Named:
    by_name = {item.name: item for item in items}
    if name in by_name:
        return by_name[name]
    hint = suggestion(name, by_name) or f"; see groma list {noun}s"
    raise InputError(f"there is no {noun} '{name}'{hint}")


@functools.lru_cache(maxsize=4)
def _decode_cached(data: bytes, source: str) -> Catalog:
    return decode(data, source)
