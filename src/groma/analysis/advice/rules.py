"""The anti-patterns whose cost is reported: common advice to users of MPI (the ALCF slides)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_WHOLE = {"communicator": "world"}
_STRAIGHT = {"layout": "contiguous"}


@dataclass(frozen=True)
class Rule:
    """One anti-pattern, and what to do instead: points that differ in the fields named here alone are compared.

    `anti_pattern` says which values of fields are the anti-pattern, `instead` the values that replace them.
    """

    name: str
    advice: str
    anti_pattern: Mapping[str, Any]
    instead: Mapping[str, Any] = field(default_factory=dict)

    def describes(self, point: Mapping[str, Any]) -> bool:
        """Return whether a point has the anti-pattern."""
        return all(point.get(name) == value for name, value in self.anti_pattern.items())


def _other_operation(operation: str, instead: str, advice: str, name: str) -> Rule:
    return Rule(name, advice, {"operation": operation}, {"operation": instead})


_NAME_SOURCES = "name the source of a receive"
_POST_ALL = "post the messages of all dimensions, then wait once"

RULES = (
    _other_operation("pingpong_any_source", "pingpong", _NAME_SOURCES, "any source"),
    _other_operation("targets_any_source", "targets", _NAME_SOURCES, "any source"),
    Rule("half of world", "use all ranks, or measure what a subset costs", {"communicator": "half"}, _WHOLE),
    Rule("world less one", "use all ranks, or measure what a subset costs", {"communicator": "world-1"}, _WHOLE),
    Rule("copy of world", "a duplicate of a communicator should be as fast", {"communicator": "copy"}, _WHOLE),
    Rule("vector type", "send contiguous data", {"layout": "vector"}, _STRAIGHT),
    Rule("indexed type", "send contiguous data", {"layout": "indexed"}, _STRAIGHT),
    Rule("struct type", "send contiguous data", {"layout": "struct"}, _STRAIGHT),
    Rule("unaligned buffer", "align buffers to cache lines", {"receive_offset": 1089}, {"receive_offset": 1088}),
    _other_operation("halo/isend_irecv", "halo/all_at_once", _POST_ALL, "one dimension at a time"),
    _other_operation("halo/sendrecv", "halo/isend_irecv", "use nonblocking calls", "blocking"),
    _other_operation("pingpong_synchronous", "pingpong", "avoid synchronous sends unless you need them", "MPI_Ssend"),
)
