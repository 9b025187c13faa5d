"""The engine's records, and how they and the documents of a run are decoded.

`groma-engine --describe` has the meaning of every member; docs/contract.md prints it, and `tests/contract` compares
names and types.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.columns import COLUMNS, Member
from groma.columns.column import Kind
from groma.results.bounds import SCHEMA, Count, FiveNumbers, Nanoseconds, Positive, Real, Settings, Time, Whole
from groma.results.checksum import sealed
from groma.results.instruments import (
    Clock,
    ClockOutcome,
    DeviceCopy,
    DeviceSupport,
    GlobalClock,
    Harness,
    Library,
    Limits,
    Memory,
    NcclLibrary,
    NodeLoad,
    Noise,
    ProcessMemory,
    RankDevice,
    Search,
    ThreadLevel,
)
from groma.results.rankfile import RanksAt


class Start(msgspec.Struct, frozen=True, tag_field="kind", tag="start"):
    """The first record of a launch: who measures, where, and with what instruments."""

    schema: int
    engine: str
    library: Library
    ranks: Count
    nodes: Count
    points: Count
    compiler: str = ""
    abi: bool = False
    thread_level: ThreadLevel | None = None
    order: str = ""
    seed: Whole | None = None
    started_unix_ns: Nanoseconds = 0
    arguments: list[str] = []
    oversubscribed: bool = False
    launcher: str = ""
    clocks: list[Clock] = []
    harness: Harness | None = None
    limits: Limits = Limits()
    noise: list[Noise] = []
    global_clock: list[GlobalClock] = []
    searches: list[Search] = []
    memory: Memory = Memory()
    process_memory: ProcessMemory | None = None
    device_support: DeviceSupport | None = None
    devices: list[RankDevice] | None = None
    device_copies: list[DeviceCopy] | None = None
    nccl: NcclLibrary | None = None


class Imported(Start, frozen=True, kw_only=True, omit_defaults=True, tag="imported"):
    """The first record of an imported launch (groma import): what another program's output says of itself."""

    engine: Annotated[str, msgspec.Meta(description="empty: Groma's engine did not measure")] = ""
    library: Annotated[Library, msgspec.Meta(description="empty texts if unknown")] = Library("", "")
    nodes: Annotated[Count, msgspec.Meta(description="on which the ranks were; 0: unknown")] = 0
    program: Annotated[str, msgspec.Meta(description="that printed it, such as `the Intel MPI Benchmarks`")]
    version: Annotated[str, msgspec.Meta(description="of the program; empty: unknown")] = ""
    source: Annotated[str, msgspec.Meta(description="name of the file that was read")] = ""
    sha256: Annotated[str, msgspec.Meta(description="of that file")] = ""
    measured: Annotated[str | None, msgspec.Meta(description="when, in ISO 8601; null: unknown")] = None
    facts: Annotated[dict[str, str], msgspec.Meta(description="further statements of the output, by its names")] = {}


class Skew(msgspec.Struct, frozen=True):
    """How far apart the ranks of a repetition were; five numbers are minimum, quartiles and maximum in nanoseconds."""

    arrival: FiveNumbers
    completion: FiveNumbers | None = None
    invariant_excess: Whole = 0


class ClockError(msgspec.Struct, frozen=True):
    """Measured error and error bound of the global clock around one point, and the limit of the plan.

    `limit_ns` is None in records of engines that did not state it; their errors include the bound.
    """

    before_ns: Real
    after_ns: Real
    bound_ns: Real
    valid: bool
    limit_ns: Real | None = None


class Segment(msgspec.Struct, frozen=True):
    """A segment of one level: index of its first sample, counting discarded ones, and its median in nanoseconds."""

    from_: Count = msgspec.field(name="from")
    median_ns: Real


class Calls(msgspec.Struct, frozen=True):
    """The single calls before the samples: how many, how steady, and median, mean and slow ones of the steady part.

    Times are of one repetition in nanoseconds; `slow_share` is the share above twice the median.
    """

    made: Count
    needed: Count
    state: str
    steady_from: Count
    median_ns: Real
    mean_ns: Real
    slow_share: Real


class Revisit(msgspec.Struct, frozen=True, tag_field="kind", tag="revisit"):
    """A few samples of one point after all others of its launch were measured, in time of a figure as `median_ns`.

    `ratio` is their median over that of the point's samples; it agrees if the intervals of both are within 2 %.
    `visits` were made, more than one if the first did not agree; this is the last of them.
    """

    schema: int
    index: Count
    count: Whole
    median_ns: Real | None = None
    half_width: Real | None = None
    ratio: Real | None = None
    agrees: bool | None = None
    elapsed_ns: Nanoseconds = 0
    visits: Whole = 1


class Replacement(msgspec.Struct, frozen=True):
    """A setting that could not be kept: what was asked, and why the point ran with another."""

    asked: str
    because: str


class Load(msgspec.Struct, frozen=True):
    """What ranks did that were split off from those of a point: the first 64 of them; no bytes if they slept."""

    ranks: list[Count]
    bytes: Count = 0
    seconds: Time = 0.0


class Threads(msgspec.Struct, frozen=True):
    """The threads of a rank, and where they stayed: the CPUs of the threads of each of the first 64 members.

    `shared` is true if some CPU had several of them.
    """

    count: Positive
    cpus: list[str] = []
    shared: bool = False


class File(msgspec.Struct, frozen=True):
    """The kind of the file system of a point's file; under file_cold, the share of the file that the cache kept."""

    system: str
    cached_share: Real | None = None


class Point(msgspec.Struct, frozen=True, eq=False, tag_field="kind", tag="point"):
    """Everything measured about one point in one launch."""

    schema: int
    index: Count
    sequence: Count
    point: Settings
    samples_ns: NDArray[np.int64]
    repetitions_per_sample: Positive
    divisor: Positive
    members: list[Count] = []
    member_count: Count = 0
    groups: Count = 1
    group_ranks: Count = 0
    message_bytes: Whole = 0
    hosts: Count = 1
    first_call_ns: Nanoseconds | None = None
    warmup_ns: NDArray[np.int64] = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    bytes_moved: Whole = 0
    messages: Whole = 0
    algorithm_bytes: Whole | None = None
    bus_factor: Real | None = None
    ranks_ns: list[NDArray[np.int64]] | None = None
    ranks_at: RanksAt | None = None
    median_ns: Real | None = None
    half_width: Real | None = None
    stopped_by: str = ""
    validated: bool = False
    checked_elements: Count = 0
    invalid: Count = 0
    window_ns: Nanoseconds | None = None
    lead_ns: Nanoseconds | None = None
    skew_ns: Skew | None = None
    replaced: dict[str, Replacement] = {}
    clock_error: ClockError | None = None
    phases_ns: dict[str, NDArray[np.int64]] | None = None
    touch_write_ns: FiveNumbers | None = None
    touch_read_ns: FiveNumbers | None = None
    grid: list[Whole] | None = None
    new_ranks: list[Whole] | None = None
    threads: Threads | None = None
    file: File | None = None
    large_type: bool = False
    elapsed_ns: Nanoseconds = 0
    finished_unix_ns: Nanoseconds | None = None
    state: str = "unknown"
    steady_from: Count = 0
    segments: list[Segment] = []
    discarded_ns: NDArray[np.int64] = msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    calls: Calls | None = None
    verified: bool | None = None
    block_short: bool = False
    slot_left_s: Real | None = None
    load: Load | None = None
    line_ns: Annotated[list[Time], msgspec.Meta(min_length=2, max_length=2)] | None = None


class Printed(Point, frozen=True, kw_only=True, eq=False, omit_defaults=True, tag="printed"):
    """What another program printed of one point in one launch: its figure, and the samples if it lists them."""

    samples_ns: Annotated[NDArray[np.int64], msgspec.Meta(description="absent if the samples are unknown")] = (
        msgspec.field(default_factory=lambda: np.zeros(0, np.int64))
    )
    repetitions_per_sample: Annotated[Positive, msgspec.Meta(description="1")] = 1
    hosts: Annotated[Count, msgspec.Meta(description="0: unknown")] = 0
    figure_ns: Annotated[Real, msgspec.Meta(description="time of one figure, as the program reports it")]
    repetitions: Annotated[Count | None, msgspec.Meta(description="that were made; null: unknown")] = None
    rounding: Annotated[Real, msgspec.Meta(description="half a printed step, as a share of the figure")] = 0.0
    others: Annotated[dict[str, Real], msgspec.Meta(description="the further numbers of the line, as printed")] = {}


class Failure(msgspec.Struct, frozen=True, tag_field="kind", tag="failure"):
    """A point that gave no figure, and why."""

    schema: int
    index: Count
    reason: str
    message: str
    ranks: list[Count] = []


def has_figure(point: Point) -> bool:
    """Return whether a point has samples, or the figure that another program printed."""
    return bool(point.samples_ns.size) or isinstance(point, Printed)


def without_figure(point: Point) -> Failure:
    """Return the failure of a point without samples, which older engines recorded as measured."""
    reason = f"none of its {point.invalid} repetitions was valid" if point.invalid else "it has no samples"
    return Failure(SCHEMA, point.index, "no_samples", f"{reason}; use sync=barrier")


class Skipped(msgspec.Struct, frozen=True, tag_field="kind", tag="left_out"):
    """A point with `optional` for which the launch had too few ranks or nodes, and why."""

    schema: int
    index: Count
    message: str


class End(msgspec.Struct, frozen=True, tag_field="kind", tag="end"):
    """The last record: only a launch that ran to its end has one."""

    schema: int
    points: Count
    failures: Count
    elapsed_ns: Nanoseconds = 0
    load: list[NodeLoad] = []
    noise: list[Noise] = []
    global_clock: list[ClockOutcome] = []


def point_with_columns() -> type[Point]:
    """Return the record of a point, with the members that only `groma.columns` declares."""
    fields = [
        (column.name, _MEMBERS[column.kind] | None, None)
        for column in COLUMNS.values()
        if isinstance(column.launch, Member) and not column.launch.path
        if column.name not in Point.__struct_fields__
    ]
    made: Any = msgspec.defstruct(Point.__name__, fields, bases=(Point,), frozen=True, eq=False) if fields else Point
    point: type[Point] = made
    return point


_MEMBERS: dict[Kind, Any] = {"whole": Whole, "real": Real, "truth": bool, "text": str}

Record = Start | Point | Revisit | Failure | Skipped | End | Imported | Printed


T = TypeVar("T")


class UnknownSchemaError(Exception):
    """A document of a schema that this version does not know."""

    def __init__(self, schema: object) -> None:
        super().__init__(
            f"it has schema {schema} and this Groma reads schema {SCHEMA}: read it with the version that wrote it"
        )


class _Versioned(msgspec.Struct):
    schema: int


def decode(data: bytes, kind: type[T]) -> T:
    """Decode one JSON document of this schema.

    Raises `UnknownSchemaError` for another schema, `msgspec.DecodeError` if the JSON is torn and
    `msgspec.ValidationError` if it is whole but not what the contract says.
    """
    return _decode(data, msgspec.json.Decoder(kind, dec_hook=_array))


def decode_record(line: bytes) -> Record:
    """Decode one line of points.jsonl; raises as `decode`."""
    return _decode(line, _RECORD)


class _Fields(msgspec.Struct, frozen=True, tag_field="kind", tag="point"):
    schema: int
    point: Settings


_FIELDS = msgspec.json.Decoder(_Fields)


def decode_fields(line: bytes) -> Settings:
    """Return the fields of a point from its line of points.jsonl, without what was measured; raises as `decode`."""
    return _decode(line, _FIELDS).point


def _decode(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return _of_this_schema(data, decoder)
    except RecursionError as error:
        raise msgspec.ValidationError("it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError("it is not UTF-8 text") from error


def _of_this_schema(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        _require_schema(document := decoder.decode(data))
    except msgspec.ValidationError:
        _require_schema(msgspec.json.decode(data, type=_Versioned))
        raise
    return document


def _require_schema(document: object) -> None:
    schema = getattr(document, "schema", None)
    if schema != SCHEMA:
        raise UnknownSchemaError(schema)


def _array(_: type, value: object) -> NDArray[np.int64]:
    """Keep samples as one array: a long run has millions of them."""
    array = np.asarray(value)
    if array.ndim != 1 or (array.size and array.dtype.kind != "i"):
        raise ValueError("expected a list of integers")
    return array.astype(np.int64)


_RECORD: msgspec.json.Decoder[Record] = msgspec.json.Decoder(
    Start | point_with_columns() | Revisit | Failure | Skipped | End | Imported | Printed,
    dec_hook=_array,
)


def encode_record(record: Record) -> bytes:
    """Return a record as one line of points.jsonl, with its checksum; an imported record has only what has a value."""
    fields = msgspec.to_builtins(record, enc_hook=lambda array: array.tolist())
    absent = [name for name, value in fields.items() if value == [] and isinstance(record, Printed)]
    return sealed(msgspec.json.encode({name: value for name, value in fields.items() if name not in absent})) + b"\n"
