"""The anti-patterns of common advice to users of MPI (the ALCF slides), and what each that a run measured costs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groma.analysis import PointSummary
from groma.analysis.compare import Comparison, Judged, Verdict, compare_points, judge
from groma.analysis.grouping import relevant_fields

MARGIN = 0.03  # times within this of each other count as the same
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


@dataclass(frozen=True)
class Cost:
    """An anti-pattern and the advice instead of it: two points, their ratio, and whether they differ.

    All the comparisons of the run are one family. The verdict is the anti-pattern's: slower means that it costs time.
    """

    rule: Rule
    anti_pattern: PointSummary
    instead: PointSummary
    judged: Judged

    @property
    def comparison(self) -> Comparison:
        """The ratio of the anti-pattern's time to that of the advice, with its interval."""
        return self.judged.comparison

    @property
    def verdict(self) -> Verdict:
        """The verdict on the anti-pattern: slower, faster, the same, or not decided."""
        return self.judged.verdict


def costs(summaries: Sequence[PointSummary], rules: Sequence[Rule] = RULES) -> list[Cost]:
    """Return the costs of all anti-patterns, rule by rule, in the order of the run's points."""
    by_key = {_key(point, point.point): point for point in summaries}
    pairs = [
        (rule, point, counterpart)
        for rule in rules
        for point in summaries
        if rule.describes(point.point)
        and point.member_count > 1  # one rank alone communicates with nobody
        and (counterpart := by_key.get(_key(point, {**point.point, **rule.instead}))) is not None
    ]
    judged = judge([compare_points(point, counterpart) for _, point, counterpart in pairs], MARGIN)
    return [Cost(*pair, judgement) for pair, judgement in zip(pairs, judged, strict=True)]


def clearest(candidates: Sequence[Cost]) -> list[Cost]:
    """Return one cost per rule and operation: the largest significant one, else that with the narrowest interval."""
    chosen: dict[tuple[str, str], Cost] = {}
    for cost in candidates:
        place = (cost.rule.name, cost.anti_pattern.operation)
        chosen[place] = max(chosen.get(place, cost), cost, key=_weight)
    return list(chosen.values())


def _weight(cost: Cost) -> tuple[bool, float]:
    interval = cost.comparison.interval
    if cost.verdict == "slower":
        return True, cost.comparison.ratio
    return False, -(interval.high - interval.low) / cost.comparison.ratio if interval else -float("inf")


def _key(summary: PointSummary, point: Mapping[str, Any]) -> str:
    """Return the key that two compared points share: launched ranks, variant, and these fields."""
    return json.dumps([summary.ranks, summary.variant, relevant_fields(point)], sort_keys=True)
