"""In which factors two profiles measure one operation differently, and the points that separate their effects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from groma.analysis.grouping import BLOCK_FIELDS, EFFORT_FIELDS, size_of
from groma.catalog import Catalog
from groma.catalog.reporting import Reporting
from groma.catalog.values import write_value
from groma.errors import InputError
from groma.plan import Draft, expand
from groma.plan.method import methods_of
from groma.plan.parts import call_of
from groma.text.sizes import format_size

MOST_FACTORS = 5
# Fields that change the precision of a figure, or nothing at all, but not what is measured.
NO_FACTORS = EFFORT_FIELDS | {"bytes", "force", "check", "per_rank"}


class _Form(msgspec.Struct, forbid_unknown_fields=True):
    """An operation that is another one called in another way: the factor that it makes, and what is said of it."""

    factor: str
    with_it: str
    without: str


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """factors.toml."""

    forms: dict[str, _Form]
    merges: list[tuple[str, str]]
    belongs: dict[str, str]
    said: dict[str, dict[str, str]]


_TABLE = msgspec.toml.decode(Path(__file__).with_name("factors.toml").read_bytes(), type=_Table)
_ALONG = {*_TABLE.belongs, "outlier_factor"}

Setting = dict[str, Any]
# Says which of some points cannot be measured, by their places.
Judge = Callable[[Sequence[Setting]], Iterable[int]]


@dataclass(frozen=True)
class Change:
    """One factor: what it is called, and its settings on either side."""

    name: str
    before: Setting
    after: Setting

    def words(self) -> str:
        """Return `cold cache` or `window instead of barrier`, without settings that only accompany a factor."""
        shown = [name for name in self.before if name not in _ALONG] or list(self.before)
        if "operation" in shown and (owner := self._form().factor) in shown and owner != "operation":
            shown.remove(owner)
        if len(shown) > 1 and self.after.get("outliers") == "keep":
            shown.remove("outliers")
        return " and ".join(_words(name, self.before[name], self.after[name]) for name in shown)

    def _form(self) -> _Form:
        return _form(self.before["operation"], self.after["operation"])

    def settings(self) -> str:
        """Return every field with its values on both sides, as they are written in a plan."""
        return ", ".join(f"{f}: {_plain(self.before[f])} → {_plain(self.after[f])}" for f in self.before)


@dataclass(frozen=True)
class MethodPair:
    """Two methods for one operation: `common` settings and the changes that lead from the first to the second.

    A subset of the changes is a bit mask; `refused` are those whose points cannot be measured. Effort, how long to
    measure, is common too: it is no factor.
    """

    names: tuple[str, str]
    common: Setting
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    refused: frozenset[int] = frozenset()

    def settings(self, mask: int) -> Setting:
        """Return all settings with the changes of `mask` made."""
        chosen = [change.after if mask >> bit & 1 else change.before for bit, change in enumerate(self.changes)]
        return self.common | {name: value for setting in chosen for name, value in setting.items()}

    def point(self, mask: int) -> Setting:
        """Return the point that is measured with the changes of `mask`; several masks may share it."""
        return {name: value for name, value in self.settings(mask).items() if name not in REPORT_FIELDS}

    def reporting(self, mask: int) -> Reporting:
        """Return how the samples become a figure with the changes of `mask`."""
        settings = self.settings(mask)
        return Reporting(**{name: settings[name] for name in REPORT_FIELDS})

    def possible(self) -> frozenset[int]:
        """Return the masks whose points are legal."""
        return frozenset(range(1 << len(self.changes))) - self.refused

    def judged(self, judge: Judge) -> MethodPair:
        """Return the pair with the masks whose points the judge refuses: it is asked once, about all of them."""
        points = [self.point(mask) for mask in range(1 << len(self.changes))]
        return replace(self, refused=frozenset(judge(points)))

    @property
    def operation(self) -> str:
        """Return the operation that both sides measure, in whatever form."""
        return call_of(str(self.settings(0)["operation"]))

    @property
    def what(self) -> str:
        """Return `bcast at 1 KiB`."""
        size = size_of(self.settings(0))
        return self.operation + ("" if size is None else f" at {format_size(size)}")


REPORT_FIELDS = tuple(field.name for field in msgspec.structs.fields(Reporting))


def pair_methods(
    drafts: tuple[Draft, Draft],
    operation: str,
    size: int | None,
    effort: Setting,
    catalog: Catalog,
    *,
    crowded: bool = False,
) -> MethodPair:
    """Return how two profiles differ in one operation; raises InputError if one of them does not measure it.

    `effort` says for both how long to measure, and `size` what; each method is the profile's first at the nearest size,
    or if `crowded` ranks share CPUs, its first without windows, which could not be kept.
    """
    operation = call_of(operation)
    methods = [_methods(draft, operation, size, catalog) for draft in drafts]
    sides = [_kept(draft, ways) if crowded else ways[0] for draft, ways in zip(drafts, methods, strict=True)]
    notes = tuple(
        f"{draft.name} starts {operation} by windows, which cannot be met with more ranks than CPUs; its "
        f"sync={side['sync']} is compared instead."
        for draft, ways, side in zip(drafts, methods, sides, strict=True)
        if side is not ways[0]
    )
    used = catalog.operation(str(sides[0]["operation"])).uses
    idle = catalog.payload - set(used)
    asked = effort | ({"bytes": size} if size is not None else {})
    before, after = ({name: value for name, value in side.items() if name not in idle} | asked for side in sides)
    return replace(between((drafts[0].name, drafts[1].name), before, after), notes=notes)


def between(names: tuple[str, str], before: Setting, after: Setting) -> MethodPair:
    """Return how two methods of one operation differ; both have the same fields, and those of the report."""
    differing = [name for name in before if name not in NO_FACTORS and before[name] != after[name]]
    if "block" not in (before["timing"], after["timing"]):
        differing = [name for name in differing if name not in BLOCK_FIELDS]
    owners = {name: _owner(name, differing) for name in differing}
    if "operation" in differing:
        owners["operation"] = _form(before["operation"], after["operation"]).factor
    changes = merge(owners)
    return MethodPair(
        names=names,
        common={name: value for name, value in before.items() if name not in differing},
        changes=tuple(
            Change(name, {f: before[f] for f in fields}, {f: after[f] for f in fields})
            for name, fields in changes.items()
        ),
    )


def merge(owners: dict[str, str]) -> dict[str, list[str]]:
    """Return factors with their fields, made from fields with the factor each belongs to; at most MOST_FACTORS."""
    factors: dict[str, list[str]] = {}
    for field, owner in owners.items():
        factors.setdefault(owner, []).append(field)
    for source, target in itertools.chain(_TABLE.merges, itertools.pairwise(list(factors))):
        if len(factors) <= MOST_FACTORS:
            break
        if source in factors and target in factors:
            factors[target] = factors.pop(source) + factors[target]
    return factors


def _owner(name: str, differing: list[str]) -> str:
    if name in ("outliers", "outlier_factor"):
        return "estimator"
    owner = _TABLE.belongs.get(name)
    return owner if owner in differing else name


def _methods(draft: Draft, operation: str, size: int | None, catalog: Catalog) -> list[Setting]:
    """Return all settings by which the profile measures the operation, at the size nearest to the one asked.

    All forms of it are the same operation; what the profile has first comes first.
    """
    plan = expand(draft, catalog)
    named = dict.fromkeys(str(point["operation"]) for point in plan.points)
    names = [name for name in named if call_of(name) == operation] or [operation]  # a form of one that it measures
    methods = [method for name in names for method in methods_of(plan, name, size, catalog)]
    if not methods:
        raise InputError(f"the profile {draft.name} does not measure {operation}; see groma list {draft.name}")
    return [method | msgspec.structs.asdict(plan.reporting) for method in methods]


def _kept(draft: Draft, ways: list[Setting]) -> Setting:
    """Return the first way without windows."""
    for way in ways:
        if way["sync"] != "window":
            return way
    why = "which cannot be met with more ranks than CPUs; use fewer ranks or --set sync=barrier"
    raise InputError(f"{draft.name} starts this by windows, {why}")


def _form(one: str, other: str) -> _Form:
    """Return what distinguishes two forms of one operation."""
    plain, form = sorted((one, other), key=len)
    return _TABLE.forms[form.removeprefix(plain)]


def _words(name: str, before: object, after: object) -> str:
    if name == "operation":
        form = _form(str(before), str(after))
        return form.with_it if len(str(after)) > len(str(before)) else form.without
    return _TABLE.said.get(name, {}).get(str(after)) or f"{name} {_plain(after)} instead of {_plain(before)}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else write_value(value)
