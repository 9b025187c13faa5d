"""What is said of the devices of a run, and the limit of messages between kinds of memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest

from groma.analysis.devices import devices
from groma.analysis.minimum import Minima, limit_kind
from groma.catalog import packaged
from groma.cli.here import not_here
from groma.machine.devices import kinds_of
from groma.results import Launch
from groma.results.instruments import DeviceCopy, Handoff, Limits, NcclLibrary, RankDevice
from groma.results.records import Point


def said(
    *used: RankDevice, copies: list[DeviceCopy] | None = None, nccl: NcclLibrary | None = None
) -> dict[str, tuple[str, str]]:
    """Return state and text of each check of a launch with these devices."""
    start = SimpleNamespace(devices=list(used) or None, device_copies=copies, nccl=nccl)
    launch = cast(Launch, SimpleNamespace(start=start))
    return {check.name: (check.state, check.text) for check in devices([launch])}


def device(rank: int, uuid: str, **facts: Any) -> RankDevice:  # noqa: ANN401 - of any of its members
    return RankDevice(rank, "cuda", 0, "Model", uuid, **facts)


def test_a_run_in_host_memory_has_no_check_of_devices() -> None:
    assert said() == {}


def test_each_rank_with_a_near_device_of_its_own_is_good() -> None:
    found = said(device(0, "a", distance=10), device(1, "b", distance=10))
    assert found["devices"] == ("good", "Each rank has a device of its own (Model).")
    assert found["device distance"][0] == "good"
    assert "driver" not in found


@pytest.mark.parametrize(
    ("mps", "words"), [(True, "through MPS."), (False, "without MPS"), (None, "does not say whether MPS runs")]
)
def test_ranks_that_share_a_device_are_said(mps: bool | None, words: str) -> None:
    state, text = said(device(0, "b"), device(1, "a", mps=mps), device(2, "a", mps=mps))["devices"]
    assert state == "warn"
    assert text.startswith("Ranks 1, 2 share one device (Model)")
    assert words in text


def test_the_farthest_device_is_said() -> None:
    found = said(device(0, "a", distance=10), device(1, "b", distance=21), device(2, "c", distance=32))
    assert found["device distance"] == (
        "warn",
        "Rank 2 runs on another NUMA node than its device (distance 32); name the device with device.",
    )


def test_a_driver_that_was_never_tried_is_not_known() -> None:
    assert said(device(0, "a", tried="never tried on a device"))["driver"][0] == "unknown"


COPIES = [DeviceCopy("cuda", size, size * 4.0, size * 3.0, size * 2.0) for size in (8, 1 << 20)]


@pytest.mark.parametrize(
    ("settings", "times"),
    [
        ({"memory": "cuda"}, 2),
        ({"memory": "cuda_managed"}, 2),
        ({"memory": "cuda", "receive_memory": "pinned"}, 3),
        ({"receive_memory": "cuda"}, 4),
        ({"memory": "hip"}, None),  # nothing was copied by its driver
    ],
)
def test_the_limit_of_a_message_is_a_copy_between_its_kinds_of_memory(
    settings: dict[str, str], times: int | None
) -> None:
    minima = Minima(Limits(handoff=[Handoff([0, 1], 8, 1.0, 1.0)]), copies=COPIES)
    assert minima.machine_ns(point(8, **settings)) == (None if times is None else 8 * times)
    assert limit_kind(settings) == "driver's copy"


@pytest.mark.parametrize(
    ("uuids", "settings", "times"),
    [
        ("ab", {"memory": "cuda"}, 5),
        ("aa", {"memory": "cuda"}, 2),  # both ranks have one device
        ("ac", {"memory": "cuda"}, 2),  # between these two nothing was copied
        ("ab", {"receive_memory": "cuda"}, 4),
    ],
)
def test_the_limit_between_two_devices_is_a_copy_from_one_to_the_other(
    uuids: str, settings: dict[str, str], times: int
) -> None:
    copies = [msgspec.structs.replace(one, to_peer_ns=one.bytes * 5.0, peer="b", peer_direct=True) for one in COPIES]
    devices = [device(rank, uuid) for rank, uuid in enumerate(uuids)]
    assert Minima(Limits(), copies=copies, devices=devices).machine_ns(point(8, **settings)) == 8 * times


@pytest.mark.parametrize(
    ("copy", "state", "words"),
    [
        (DeviceCopy("cuda", 8, 1.0, 1.0, 1.0), "unknown", "Rank 0 sees one device, or could use one alone"),
        (DeviceCopy("cuda", 8, 1.0, 1.0, 1.0, 1.0, "b", True), "good", "from device to device directly"),
        (DeviceCopy("cuda", 8, 1.0, 1.0, 1.0, 1.0, "b", False), "warn", "through the host's memory"),
    ],
)
def test_how_devices_copy_to_each_other_is_said(copy: DeviceCopy, state: str, words: str) -> None:
    found = said(device(0, "a"), copies=[copy])["peer copy"]
    assert found[0] == state
    assert words in found[1]


def test_a_library_that_was_never_tried_is_not_known() -> None:
    library = NcclLibrary("NCCL", "2.22.3", "/lib/libnccl.so.2", "never tried on a device")
    assert said(device(0, "a"), nccl=library)["NCCL"] == (
        "unknown",
        "Groma's use of NCCL (version 2.22.3) was tested on a stand-in alone: never tried on a device.",
    )


def test_messages_in_host_memory_keep_the_limit_between_cores() -> None:
    minima = Minima(Limits(handoff=[Handoff([0, 1], 8, 1.0, 1.0)]), copies=COPIES)
    assert minima.machine_ns(point(8)) == minima.machine_ns(point(8, memory="pinned")) == 1.0
    assert limit_kind({"memory": "pinned"}) == "core-to-core minimum"


def test_a_window_of_short_messages_has_no_limit_and_of_long_ones_a_copy_each() -> None:
    minima = Minima(Limits(), copies=COPIES)
    window = {"operation": "stream", "window": 4, "memory": "cuda"}
    assert minima.machine_ns(point(8, **window)) is None
    assert minima.machine_ns(point(1 << 20, **window)) == 4 * 2 * (1 << 20)


def test_the_kinds_of_memory_of_a_plan_are_those_of_devices() -> None:
    points = [{"memory": "pinned"}, {"send_memory": "cuda"}, {"memory": "cuda"}, {"receive_memory": "hip_managed"}, {}]
    assert kinds_of(points) == ["cuda", "hip_managed"]


def test_messages_of_nccl_are_not_mpis() -> None:
    assert kinds_of([{"operation": "nccl/bcast", "memory": "cuda"}, {"operation": "bcast", "memory": "hip"}]) == ["hip"]


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        ({"libcuda.so.1", "libnccl.so.2"}, ""),
        ({"libcuda.so.1", "libamdhip64.so", "librccl.so.1"}, ""),
        ({"libcuda.so.1", "librccl.so.1"}, "libnccl.so.2 can't be opened"),
        (set(), "libcuda.so.1 and libamdhip64.so can't be opened"),
    ],
)
def test_what_nccl_needs_here(monkeypatch: pytest.MonkeyPatch, there: set[str], reason: str) -> None:
    def opens(file: str) -> None:
        if file not in there:
            raise OSError(file)

    monkeypatch.setattr("ctypes.CDLL", opens)
    assert not_here(packaged().operation("nccl/allreduce")) == reason
    assert not_here(packaged().operation("allreduce")) == ""


def point(size: int, **settings: object) -> Point:
    """Return the record of a point of two ranks."""
    fields = {"operation": "pingpong", "bytes": size, **settings}
    return Point(1, 0, 0, fields, np.array([1]), 1, 1, members=[0, 1], member_count=2)
