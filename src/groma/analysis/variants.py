"""Variants of a run, alternative operations, or programs side by side: times at the same sizes, and their ratios."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

from groma.analysis.compare import MARGIN, Judged, by_round
from groma.analysis.grouping import BLOCK_FIELDS
from groma.analysis.rounds import Pair, Rounds, StatesRemark, judged_rounds, rounds_in_one_state
from groma.analysis.series import Series, series, settings
from groma.analysis.summary import PointSummary, summarise
from groma.plan.parts import call_of
from groma.results import Run
from groma.text.counts import counted

_Figures = tuple[list[Rounds | None], StatesRemark | None]


@dataclass(frozen=True)
class SideBySide:
    """Curves that differ in the variant, the operation or the program alone, by its name.

    `pairs` holds for two of them the time of the second over that of the first, at each size that both have: all pairs,
    or of programs those with the first one. All ratios of a run are one family of comparisons. `margin` is what
    verdicts call the same, relative; 0 unless libraries are compared: any difference counts. `call` is what programs
    measure, and empty for others; `separate` runs are compared launch by launch, not by rounds. `states` says how many
    ratios count, if the machine was in several states.
    """

    curves: dict[str, Series]
    pairs: dict[tuple[str, str], dict[int | None, Judged]]
    margin: float = 0.0
    title: str = ""
    call: str = ""
    separate: bool = False
    states: str = ""

    @property
    def ratios(self) -> dict[str, dict[int | None, Judged]]:
        """The time of every other one over that of the first, by size."""
        return {other: by_size for (first, other), by_size in self.pairs.items() if first == self.first}

    @property
    def points(self) -> list[PointSummary]:
        """The points of all curves."""
        return [point for curve in self.curves.values() for point in curve.points]

    @property
    def first(self) -> str:
        """The variant, operation or program that is first in the plan."""
        return next(iter(self.curves))

    @property
    def kind(self) -> Literal["variant", "operation", "program"]:
        """What is compared."""
        if self.call:
            return "program"
        return "variant" if len({curve.operation.name for curve in self.curves.values()}) == 1 else "operation"

    @property
    def short_names(self) -> dict[str, str]:
        """The names without what the names of operations have in common before a slash."""
        stems = {name.rpartition("/")[0] for name in self.curves}
        is_shared = self.kind == "operation" and len(stems) == 1
        return {name: name.rpartition("/")[2] if is_shared else name for name in self.curves}

    @property
    def ranks(self) -> int:
        """The ranks of the launches."""
        return self.curves[self.first].points[0].ranks

    @property
    def sizes(self) -> list[int | None]:
        """The message sizes of all curves, ascending."""
        sizes = {point.bytes for point in self.points}
        return sorted(sizes, key=lambda size: size or 0)

    def point(self, variant: str, size: int | None) -> PointSummary | None:
        """Return what one of them has at a size."""
        return next((point for point in self.curves[variant].points if point.bytes == size), None)


@dataclass(frozen=True)
class _Family:
    """Curves to be compared, and what they are called together."""

    title: str
    curves: dict[str, Series]
    call: str = ""


def side_by_side(run: Run, curves: list[Series]) -> list[SideBySide]:
    """Return every set of curves that differ in the variant alone, in the order of the plan, then in the operation.

    If the variants are programs, a set is all that they call the same. Operations are alternatives if they do the same
    work (`Operation.work`), in a run that is of no profile: profiles have answers of their own.
    """
    figures = partial(_in_turns, run)
    if run.meta.programs:
        own = {
            variant.name: [curve for curve in curves if curve.variant == variant.name] for variant in run.meta.variants
        }
        return _judged(_of_calls(own), figures, _with_first)
    families = [*_of_variants(run, curves), *([] if run.meta.profile else _of_operations(curves))]
    return _judged(families, figures, _of_all, margin=MARGIN if run.meta.libraries else 0.0)


def _of_variants(run: Run, curves: Iterable[Series]) -> list[_Family]:
    """Return the curves that differ in the variant alone, by its name."""
    order = {variant.name: place for place, variant in enumerate(run.meta.variants)}
    families: dict[str, dict[str, Series]] = {}
    for curve in curves:
        if curve.variant is not None:
            families.setdefault(curve.family, {})[curve.variant] = curve
    ordered = [
        dict(sorted(family.items(), key=lambda item: order.get(item[0], len(order)))) for family in families.values()
    ]
    return [
        _Family(family[first].label.replace(f" \N{MIDDLE DOT} {first}", ""), family)
        for family in ordered
        if len(family) > 1 and (first := next(iter(family)))
    ]


def _of_operations(curves: Iterable[Series]) -> list[_Family]:
    """Return the curves that differ in the operation alone, and do the same work, by the operation's name."""
    families: dict[tuple[object, str], dict[str, Series]] = {}
    for curve in curves:
        own = json.dumps(settings(curve.points[0]) | {"operation": ""}, sort_keys=True)
        families.setdefault((curve.operation.work, own), {})[curve.operation.name] = curve
    return [_Family(_title(family), family) for family in families.values() if len(family) > 1]


def _title(family: Mapping[str, Series]) -> str:
    """Return the names of operations as one: `halo/*` if they have their beginning in common."""
    stems = {name.partition("/")[0] for name in family}
    names = f"{stems.pop()}/*" if len(stems) == 1 and all("/" in name for name in family) else ", ".join(family)
    first = next(iter(family.items()))
    return f"{names}{first[1].label.removeprefix(first[0])}"


def programs_of(runs: Sequence[Run]) -> dict[str, Run]:
    """Return the runs by the program whose methods they have: its profile's name, or its layout's; "" for neither.

    A run of several profiles is as many. If two are of one program, their folders are named too.
    """
    parts = [part for run in runs for part in (run.by_variant().values() if run.meta.programs else [run])]
    names = [part.meta.profile or part.meta.style or "" for part in parts]
    return {
        name if names.count(name) == 1 else f"{name} {part.path.name}".strip(): part
        for name, part in zip(names, parts, strict=True)
    }


def runs_side_by_side(programs: Mapping[str, Run]) -> list[SideBySide]:
    """Return what separate runs of several programs measured, by call and number of ranks."""
    curves = {name: series(summarise(run)) for name, run in programs.items()}
    return _judged(_of_calls(curves), _apart, _with_first, separate=True)


def _of_calls(programs: Mapping[str, Iterable[Series]]) -> list[_Family]:
    """Return what several programs measured of each call, on each number of ranks, by the first way of each."""
    found: dict[tuple[str, int], dict[str, list[Series]]] = {}
    for name, curves in programs.items():
        for curve in curves:
            key = call_of(curve.operation.name), curve.points[0].ranks
            found.setdefault(key, {}).setdefault(name, []).append(curve)
    return [
        _Family(f"{call}, {counted(ranks, 'rank')}", {name: _first_way(curves) for name, curves in own.items()}, call)
        for (call, ranks), own in found.items()
        if len(own) > 1
    ]


def _first_way(curves: Sequence[Series]) -> Series:
    """Return the first curve and those of other sizes that differ in how many calls a sample has, as one."""
    points = {point.bytes: point for curve in curves if _way(curve) == _way(curves[0]) for point in curve.points}
    return Series(curves[0].label, sorted(points.values(), key=lambda point: point.bytes or 0))


def _way(curve: Series) -> dict[str, object]:
    point = curve.points[0]
    return {name: value for name, value in settings(point).items() if name not in BLOCK_FIELDS} | {
        "operation": point.operation
    }


def _with_first(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(names[0], other) for other in names[1:]]


def _of_all(names: Sequence[str]) -> list[tuple[str, str]]:
    return list(combinations(names, 2))


@dataclass(frozen=True)
class _Asked:
    """What is compared: two of the curves of a family, by its place and their names, at a size."""

    family: int
    names: tuple[str, str]
    points: Pair

    @property
    def size(self) -> int | None:
        """The message size in bytes."""
        return self.points[0].bytes


def _judged(
    families: Sequence[_Family],
    figures_of: Callable[[Sequence[_Asked]], _Figures],
    pairs_of: Callable[[Sequence[str]], list[tuple[str, str]]],
    *,
    margin: float = 0.0,
    separate: bool = False,
) -> list[SideBySide]:
    """Compare pairs of every family, all of them as one family of comparisons."""
    pairs = [pairs_of(list(family.curves)) for family in families]
    asked = [
        _Asked(place, names, points)
        for place, family in enumerate(families)
        for names in pairs[place]
        for points in _common(*(family.curves[name] for name in names))
    ]
    figures, states = figures_of(asked)
    judged = judged_rounds(figures, [one.points for one in asked], margin)
    ratios: list[dict[tuple[str, str], dict[int | None, Judged]]] = [{names: {} for names in own} for own in pairs]
    for one, ratio in zip(asked, judged, strict=True):
        if ratio.comparison.launches:
            ratios[one.family][one.names][one.size] = ratio
    brief = states.brief if states else ""
    return [
        SideBySide(family.curves, by_pair, margin, family.title, family.call, separate, brief)
        for family, by_pair in zip(families, ratios, strict=True)
    ]


def _common(first: Series, other: Series) -> list[Pair]:
    """Return the points of two curves at the sizes that both have."""
    before = {point.bytes: point for point in first.points}
    return [(before[point.bytes], point) for point in other.points if point.bytes in before]


def _in_turns(run: Run, asked: Sequence[_Asked]) -> _Figures:
    """Return the figures of a run's rounds, whose launches were in one state of the machine."""
    parts = run.by_variant()
    sides = [(parts.get(one.names[0], run), parts.get(one.names[1], run)) for one in asked]
    return rounds_in_one_state(sides, [one.points for one in asked], run.meta.round_length)


def _apart(asked: Sequence[_Asked]) -> _Figures:
    """Return the figures of two runs: no launch of one belongs to a launch of the other."""
    rounds = [tuple(map(by_round, one.points)) for one in asked]
    return [(first, {-at - 1: time for at, time in other.items()}) for first, other in rounds], None
