"""The catalogue of operations, fields and records that the engine prints (docs/contract.md, document 1)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from groma.catalog.words import known
from groma.errors import UNDECODABLE, CatalogError

SCHEMA = 1
_Named = TypeVar("_Named", "Operation", "Pattern", "Field", "Kind")


class Choice(msgspec.Struct, frozen=True):
    """One word a field accepts."""

    name: Annotated[str, Meta(description="the word")]
    help: Annotated[str, Meta(description="what it chooses")] = ""


class Field(msgspec.Struct, frozen=True):
    """One setting of a point or of a whole plan."""

    name: Annotated[str, Meta(description="in plans and options")]
    scope: Annotated[Literal["point", "plan"], Meta(description="whose setting it is")]
    type: Annotated[
        Literal["choice", "integer", "size", "number", "boolean", "text"], Meta(description="of its values")
    ]
    unit: Annotated[str, Meta(description="of its values")] = ""
    default: Annotated[Any, Meta(description="overridden by the operation's `defaults`")] = None
    minimum: Annotated[int | float | None, Meta(description="of an integer, size or number")] = None
    maximum: Annotated[int | float | None, Meta(description="of an integer, size or number")] = None
    choices: Annotated[tuple[Choice, ...], Meta(description="the words of a choice")] = ()
    help: Annotated[str, Meta(description="what it sets")] = ""


class Pattern(msgspec.Struct, frozen=True):
    """A pattern or a communicator: the ranks that take part, and their groups."""

    name: Annotated[str, Meta(description="a value of the field `pattern` or `communicator`")]
    argument: Annotated[str, Meta(description='what follows `name=`: `""`, `"k"`, `"seed"` or `"ranks"`')] = ""
    summary: Annotated[str, Meta(description="who takes part")] = ""

    @property
    def written(self) -> str:
        """The pattern as a plan has it, with a name for its argument: `distance=k`."""
        return f"{self.name}={self.argument}" if self.argument else self.name


class SwapFacts(msgspec.Struct, frozen=True):
    """A swap's protocol as COMMTEST counts them, and which of its forms are legal."""

    number: Annotated[int, Meta(description="such as 4")]
    alike: Annotated[
        bool, Meta(description="swap_order=simple and delayed (both ranks of a pair send first) are legal")
    ]
    overlaps: Annotated[bool, Meta(description="swap_overlap=true is legal")]


class NcclFacts(msgspec.Struct, frozen=True):
    """The library of an operation of NCCL; it needs a device for each rank too."""

    cuda: Annotated[str, Meta(description="its file, in memory of CUDA")]
    hip: Annotated[str, Meta(description="its file, in memory of HIP")]


class BusFacts(msgspec.Struct, frozen=True):
    """How algorithm and bus bandwidth are computed (NCCL tests, doc/PERFORMANCE.md)."""

    size: Annotated[str, Meta(description='the size in its algorithm bandwidth: `"bytes"` or `"bytes times ranks"`')]
    factor: Annotated[
        str,
        Meta(
            description="bus bandwidth over algorithm bandwidth, among p ranks: "
            '`"1"`, `"(p - 1) / p"` or `"2 (p - 1) / p"`'
        ),
    ]


class Operation(msgspec.Struct, frozen=True):
    """What is timed, with the words that define its figures."""

    name: Annotated[str, Meta(description="a value of the field `operation`")]
    family: Annotated[str, Meta(description='`"harness"`, `"point_to_point"` or `"collective"`')]
    summary: Annotated[str, Meta(description="what a repetition does")]
    calls: Annotated[str, Meta(description="MPI calls of a repetition")]
    time: Annotated[str, Meta(description='what one figure is: `"one way"`, `"per call"`, `"per window"`')]
    divisor: Annotated[
        int, Meta(description="a sample is divided by repetitions_per_sample * divisor to get that time")
    ]
    phases: Annotated[
        tuple[str, ...], Meta(description="names of the parts of a repetition that are timed separately")
    ] = ()
    bandwidth: Annotated[str, Meta(description='definition of its bandwidth; `""` if there is none')] = ""
    bus: Annotated[BusFacts | None, Meta(description="null if it has no algorithm bandwidth")] = None
    validation: Annotated[str, Meta(description='how its result is checked; `""` if nothing is received')] = ""
    min_ranks: Annotated[int, Meta(description="that can take part")] = 1
    touches: Annotated[bool, Meta(description="whether `touch` has a meaning in its blocks")] = False
    after_init: Annotated[bool, Meta(description="whether ranks exchange its messages as soon as MPI has started")] = (
        False
    )
    uses: Annotated[
        tuple[str, ...],
        Meta(
            description="payload fields that it uses: bytes, layout, root, window, segments, targets, dimensions, "
            "map_messages, buffers, ..."
        ),
    ] = ()
    defaults: Annotated[
        dict[str, Any],
        Meta(description="every default that depends on the operation, such as `timing` and `pattern`"),
    ] = {}
    swap: Annotated[SwapFacts | None, Meta(description="null for other operations")] = None
    form_of: Annotated[
        str, Meta(description='operation that it is another form of: nonblocking or persistent; `""` if none')
    ] = ""
    lacks: Annotated[
        str, Meta(description='what it needs and the engine\'s MPI library has not got; `""` if it can be measured')
    ] = ""

    nccl: Annotated[NcclFacts | None, Meta(description="null for operations that need an MPI library alone")] = None

    @property
    def work(self) -> tuple[object, ...]:
        """What it does, whatever the way: operations of the same work are alternatives to each other.

        Their figures are defined alike and their results are checked alike; without a check, the word before the slash
        of their names is the same.
        """
        result = self.validation or self.name.partition("/")[0]
        return self.family, self.time, self.divisor, self.bandwidth, self.bus, result


class Datatype(msgspec.Struct, frozen=True):
    """A datatype of the elements of messages."""

    name: Annotated[str, Meta(description="a value of the field `datatype`")]
    bytes: Annotated[int, Meta(description="of one element")]


class ExitCode(msgspec.Struct, frozen=True):
    """What one exit code of the engine means."""

    code: Annotated[int, Meta(description="of the process")]
    meaning: Annotated[str, Meta(description="in a sentence")]


class Member(msgspec.Struct, frozen=True):
    """One member of a record or document that the engine writes."""

    name: Annotated[str, Meta(description="in the JSON")]
    type: Annotated[
        str,
        Meta(
            description="integer, number, boolean, text, fields (of a point), the name of a kind, or `list of` or "
            "`map of` one of these"
        ),
    ]
    unit: Annotated[str, Meta(description="of a number, as its name says: ns, s, bytes, ppm or cores")] = ""
    nullable: Annotated[bool, Meta(description="whether it may be null")] = False
    left_out: Annotated[bool, Meta(description="whether it is omitted if it has no value")] = False
    help: Annotated[str, Meta(description="what it is")] = ""


class Kind(msgspec.Struct, frozen=True):
    """A kind of record, or of an object in one."""

    name: Annotated[str, Meta(description="of a record, its member `kind`")]
    document: Annotated[str, Meta(description="file that holds it; empty for parts of records")]
    help: Annotated[str, Meta(description="what it is")]
    members: Annotated[tuple[Member, ...], Meta(description="in the order in which they are written")]


class Catalog(msgspec.Struct, frozen=True, dict=True):
    """Operations, patterns, fields and records of one engine."""

    schema: Annotated[int, Meta(description="1")]
    engine: Annotated[str, Meta(description="its version")]
    operations: Annotated[tuple[Operation, ...], Meta(description="that can be timed")]
    patterns: Annotated[tuple[Pattern, ...], Meta(description="who takes part")]
    communicators: Annotated[
        tuple[Pattern, ...],
        Meta(description="like patterns: how the ranks that take part are divided into communicators"),
    ]
    fields: Annotated[tuple[Field, ...], Meta(description="of points and of plans")]
    datatypes: Annotated[tuple[Datatype, ...], Meta(description="of elements")] = ()
    exit_codes: Annotated[tuple[ExitCode, ...], Meta(description="of the engine")] = ()
    records: Annotated[tuple[Kind, ...], Meta(description="what points.jsonl and nodes.json hold")] = ()

    def operation(self, name: str) -> Operation:
        """Return the operation of that name, or raise InputError with the nearest one."""
        return _named("operation", name, self._operations)

    def has_first_messages(self, points: Iterable[Mapping[str, Any]]) -> bool:
        """Return whether one of the points is of messages that ranks exchange as soon as MPI has started."""
        return any(self.operation(str(point["operation"])).after_init for point in points)

    def pattern(self, text: str) -> Pattern:
        """Return the pattern that `name` or `name=argument` starts with, or raise InputError."""
        return _named("pattern", text.partition("=")[0], _by_name(self.patterns))

    def communicator(self, text: str) -> Pattern:
        """Return the communicator that `name` or `name=argument` starts with, or raise InputError."""
        return _named("communicator", text.partition("=")[0], _by_name(self.communicators))

    def field(self, name: str, scope: str = "point") -> Field:
        """Return the field of that name and scope, or raise InputError with the nearest one."""
        return _named("field", name, self._fields.get(scope, {}))

    def kind(self, name: str) -> Kind:
        """Return the record of that name, or the object in one, or raise InputError with the nearest one."""
        return _named("record", name, _by_name(self.records))

    def names(self, scope: str) -> list[str]:
        """Return the names of the fields of one scope, in the catalogue's order."""
        return list(self._fields.get(scope, {}))

    def element_bytes(self, datatype: object) -> int:
        """Return the size of one element of a datatype; 1 if the catalogue does not say."""
        return next((entry.bytes for entry in self.datatypes if entry.name == datatype), 1)

    @functools.cached_property
    def payload(self) -> frozenset[str]:
        """Fields that matter only to the operations that say they use them."""
        return frozenset(use for operation in self.operations for use in operation.uses)

    def resolve(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return the point with every field it leaves out at its default."""
        return self._defaults | self.operation(point["operation"]).defaults | point

    @functools.cached_property
    def _operations(self) -> dict[str, Operation]:
        return _by_name(self.operations)

    @functools.cached_property
    def _fields(self) -> dict[str, dict[str, Field]]:
        """The fields of each scope."""
        scopes = dict.fromkeys(field.scope for field in self.fields)
        return {scope: _by_name(field for field in self.fields if field.scope == scope) for scope in scopes}

    @functools.cached_property
    def _defaults(self) -> dict[str, Any]:
        return {name: field.default for name, field in self._fields.get("point", {}).items()}


def packaged() -> Catalog:
    """Return the catalogue this version of Groma was made with."""
    source = Path(__file__).parent / "catalog.json"
    try:
        return _decode_cached(source.read_bytes(), "the packaged catalogue")
    except FileNotFoundError:
        raise CatalogError("this installation of Groma has no catalogue (catalog.json); install Groma again") from None


def decode(data: bytes, source: str) -> Catalog:
    """Return the catalogue in `data`; `source` names it in errors."""
    try:
        catalog = msgspec.json.decode(data, type=Catalog)
    except UNDECODABLE as error:
        raise CatalogError(
            f"{source} is not a catalogue Groma can read ({error}); use the engine built with this Groma"
        ) from None
    if catalog.schema != SCHEMA:
        raise CatalogError(
            f"{source} has schema {catalog.schema}, this Groma reads schema {SCHEMA}; install the matching version"
        )
    return catalog


def difference(packaged_catalog: Catalog, engine_catalog: Catalog) -> str | None:
    """Return the first thing on which two catalogues differ, in words, or None; what a library lacks does not count."""
    packaged_catalog, engine_catalog = (_of_any_library(catalog) for catalog in (packaged_catalog, engine_catalog))
    if packaged_catalog == engine_catalog:
        return None
    for noun, attribute in (
        ("operation", "operations"),
        ("pattern", "patterns"),
        ("communicator", "communicators"),
        ("field", "fields"),
        ("record", "records"),
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


def _of_any_library(catalog: Catalog) -> Catalog:
    operations = tuple(msgspec.structs.replace(operation, lacks="") for operation in catalog.operations)
    return msgspec.structs.replace(catalog, operations=operations)


def _by_name(items: Iterable[_Named]) -> dict[str, _Named]:
    return {item.name: item for item in items}


def _named(noun: str, name: str, by_name: Mapping[str, _Named]) -> _Named:
    return known(noun, name, by_name, f"; see groma list {noun}s")


@functools.lru_cache(maxsize=4)
def _decode_cached(data: bytes, source: str) -> Catalog:
    return decode(data, source)
