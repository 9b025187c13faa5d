"""The variants of a run side by side: the same points, and how many times the first variant's time each other takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.order import Interval, median_interval
from groma.analysis.paired import SIGNIFICANCE, holm, signed_rank

if TYPE_CHECKING:
    from groma.analysis.series import Series
    from groma.analysis.summary import PointSummary
    from groma.results import Run


@dataclass(frozen=True)
class Ratio:
    """One variant's time over the first one's, with the interval over rounds of launches; None below six rounds.

    `p` is that of the signed-rank test over rounds, corrected after Holm for all ratios of the run.
    """

    value: float
    interval: Interval | None
    p: float

    @property
    def differs(self) -> bool:
        """Whether the two variants differ, with 5 % for all ratios of the run together."""
        return self.interval is not None and self.p < SIGNIFICANCE and 1.0 not in self.interval


@dataclass(frozen=True)
class SideBySide:
    """Curves that differ in the variant alone, by its name; the others are compared with the first.

    `ratios` holds for every other variant the ratio at each size that both have in at least one round.
    """

    curves: dict[str, Series]
    ratios: dict[str, dict[int | None, Ratio]]

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
    found = []
    for family in families.values():
        sorted_curves = dict(sorted(family.items(), key=lambda item: order.get(item[0], len(order))))
        if len(sorted_curves) > 1:
            first, *others = sorted_curves
            ratios = {
                name: _ratios(sorted_curves[first], sorted_curves[name], run.meta.round_length) for name in others
            }
            found.append(SideBySide(sorted_curves, ratios))
    return _corrected(found)


def _corrected(found: list[SideBySide]) -> list[SideBySide]:
    """Return the same with the p of every ratio corrected for all ratios."""
    ratios = [ratio for both in found for by_size in both.ratios.values() for ratio in by_size.values()]
    corrected = iter(holm([ratio.p for ratio in ratios]))
    return [
        SideBySide(
            both.curves,
            {
                name: {size: replace(ratio, p=next(corrected) or 0.0) for size, ratio in by_size.items()}
                for name, by_size in both.ratios.items()
            },
        )
        for both in found
    ]


def _ratios(first: Series, other: Series, round_length: int) -> dict[int | None, Ratio]:
    before = {point.bytes: point for point in first.points}
    pairs = [(before[point.bytes], point) for point in other.points if point.bytes in before]
    found = {after.bytes: ratio_by_rounds(reference, after, round_length) for reference, after in pairs}
    return {size: ratio for size, ratio in found.items() if ratio is not None}


def ratio_by_rounds(first: PointSummary, other: PointSummary, round_length: int) -> Ratio | None:
    """Return the median over rounds of other / first, each of launches of one round; None where no round has both.

    The launches of a round stand next to each other in time, so what changes slowly on the machine cancels.
    """
    mine, theirs = (
        {(launch.launch - 1) // round_length: launch.figure_ns for launch in point.launches} for point in (first, other)
    )
    ratios = [theirs[place] / mine[place] for place in sorted(mine.keys() & theirs.keys()) if mine[place] > 0]
    return Ratio(float(np.median(ratios)), median_interval(ratios), signed_rank(np.log(ratios))) if ratios else None
