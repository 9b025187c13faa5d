"""Parts of the first and the last record of a launch: its library, clocks and machine, as the engine describes them.

`groma-engine --describe` has the meaning of every member; docs/contract.md prints it.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from groma.results.bounds import OLDER, Count, Nanoseconds, Pair, Real, Time, Whole


class Library(msgspec.Struct, frozen=True):
    """The MPI library that ran, as it names itself."""

    name: str
    version: str
    text: str = ""
    standard: str = ""


class Clock(msgspec.Struct, frozen=True):
    """One clock as measured before anything was timed, or why it was refused."""

    name: str
    resolution_ns: Time | None = None
    read_ns: Time | None = None
    refused: str | None = None


class Harness(msgspec.Struct, frozen=True):
    """What an empty operation costs per repetition, beyond the clock reads."""

    call_ns: Real
    block_ns: Real


class Copy(msgspec.Struct, frozen=True):
    """One memory copy of `bytes` on rank 0, in records of engines that did not hand messages over."""

    bytes: Whole
    ns: Time


class Handoff(msgspec.Struct, frozen=True):
    """A message handed from core to core without MPI: one way, and per message if many are under way."""

    ranks: Pair
    bytes: Whole
    ns: Time
    stream_ns: Time
    one_copy: Time | None = None
    half_each: Time | None = None
    two_copies: Time | None = None


class TcpRow(msgspec.Struct, frozen=True):
    """The same over a plain TCP connection between two hosts."""

    ranks: Pair
    bytes: Whole
    ns: Time
    stream_ns: Time


class TcpNote(msgspec.Struct, frozen=True):
    """Why two ranks have no rows, or fewer than asked."""

    ranks: Pair
    note: str


class Tcp(msgspec.Struct, frozen=True):
    """Times over plain TCP connections between hosts: a reference, not a limit."""

    rows: list[TcpRow] = []
    notes: list[TcpNote] = []


class Limits(msgspec.Struct, frozen=True):
    """What the machine itself needs, without MPI."""

    line_bounce_ns: Time | None = None
    two_flags_ns: Time | None = None
    bounce_ranks: list[Whole] = []
    handoff: list[Handoff] = []
    tcp: Tcp = Tcp()
    copy: Annotated[list[Copy], OLDER, msgspec.Meta(description="one rank's memory copies: `bytes` and `ns`")] = []


class DeviceCopy(msgspec.Struct, frozen=True):
    """One copy of `bytes` by the driver of rank 0's device: from and to pinned memory, within it, and to a peer.

    The peer is another device, named by its UUID; None and empty if rank 0 sees one.
    """

    driver: str
    bytes: Whole
    to_device_ns: Time
    to_host_ns: Time
    within_device_ns: Time
    to_peer_ns: Time | None = None
    peer: str = ""
    peer_direct: bool | None = None


class NcclLibrary(msgspec.Struct, frozen=True):
    """The library of the operations nccl/*."""

    name: str
    version: str = ""
    file: str = ""
    tried: str = ""


class DeviceSupport(msgspec.Struct, frozen=True):
    """What the MPI library says of messages in the memory of devices; None for a question that it does not know."""

    memory_kinds: str = ""
    cuda: bool | None = None
    hip: bool | None = None


class RankDevice(msgspec.Struct, frozen=True):
    """The device of one rank, as its driver describes it; None or empty for what driver or kernel do not say."""

    rank: Count
    driver: str
    device: Count
    name: str = ""
    uuid: str = ""
    pci: str = ""
    version: str = ""
    compute_mode: str = ""
    mps: bool | None = None
    ecc: bool | None = None
    clock_khz: Whole | None = None
    memory_clock_khz: Whole | None = None
    memory_bytes: Whole = 0
    numa_node: Count | None = None
    distance: Count | None = None
    synchronise_ns: Time = 0.0
    tried: str = ""


class Noise(msgspec.Struct, frozen=True):
    """Interruptions that one rank saw in a tight clock loop."""

    rank: Count
    lost_share: Real
    longest_ns: Nanoseconds
    detours: Whole
    observed_ns: Nanoseconds


class Memory(msgspec.Struct, frozen=True):
    """Memory of the node that comes closest to its limit."""

    needed_bytes: Whole = 0
    available_bytes: Whole = 0


class ProcessMemory(msgspec.Struct, frozen=True):
    """Resident memory of a process around the start of MPI: the most of any rank."""

    before_bytes: Whole = 0
    after_bytes: Whole = 0
    after_messages_bytes: Whole | None = None


class Cycle(msgspec.Struct, frozen=True):
    """Offsets by pings around three ranks: their sum, and how far that is from zero at least (0: it may be zero).

    It is half of how much longer messages take one way around than the other.
    """

    ranks: list[Count]
    closure_ns: Real
    least_ns: Real


class GlobalClock(msgspec.Struct, frozen=True):
    """One global clock: its method, its errors and its cost."""

    clock: str
    method: str
    shared_on_host: bool
    bound_ns: Real
    residual_ns: Real
    offset_ns: Real = 0.0
    drift_ppm: Real = 0.0
    messages_per_rank: Count = 0
    took_ns: Nanoseconds = 0
    cycle: Cycle | None = None
    true_error_ns: Real | None = None
    true_excess_ns: Real | None = None


class ClockOutcome(msgspec.Struct, frozen=True):
    """State of one global clock at the end of a launch."""

    clock: str
    synchronised: Whole
    offset_ns: Real
    drift_ppm: Real


class PairTime(msgspec.Struct, frozen=True):
    """One pair of ranks that a scan measured: the shortest of its round trips, halved."""

    ranks: Pair
    one_way_ns: Time


class Search(msgspec.Struct, frozen=True):
    """The scan that found the pair of `slowest` or `farthest`: the first of `slowest`, then those that came near."""

    pattern: str
    ranks: Count
    bytes: Whole
    round_trips: Whole
    pairs: Whole
    scanned: Whole
    took_ns: Nanoseconds
    slowest: list[PairTime]
    at_once: Whole | None = None
    placement: str = ""
    given: bool = False


class ThreadLevel(msgspec.Struct, frozen=True):
    """The thread level of MPI: `single`, `funneled`, `serialized` or `multiple`."""

    asked: str
    provided: str


class NodeLoad(msgspec.Struct, frozen=True):
    """CPU time taken on one node while the launch measured, in cores."""

    node: Count
    name: str
    foreign_cores: Real
    own_cores: Real
    stolen_cores: Real | None = None
