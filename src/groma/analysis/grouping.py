"""Meaning of a point: its operation in the catalogue, and its fields that say what was measured, or only how long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from groma.catalog import Operation
from groma.results.fields import meanings_of

_Thing = TypeVar("_Thing")
_Key = TypeVar("_Key")
# Fields that say how long to warm up and measure, and whether at all, but not what to measure. Profiles change them
# with the message size, and budgets from launch to launch.
EFFORT_FIELDS = frozenset(
    {
        *("stop", "repetitions", "min_repetitions", "max_repetitions", "precision", "slot_s", "warmups", "limit_s"),
        *("optional", "settle_s", "span_s"),
    }
)

# How many calls a sample has, where samples are blocks: profiles change it with the message size too.
BLOCK_FIELDS = ("block", "block_s")

# Patterns whose pair the engine finds: which ranks they are is not in the fields.
SEARCHING = ("slowest", "farthest")


def meaning(point: Mapping[str, Any]) -> Operation:
    """Return the entry of a point's operation; for one that its catalogue lacks, one that claims nothing.

    Older runs keep no catalogue: an operation of somebody's own is described in none.
    """
    name = str(point["operation"])
    known = meanings_of(point).operations.get(name)
    return known or Operation(
        name=name,
        family="own",
        summary="An operation that the catalogue does not list.",
        calls="",
        time="one repetition, over the divisor that its records state",
        divisor=1,
        bandwidth="bytes moved as its records state, over time",
        uses=tuple(payload_fields(point)),
    )


def payload_fields(point: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that matter only to the operations that say so."""
    return meanings_of(point).payload


def grouped(things: Iterable[_Thing], key: Callable[[_Thing], _Key]) -> dict[_Key, list[_Thing]]:
    """Return things in groups of one key, in the order of the first of each."""
    groups: dict[_Key, list[_Thing]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    return groups


def size_of(point: Mapping[str, Any]) -> int | None:
    """Return the message size in bytes; None for an operation that has none, whatever the field says.

    A swap's bytes are those of all its messages in one direction; its message size is one of these.
    """
    operation = meaning(point)
    if "bytes" not in point or "bytes" not in operation.uses:
        return None
    return int(point["bytes"]) // (int(point.get("swap_messages", 1)) if operation.swap else 1)


def relevant_fields(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that matter to the point's operation, without those of `EFFORT_FIELDS`."""
    left_out = (payload_fields(point) - set(meaning(point).uses)) | EFFORT_FIELDS
    return {name: value for name, value in point.items() if name not in left_out}
