"""The variants of a run side by side: the same points, and how many times the first variant's time each other takes."""

from __future__ import annotations

from dataclasses import dataclass

from groma.analysis.compare import MARGIN, Comparison, Judged, by_round, compare, judge
from groma.analysis.series import Series
from groma.analysis.summary import PointSummary
from groma.results import Run


@dataclass(frozen=True)
class SideBySide:
    """Curves that differ in the variant alone, by its name; the others are compared with the first.

    `ratios` holds for every other variant its time over the first one's, at each size that both have; all ratios of a
    run are one family of comparisons. `margin` is what verdicts call the same, relative; 0 for settings of one library,
    where any difference counts.
    """

    curves: dict[str, Series]
    ratios: dict[str, dict[int | None, Judged]]
    margin: float = 0.0

    @property
    def first(self) -> str:
        """The variant that the others are compared with."""
        return next(iter(self.curves))

    @property
    def sizes(self) -> list[int | None]:
        """The message sizes of all variants, ascending."""
        sizes = {point.bytes for curve in self.curves.values() for point in curve.points}
        return sorted(sizes, key=lambda size: size or 0)

    def point(self, variant: str, size: int | None) -> PointSummary | None:
        """Return what one variant has at a size."""
        return next((point for point in self.curves[variant].points if point.bytes == size), None)


def side_by_side(run: Run, curves: list[Series]) -> list[SideBySide]:
    """Return every set of curves that differ in the variant alone, in the order of the plan."""
    order = {variant.name: place for place, variant in enumerate(run.meta.variants)}
    families: dict[str, dict[str, Series]] = {}
    for curve in curves:
        if curve.variant is not None:
            families.setdefault(curve.family, {})[curve.variant] = curve
    ordered = [
        dict(sorted(family.items(), key=lambda item: order.get(item[0], len(order))))
        for family in families.values()
        if len(family) > 1
    ]
    return _judged(ordered, run.meta.round_length, MARGIN if run.meta.libraries else 0.0)


def _judged(families: list[dict[str, Series]], round_length: int, margin: float) -> list[SideBySide]:
    """Compare the variants of every family with its first, all of them as one family of comparisons."""
    compared = [
        (place, name, size, comparison)
        for place, family in enumerate(families)
        for name, curve in [*family.items()][1:]
        for size, comparison in _comparisons(next(iter(family.values())), curve, round_length)
    ]
    judged = judge([comparison for *_, comparison in compared], margin=margin)
    ratios: list[dict[str, dict[int | None, Judged]]] = [{name: {} for name in [*family][1:]} for family in families]
    for (place, name, size, _), ratio in zip(compared, judged, strict=True):
        ratios[place][name][size] = ratio
    return [SideBySide(family, by_name, margin) for family, by_name in zip(families, ratios, strict=True)]


def _comparisons(first: Series, other: Series, round_length: int) -> list[tuple[int | None, Comparison]]:
    """Return the size and the comparison of every point that both have, in pairs of launches of one round."""
    before = {point.bytes: by_round(point, round_length) for point in first.points}
    compared = [
        (point.bytes, compare(by_round(point, round_length), before[point.bytes]))
        for point in other.points
        if point.bytes in before
    ]
    return [(size, comparison) for size, comparison in compared if comparison.launches]
