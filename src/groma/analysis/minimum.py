"""References of a figure: the same bytes without MPI: from core to core, by a device's driver, over TCP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis.grouping import meaning, size_of
from groma.analysis.launchtable import Part
from groma.analysis.machinestate import row_states
from groma.analysis.pointtable import PointTable
from groma.analysis.rows import known_medians
from groma.catalog import Operation
from groma.results.instruments import DeviceCopy, Handoff, Limits, RankDevice, TcpRow
from groma.results.records import Point

Rows = Sequence[Handoff] | Sequence[TcpRow]
Times = NDArray[np.float64]

KIND, MAXIMUM = "core-to-core minimum", "core-to-core maximum"  # of times, and of bandwidths and rates
TCP = "TCP between the hosts"
COPY = "driver's copy"
_HOST = ("host", "pinned")
_LONG_BYTES = 1 << 20  # from here on a copy's latency is little of it, and messages may be under way together
_CHAINS = frozenset({"scan", "exscan"})  # without a root, and rank 0 waits for none


@dataclass(frozen=True)
class Yardstick:
    """A time that a point is compared with, its name, and the figure as a multiple of it.

    The core-to-core minimum is the hardware minimum of the point. The time of its message over a plain TCP connection
    is no limit: the network, or another protocol on it, may be faster.
    """

    ns: float
    multiple: float
    kind: str


class Minima:
    """The shortest times of one launch's machine, prepared for many points."""

    def __init__(
        self,
        limits: Limits,
        *,
        oversubscribed: bool = False,
        copies: Sequence[DeviceCopy] = (),
        devices: Sequence[RankDevice] = (),
    ) -> None:
        """Take a launch's times without MPI, between two ranks that ran at the same time, and of copies by a driver."""
        self._limits, self._oversubscribed, self._copies = limits, oversubscribed, copies
        self._devices = {(one.rank, one.driver): one.uuid for one in devices}
        self._tables: dict[tuple[str, object, bool], Shortest] = {}

    def machine_ns(self, record: Point) -> float | None:
        """Return the time of one hand-off of the point's message, or of a window of messages with many in flight.

        A collective of any number of ranks takes at least one hand-off of one rank's message, or of a cache line if it
        has no message; for two ranks this bound is tight. A message from or to a device takes at least the
        driver's copy between the two kinds of memory, or between the two devices. None if the ranks are on
        several hosts (shared memory does not bound them), for operations on files and those that time several
        things (phases), for messages of random lengths, and where no limit was measured: no two ranks could run
        at the same time, or the engine is an older one. None too if more than two ranks took turns on CPUs
        (their time is the scheduler's), and where no rank has to wait for another: in a collective or a window
        of empty messages.
        """
        if record.hosts != 1 or not _is_comparable(record) or (self._oversubscribed and record.member_count > 2):
            return None
        size = _message_bytes(record)
        if size and on_device(record.point):
            return self._copy_ns(record, size)
        if not size:
            return self._limits.line_bounce_ns or None if _waits_for_another(record) else None
        pair = record.members[:2]
        return self._time_ns(record, size, "machine", tuple(pair), lambda: _of_pair(self._limits.handoff, pair))

    def tcp_ns(self, record: Point) -> float | None:
        """Return the time of the point's message over TCP, for ranks on several hosts; None without a message.

        Rows of the first member and another member are used; without such rows, those of any two hosts.
        """
        size = _message_bytes(record)
        if record.hosts < 2 or not size or not self._limits.tcp.rows or not _is_comparable(record):
            return None
        members = tuple(record.members)
        return self._time_ns(record, size, "tcp", members, lambda: _of_members(self._limits.tcp.rows, members))

    def _copy_ns(self, record: Point, size: int) -> float | None:
        """Return the time of the driver's copy; None for short messages under way together, which share latencies."""
        operation, kinds = meaning(record.point), memory_kinds(record.point)
        windowed = "window" in operation.uses
        if (windowed or _may_overlap(operation, record)) and size < _LONG_BYTES:
            return None
        sent, received = (kind not in _HOST for kind in kinds)
        way = "within_device_ns" if sent and received else "to_host_ns" if sent else "to_device_ns"
        driver = next(kind for kind in kinds if kind not in _HOST).removesuffix("_managed")
        row = next((row for row in self._copies if (row.driver, row.bytes) == (driver, size)), None)
        if row is None:
            return None
        if sent and received and row.to_peer_ns is not None and self._are_apart(record, row):
            way = "to_peer_ns"
        ns: float = getattr(row, way)
        return ns * int(record.point.get("window", 1)) if windowed else ns

    def _are_apart(self, record: Point, row: DeviceCopy) -> bool:
        """Return whether each rank has a device of its own, and the first two those between which was copied."""
        own = [self._devices.get((rank, row.driver), "") for rank in record.members]
        first = self._devices.get((0, row.driver))
        return len({*own}) == len(own) and {*own[:2]} == {first, row.peer} and "" not in own

    def _time_ns(
        self, record: Point, size: int, kind: str, ranks: tuple[int, ...], rows: Callable[[], Rows]
    ) -> float | None:
        operation = meaning(record.point)
        windowed = "window" in operation.uses
        # In a block of calls, a root may be several calls ahead of its receivers.
        streamed = windowed or _may_overlap(operation, record)
        key = kind, ranks, streamed
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = Shortest(rows(), streamed=streamed)
        ns = table.at(size)
        messages = int(record.point.get("window", 1)) * int(record.point.get("targets") or 1)
        return ns * messages if windowed and ns is not None else ns


def limits_in(part: Part) -> dict[str, list[Any]]:
    """Return the columns of hardware minimum and TCP for the points of a launch."""
    start = part.launch.start
    minima = None
    if start is not None:
        minima = Minima(
            start.limits,
            oversubscribed=start.oversubscribed,
            copies=start.device_copies or (),
            devices=start.devices or (),
        )
    machine = [minima.machine_ns(record) if minima else None for record in part.records]
    tcp = [minima.tcp_ns(record) if minima else None for record in part.records]
    kinds = [None if ns is None else limit_kind(one.point) for ns, one in zip(machine, part.records, strict=True)]
    return {"limit_ns": machine, "tcp_ns": tcp, "limit": kinds}


def memory_kinds(point: Mapping[str, object]) -> tuple[str, str]:
    """Return the kinds of memory of a point's send and receive arrays; `host` in records of older engines."""
    both = str(point.get("memory", "host"))
    sent, received = (str(point.get(f"{side}_memory", "same")) for side in ("send", "receive"))
    return both if sent == "same" else sent, both if received == "same" else received


def on_device(point: Mapping[str, object]) -> bool:
    """Return whether the host cannot reach one of a point's arrays."""
    return any(kind not in _HOST for kind in memory_kinds(point))


def limit_kind(point: Mapping[str, object]) -> str:
    """Return the kind of a point's hardware minimum."""
    return COPY if on_device(point) else KIND


def limits_of(table: PointTable) -> dict[str, Times]:
    """Return the limit of each point, and the figure as a multiple of it, both in one state of the machine."""
    least, middle = np.full(len(table), np.nan), np.full(len(table), np.nan)
    for chosen, places in table.by_launches:
        states = table.rows.derived(row_states)[places]
        times, limits = (table.rows.column(name)[places] for name in ("figure_ns", "limit_ns"))
        least[chosen], middle[chosen] = in_one_state(times, limits, states)
    return {"limit_ns": least, "limit_multiple": middle / least}


def _of_pair(rows: Sequence[Handoff], pair: list[int]) -> Sequence[Handoff]:
    """Return the rows of these two ranks, or all if they have none."""
    return [row for row in rows if row.ranks == pair] or rows


def _of_members(rows: Sequence[TcpRow], members: tuple[int, ...]) -> Sequence[TcpRow]:
    """Return the rows of the first member and another one, or all if there are none."""
    return [row for row in rows if row.ranks[0] == members[0] and row.ranks[1] in members] or rows


def _is_comparable(record: Point) -> bool:
    operation = meaning(record.point)
    several_things = operation.phases or "map_messages" in operation.uses
    in_memory = operation.family != "harness" and "file_folder" not in operation.uses
    return in_memory and record.member_count > 1 and not several_things


def _message_bytes(record: Point) -> int:
    asked = size_of(record.point)
    return record.message_bytes or asked if asked else 0


def _waits_for_another(record: Point) -> bool:
    """Return whether a rank has to hear of another although no bytes are sent: a barrier, or one message at a time."""
    operation = meaning(record.point)
    return "window" not in operation.uses and not (operation.family == "collective" and "bytes" in operation.uses)


def _may_overlap(operation: Operation, record: Point) -> bool:
    """Return whether a rank may be calls ahead of others: if it waits for none of them, and no barrier follows."""
    one_way = "root" in operation.uses or operation.name in _CHAINS
    return one_way and not operation.name.endswith("_then_barrier") and record.point.get("timing") == "block"


def in_one_state(times_ns: Times, limits_ns: Times, states: Times) -> tuple[Times, Times]:
    """Return for each point the least limit, and the median of its times, in one state of the machine; NaN for none.

    The arrays are points x launches; `states` are those of `machinestate.row_states`. The state is the one in which
    most launches measured both the limit and the point; of several the fastest. Disturbances only lengthen a limit.
    """
    known = ~(np.isnan(limits_ns) | np.isnan(times_ns) | np.isnan(states))
    chosen, most = np.zeros_like(known), np.zeros(len(known), dtype=np.int64)
    for state in sorted({*states[known].tolist()}):
        held = known & (states == state)
        count = held.sum(axis=1)
        more = count > most
        chosen[more], most[more] = held[more], count[more]
    least = np.full(len(known), np.nan)
    some = most > 0
    least[some] = np.nanmin(np.where(chosen, limits_ns, np.nan)[some], axis=1) if some.any() else np.nan
    return least, known_medians(np.where(chosen, times_ns, np.nan))


class Shortest:
    """The shortest time of each size among rows, in nanoseconds."""

    def __init__(self, rows: Rows, *, streamed: bool) -> None:
        """Take rows; `streamed` says that many messages are under way."""
        self._times: dict[int, float] = {}
        for row in rows:
            ns = row.stream_ns if streamed else row.ns
            if ns > 0:
                self._times[row.bytes] = min(ns, self._times.get(row.bytes, ns))
        self._sizes = sorted(self._times)

    def at(self, size: int) -> float | None:
        """Return the shortest time of `size` bytes.

        Between sizes the time is interpolated in log-log. Above the largest size it grows in proportion to the size,
        which is still a lower bound; below the smallest size it is None.
        """
        if not self._sizes or size < self._sizes[0]:
            return None
        if size not in self._times:
            self._times[size] = self._between(size)
        return self._times[size]

    def _between(self, size: int) -> float:
        largest = self._sizes[-1]
        if size > largest:
            return self._times[largest] * size / largest
        times = [self._times[known] for known in self._sizes]
        return float(np.exp(np.interp(np.log(size), np.log(self._sizes), np.log(times))))
