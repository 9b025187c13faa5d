"""From a draft to its points: every list and range is expanded and checked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

from groma.catalog import Catalog
from groma.catalog.refinement import Refinement
from groma.catalog.reporting import DEFAULT, Reporting
from groma.catalog.values import Value, read_value, read_values
from groma.errors import InputError
from groma.plan.draft import Draft, Written
from groma.plan.parts import Part, first_ways
from groma.plan.variants import Variant, check_names

Point = dict[str, Value]
MOST_POINTS = 100_000
ODD = "odd"  # a value of `ranks`: the largest odd number of the launch's ranks
# Of an operation that is named without sizes: the largest, and how long each is measured. As in the profile quick, but
# for the longest time to become steady, which would be most of the run on a busy machine.
_LARGEST = 1 << 20
_SLOT: dict[str, object] = {"stop": "time", "slot_s": 0.06, "settle_s": 0.1, "max_repetitions": 2000}


@dataclass(frozen=True)
class Plan:
    """Points with the launches, rank counts, budget and order they are measured in; most members are the draft's.

    `points` hold what was asked, without defaults; `scheduling` holds the fields of scope plan that were given, and
    `program` the settings of the profile's program; `lacking` says why variants of that program are not there, or what
    some of several profiles lack. These are variants, and `parts` says what each of them measures.
    """

    name: str
    profile: str | None
    launches: int
    rank_counts: tuple[int, ...]
    budget_s: float | None
    scheduling: dict[str, Value]
    points: tuple[Point, ...]
    reporting: Reporting = DEFAULT
    every_s: float | None = None
    within: float | None = None
    variants: tuple[Variant, ...] = ()
    style: str | None = None
    refinement: Refinement = field(default_factory=Refinement)
    program: dict[str, float] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)


def expand(draft: Draft, catalog: Catalog) -> Plan:
    """Return the plan of a draft; raises InputError, with the place in the file, for the first thing that is wrong."""
    check_names(draft.variants)
    if draft.every_s is not None and draft.budget_s is not None:
        raise InputError("rounds at an interval cannot have a budget; leave out the budget or the interval")
    if draft.every_s is not None and draft.within is not None:
        raise InputError("the number of rounds at an interval is fixed; leave out --within or the interval")
    if draft.programs:
        return _in_turns(draft, catalog)
    scheduling = {name: _read_one(catalog, name, written) for name, written in draft.scheduling.items()}
    points: dict[tuple[tuple[str, Value], ...], Point] = {}
    operations: set[str] = set()
    sizes = _Sizes(draft, catalog)
    for at, block in enumerate(draft.blocks):
        settings = _with_odd_ranks(draft.common | block | draft.overrides, draft.rank_counts)
        names = operations_of(draft, block, catalog)
        operations |= set(names)
        _all_used(catalog, block, set(names))
        for name in names:
            for point in _points(catalog, name, _curve(draft, catalog, name) | settings):
                if not sizes.belongs(point, at):
                    continue
                points[tuple(point.items())] = point
                if len(points) > MOST_POINTS:
                    raise InputError(f"the plan has more than {MOST_POINTS} points; use fewer sizes or values")
    _all_used(catalog, draft.common | draft.overrides, operations)
    shared = {member.name: getattr(draft, member.name) for member in fields(Plan) if hasattr(draft, member.name)}
    return Plan(**shared | {"scheduling": scheduling, "points": tuple(points.values())})


def _with_odd_ranks(settings: dict[str, Written], rank_counts: Sequence[int]) -> dict[str, Written]:
    """Return the settings with numbers in place of odd `ranks`: all of a launch with an odd number, else one less.

    Of two ranks it is three: too many.
    """
    written = settings.get("ranks")
    listed = written.value if written and isinstance(written.value, list) else [written.value] if written else []
    if written is None or ODD not in listed:
        return settings
    odd = [0 if count % 2 else max(3, count - 1) for count in rank_counts]
    values = [number for one in listed for number in (odd if one == ODD else [one])]
    return settings | {"ranks": replace(written, value=values)}


def _in_turns(draft: Draft, catalog: Catalog) -> Plan:
    """Return the plan of several profiles: the points of all of them, each once, and which are whose."""
    for name, written in draft.overrides.items():
        if name != "bytes" and len(_values(catalog, name, written)) > 1:
            raise InputError(f"several profiles take one value of {name}: the first way of each is compared")
    operations = [
        {name for block in own.blocks for name in operations_of(own, block, catalog)} for own in draft.programs
    ]
    _all_used(catalog, draft.overrides, set().union(*operations))
    places: dict[tuple[tuple[str, Value], ...], int] = {}
    parts, lacking = {}, dict(draft.lacking)
    for own, names in zip(draft.programs, operations, strict=True):
        used = {use for name in names for use in catalog.operation(name).uses}
        overrides = {
            name: value for name, value in own.overrides.items() if name not in catalog.payload or name in used
        }
        plan = expand(replace(own, overrides=overrides), catalog)
        chosen = first_ways(plan.points, crowded=draft.crowded)
        if chosen != first_ways(plan.points, crowded=False):
            lacking[f"windows of {plan.profile}"] = "more ranks than CPUs cannot keep them; its barriers are measured"
        settings = {name: value for name, value in plan.scheduling.items() if name not in ("order", "seed")}
        parts[plan.profile or plan.name] = Part(
            points=[places.setdefault(tuple(point.items()), len(places)) for point in chosen],
            report=plan.reporting,
            order=str(plan.scheduling.get("order", "")),
            settings=settings,
            style=plan.style,
        )
    shared = {member.name: getattr(draft, member.name) for member in fields(Plan) if hasattr(draft, member.name)}
    own_fields = {
        "scheduling": {name: _read_one(catalog, name, written) for name, written in draft.scheduling.items()},
        "points": tuple(map(dict, places)),
        "parts": parts,
        "lacking": lacking,
    }
    return Plan(**shared | own_fields)


def operations_of(draft: Draft, block: dict[str, Written], catalog: Catalog) -> list[str]:
    """Return the operations of a block, however they were written; raises InputError with its place in the file."""
    return list(map(str, _values(catalog, "operation", (draft.common | block)["operation"])))


def _curve(draft: Draft, catalog: Catalog, operation: str) -> dict[str, Written]:
    """Return what an operation gets that was named without sizes: those from one element of each rank on, in doublings.

    Each of them uses its whole slot, so that all launches together take what the forecast says. An operation that has
    a size of its own keeps it.
    """
    entry, given = catalog.operation(operation), draft.overrides
    if not draft.is_of_operations or "bytes" in given or "bytes" in entry.defaults or "bytes" not in entry.uses:
        return {}

    def values(field: str) -> list[Value]:
        return _values(catalog, field, given.get(field, Written(catalog.resolve({"operation": operation})[field])))

    parts = max(draft.rank_counts) if "total" in values("bytes_of") else 1
    for own in {"segments", "partitions"}.intersection(entry.uses):
        parts *= max(map(int, values(own)))
    first = parts * max(map(catalog.element_bytes, values("datatype")))
    sizes = {"bytes": f"{first}:{max(first, _LARGEST)}"} | _SLOT
    return {name: Written(value) for name, value in sizes.items()}


class _Sizes:
    """Which blocks measure the sizes that the command line names, if blocks differ in their sizes.

    A size belongs to the blocks of its operation whose sizes surround it, or else to those whose sizes end nearest.
    So a profile that repeats long messages less often does not measure every size with every number of repetitions.
    """

    def __init__(self, draft: Draft, catalog: Catalog) -> None:
        self._ranges: dict[str, dict[int, tuple[float, float]]] = {}
        for at, block in enumerate(draft.blocks if "bytes" in draft.overrides else []):
            own = (draft.common | block).get("bytes")
            exponents = [_exponent(size) for size in _values(catalog, "bytes", own)] if own else [0.0, math.inf]
            for name in _values(catalog, "operation", block["operation"]):
                self._ranges.setdefault(str(name), {})[at] = (min(exponents), max(exponents))

    def belongs(self, point: Point, at: int) -> bool:
        """Return whether the block at a place of the draft measures a point of its operation."""
        ranges = self._ranges.get(str(point["operation"]))
        if not ranges or "bytes" not in point:
            return True
        place = _exponent(point["bytes"])
        away = {block: max(low - place, place - high, 0.0) for block, (low, high) in ranges.items()}
        return away[at] == min(away.values())


def _exponent(size: Value) -> float:
    return math.log2(1 + int(str(size)))


def _points(catalog: Catalog, operation: str, settings: dict[str, Written]) -> Iterator[Point]:
    """Multiply out one operation's settings, without the payload fields it has no use for; sizes vary fastest."""
    unused = catalog.payload - set(catalog.operation(operation).uses)
    names = [name for name in catalog.names("point") if name in settings and name not in unused | {"operation"}]
    names.sort(key=lambda name: name == "bytes")
    axes = [_values(catalog, name, settings[name]) for name in names]
    for combination in itertools.product(*axes):
        chosen: Point = {"operation": operation}
        chosen.update(zip(names, combination, strict=True))
        yield {name: chosen[name] for name in catalog.names("point") if name in chosen}


def _all_used(catalog: Catalog, settings: dict[str, Written], operations: set[str]) -> None:
    """Refuse a setting that none of the operations uses: no setting is ignored silently."""
    used = {use for name in operations for use in catalog.operation(name).uses}
    for name, written in settings.items():
        if name in catalog.payload and name not in used:
            raise written.wrong(f"{' and '.join(sorted(operations))} would not use {name}; leave it out")


def _values(catalog: Catalog, name: str, written: Written) -> list[Value]:
    with written.placed():
        return read_values(catalog, catalog.field(name), written.value)


def _read_one(catalog: Catalog, name: str, written: Written) -> Value:
    with written.placed():
        return read_value(catalog, catalog.field(name, "plan"), written.value)
