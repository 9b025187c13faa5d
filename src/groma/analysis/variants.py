"""Variants of a run, or programs, side by side: the same points, and how many times the first one's time each takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from groma.analysis.compare import MARGIN, Comparison, Judged, by_round, compare, judge
from groma.analysis.grouping import BLOCK_FIELDS
from groma.analysis.series import Series, series, settings
from groma.analysis.summary import PointSummary, summarise
from groma.plan.parts import call_of
from groma.results import Run
from groma.text.counts import counted

Compared = list[tuple[int | None, Comparison]]


@dataclass(frozen=True)
class SideBySide:
    """Curves that differ in the variant or the program alone, by its name; the others are compared with the first.

    `ratios` holds for every other one its time over the first one's, at each size that both have; all ratios of a
    run are one family of comparisons. `margin` is what verdicts call the same, relative; 0 for settings of one library,
    and for programs, where any difference counts. `call` is what programs measure, and empty for variants; `separate`
    runs are compared launch by launch, not by rounds.
    """

    curves: dict[str, Series]
    ratios: dict[str, dict[int | None, Judged]]
    margin: float = 0.0
    title: str = ""
    call: str = ""
    separate: bool = False

    @property
    def first(self) -> str:
        """The variant or program that the others are compared with."""
        return next(iter(self.curves))

    @property
    def ranks(self) -> int:
        """The ranks of the launches."""
        return self.curves[self.first].points[0].ranks

    @property
    def sizes(self) -> list[int | None]:
        """The message sizes of all variants, ascending."""
        sizes = {point.bytes for curve in self.curves.values() for point in curve.points}
        return sorted(sizes, key=lambda size: size or 0)

    def point(self, variant: str, size: int | None) -> PointSummary | None:
        """Return what one variant has at a size."""
        return next((point for point in self.curves[variant].points if point.bytes == size), None)


@dataclass(frozen=True)
class _Family:
    """Curves to be compared, and what they are called together."""

    title: str
    curves: dict[str, Series]
    call: str = ""


def side_by_side(run: Run, curves: list[Series]) -> list[SideBySide]:
    """Return every set of curves that differ in the variant alone, in the order of the plan.

    If the variants are programs, a set is all that they call the same.
    """
    names = [variant.name for variant in run.meta.variants]
    of_rounds = _by_rounds(run.meta.round_length)
    if run.meta.programs:
        own = {name: [curve for curve in curves if curve.variant == name] for name in names}
        return _judged(_of_calls(own), of_rounds)
    families: dict[str, dict[str, Series]] = {}
    for curve in curves:
        if curve.variant is not None:
            families.setdefault(curve.family, {})[curve.variant] = curve
    order = {name: place for place, name in enumerate(names)}
    ordered = [
        dict(sorted(family.items(), key=lambda item: order.get(item[0], len(order)))) for family in families.values()
    ]
    titled = [
        _Family(family[first].label.replace(f" \N{MIDDLE DOT} {first}", ""), family)
        for family in ordered
        if len(family) > 1 and (first := next(iter(family)))
    ]
    return _judged(titled, of_rounds, margin=MARGIN if run.meta.libraries else 0.0)


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
    return _judged(_of_calls(curves), _by_launches, separate=True)


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


def _judged(
    families: Sequence[_Family],
    comparisons: Callable[[Series, Series], Compared],
    *,
    margin: float = 0.0,
    separate: bool = False,
) -> list[SideBySide]:
    """Compare the variants of every family with its first, all of them as one family of comparisons."""
    compared = [
        (place, name, size, comparison)
        for place, family in enumerate(families)
        for name, curve in [*family.curves.items()][1:]
        for size, comparison in comparisons(next(iter(family.curves.values())), curve)
        if comparison.launches
    ]
    judged = judge([comparison for *_, comparison in compared], margin=margin)
    ratios: list[dict[str, dict[int | None, Judged]]] = [
        {name: {} for name in [*family.curves][1:]} for family in families
    ]
    for (place, name, size, _), ratio in zip(compared, judged, strict=True):
        ratios[place][name][size] = ratio
    return [
        SideBySide(family.curves, by_name, margin, family.title, family.call, separate)
        for family, by_name in zip(families, ratios, strict=True)
    ]


def _by_rounds(round_length: int) -> Callable[[Series, Series], Compared]:
    """Return what compares every point that two curves have, in pairs of launches of one round."""

    def comparisons(first: Series, other: Series) -> Compared:
        before = {point.bytes: by_round(point, round_length) for point in first.points}
        return [
            (point.bytes, compare(by_round(point, round_length), before[point.bytes]))
            for point in other.points
            if point.bytes in before
        ]

    return comparisons


def _by_launches(first: Series, other: Series) -> Compared:
    """Compare every point that the curves of two runs have: no launch of one belongs to a launch of the other."""
    before = {point.bytes: by_round(point) for point in first.points}
    return [
        (point.bytes, compare({-at - 1: time for at, time in by_round(point).items()}, before[point.bytes]))
        for point in other.points
        if point.bytes in before
    ]
