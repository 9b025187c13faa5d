"""The checks of the devices whose memory a run used: who shares one, how near they are, and whether Groma was tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from groma.results import Launch
from groma.results.instruments import DeviceCopy, NcclLibrary, RankDevice
from groma.text.checks import Check
from groma.text.counts import first_names

_SAME_NODE = 10  # as the kernel gives the distance of a NUMA node from itself
_NAMED = 8


def devices(started: Sequence[Launch]) -> list[Check]:
    """Return the checks of the devices of launches; nothing for a run in the host's memory alone."""
    used = [launch.start.devices for launch in started if launch.start is not None and launch.start.devices]
    if not used:
        return []
    largest = max(used, key=len)
    libraries = [launch.start.nccl for launch in started if launch.start is not None and launch.start.nccl]
    copies = [launch.start.device_copies for launch in started if launch.start is not None]
    copied = next((some[-1] for some in copies if some), None)
    return [_sharing(largest), *_distance(largest), *_peer(copied), *_tried(largest), *_nccl(libraries[:1])]


def _sharing(used: Sequence[RankDevice]) -> Check:
    """Say which ranks have one device: without MPS its processes take turns, which lengthens short messages tenfold."""
    ranks = defaultdict(list)
    for one in used:
        ranks[one.uuid or one.pci].append(one)
    shared = next((group for group in ranks.values() if len(group) > 1), None)
    names = first_names(sorted({one.name for one in used}), _NAMED)
    if shared is None:
        return Check("devices", "good", f"Each rank has a device of its own ({names}).")
    who = f"Ranks {first_names([str(one.rank) for one in shared], _NAMED)} share one device ({shared[0].name})"
    if shared[0].mps:
        return Check("devices", "warn", f"{who} through MPS.")
    mps = "without MPS" if shared[0].mps is False else "and its driver does not say whether MPS runs"
    return Check("devices", "warn", f"{who}, {mps}: processes that take turns on a device delay each message.")


def _distance(used: Sequence[RankDevice]) -> list[Check]:
    """Say whether each rank runs on the NUMA node of its device; nothing if the kernel does not say."""
    known = [(one.distance, one.rank) for one in used if one.distance is not None]
    if not known:
        return []
    if not (far := [(distance, rank) for distance, rank in known if distance > _SAME_NODE]):
        return [Check("device distance", "good", "Each rank runs on the NUMA node of its device.")]
    distance, rank = max(far)
    text = f"Rank {rank} runs on another NUMA node than its device (distance {distance}); name the device with device."
    return [Check("device distance", "warn", text)]


def _peer(copied: DeviceCopy | None) -> list[Check]:
    """Say how rank 0's device copies to another one; nothing if no copies were measured."""
    if copied is None:
        return []
    if copied.to_peer_ns is None:
        text = "Rank 0 sees one device, or could use one alone: no copy to another one was measured."
        return [Check("peer copy", "unknown", text)]
    if copied.peer_direct:
        return [Check("peer copy", "good", "The driver copies from device to device directly.")]
    text = "The driver copies from device to device through the host's memory: they do not reach each other's."
    return [Check("peer copy", "warn", text)]


def _tried(used: Sequence[RankDevice]) -> list[Check]:
    untried = sorted({one.driver for one in used if one.tried})
    text = f"Groma's use of {first_names(untried, _NAMED)} was tested on a stand-in alone: never tried on a device."
    return [Check("driver", "unknown", text)] if untried else []


def _nccl(libraries: Sequence[NcclLibrary]) -> list[Check]:
    """Say that Groma's use of the library of the operations nccl/* was never tried on a device."""
    text = "Groma's use of {} (version {}) was tested on a stand-in alone: {}."
    said = [text.format(one.name, one.version or "unknown", one.tried) for one in libraries if one.tried]
    return [Check("NCCL", "unknown", one) for one in said]
