"""One run against another, or two variants of a run: every point that both have, judged as one family."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groma.analysis import series, summarise
from groma.analysis.compare import MARGIN, Between, by_round, compare, compare_runs, judge
from groma.counts import counted
from groma.decide.differences import Difference, differences
from groma.decide.matching import LeftOut, Pair, fine_enough, match
from groma.decide.sides import Side, one_plan
from groma.errors import InputError
from groma.explain.caveats import caveats
from groma.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.analysis import PointSummary
    from groma.analysis.compare import Comparison, Judged
    from groma.analysis.compare.runs import Basis
    from groma.analysis.order import Interval
    from groma.results import Run

_MOST_REASONS, _MOST_NAMED = 3, 6


@dataclass(frozen=True)
class Row:
    """A point of both sides and the verdict on the second: how many times the first side's time it takes.

    `basis` says for what the verdict holds; `label` tells the curve of the point from others of the operation.
    """

    label: str
    one: PointSummary
    other: PointSummary
    judged: Judged
    basis: Basis
    curve: str = ""

    @property
    def times_ns(self) -> tuple[float, float]:
        """The figures of both sides: means over runs where runs are compared, else medians over launches."""
        shift = self.judged.comparison.shift
        if isinstance(shift, Between):
            return shift.figures[1], shift.figures[0]
        return self.one.time_ns, self.other.time_ns

    @property
    def ratio(self) -> float:
        """The second side's time over the first's."""
        return self.judged.comparison.ratio

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the ratio."""
        return self.judged.comparison.interval

    @property
    def words(self) -> str:
        """The verdict in full; one that holds for these two runs alone says so."""
        alone = self.basis == "these runs" and self.judged.verdict != "not decided"
        return self.judged.words() + (", in these runs" if alone else "")


@dataclass(frozen=True)
class Compared:
    """Two sides with all that can be said of them; `names` are those of the first and the second side."""

    names: tuple[str, str]
    margin: float
    rows: list[Row]
    left_out: list[LeftOut]
    differences: list[Difference]
    remarks: list[str]

    @property
    def sentences(self) -> list[str]:
        """What to know of the verdicts: for what they hold, what is missing, and what disturbed the launches."""
        return [*_of_basis(self.rows), *self.remarks]

    def count(self, verdict: str) -> int:
        """Return how many points have a verdict."""
        return sum(row.judged.verdict == verdict for row in self.rows)

    def summary(self) -> str:
        """Return the counts of the verdicts in one sentence."""
        parts = [f"{self.count(verdict)} {verdict}" for verdict in ("slower", "faster")]
        parts += [f"{self.count('same')} the same within {100 * self.margin:g} %"]
        parts += [f"{self.count('not decided')} not decided"]
        return f"{self.names[1]} against {self.names[0]}, {counted(len(self.rows), 'point')}: {', '.join(parts)}."


def compare_sides(one: Side, other: Side, margin: float = MARGIN) -> Compared:
    """Compare the second side with the first; raises InputError where they have no point in common."""
    one, other = one.beside(other), other.beside(one)
    names = (one.name, other.name)
    pairs, left_out = match(names, one.summaries, other.summaries)
    pairs, coarse = fine_enough(names, pairs, margin)
    left_out += coarse
    _refuse_nothing(names, pairs, left_out)
    shared = one_plan(one, other)
    found = [compare_runs(other.sample(b), one.sample(a), one_plan=shared) for a, b in pairs]
    judged = judge([comparison for comparison, _ in found], margin)
    labels = _labels([a for a, _ in pairs])
    rows = [
        Row(label, a, b, verdict, basis, curve)
        for (label, curve), (a, b), verdict, (_, basis) in zip(labels, pairs, judged, found, strict=True)
    ]
    remarks = [*_of_gaps((one, other)), *_of_rounding(pairs), *caveats([*one.runs, *other.runs])]
    return Compared(names, margin, rows, left_out, differences(one.run, other.run), remarks)


def compare_variants(run: Run, between: tuple[str, str], margin: float = MARGIN) -> Compared:
    """Compare two variants of a run, in pairs of launches of one round.

    Raises InputError where the run has no such variant, or the two have no point in common.
    """
    parts = run.by_variant()
    for name in between:
        if name not in parts:
            known = f"it has {', '.join(parts)}" if parts else "it has none; measure with --variant or --placement"
            raise InputError(f"{run.path} has no variant {name}: {known}")
    if between[0] == between[1]:
        raise InputError(f"--between {between[0]} {between[1]} names one variant twice; name two")
    one, other = (summarise(parts[name]) for name in between)
    pairs, left_out = match(between, one, other, variants=False)
    _refuse_nothing(between, pairs, left_out)
    rounds = run.meta.round_length
    found = [compare(by_round(b, rounds), by_round(a, rounds)) for a, b in pairs]
    labels = _labels([a for a, _ in pairs])
    rows = [
        Row(label, a, b, verdict, "rounds", curve)
        for (label, curve), (a, b), verdict in zip(labels, pairs, judge(found, margin), strict=True)
    ]
    told = [
        difference for difference in differences(parts[between[0]], parts[between[1]]) if difference.what != "measured"
    ]
    return Compared(between, margin, rows, left_out, told, [*run.missing(), *caveats([run])])


def again(compared: Compared, comparisons: Sequence[tuple[Row, Comparison, Basis]]) -> Compared:
    """Return the same with some rows judged anew, each still one comparison among all of them."""
    judged = judge([comparison for _, comparison, _ in comparisons], compared.margin, len(compared.rows))
    new = {
        id(row): replace(row, judged=verdict, basis=basis)
        for (row, _, basis), verdict in zip(comparisons, judged, strict=True)
    }
    return replace(compared, rows=[new.get(id(row), row) for row in compared.rows])


def _refuse_nothing(names: tuple[str, str], pairs: Sequence[object], left_out: Sequence[LeftOut]) -> None:
    if pairs:
        return
    shown = [left.words() for left in left_out[:_MOST_REASONS]]
    more = [f"{len(left_out) - len(shown)} more reasons"] if len(left_out) > len(shown) else []
    why = "; ".join([*shown, *more]) or "neither measured anything"
    if left_out and all(left.alone for left in left_out):
        why = f"they measured no operation in common ({', '.join(left.operation for left in left_out[:_MOST_NAMED])})"
    raise InputError(f"{names[0]} and {names[1]} have no point that can be compared: {why}")


def _labels(points: list[PointSummary]) -> list[tuple[str, str]]:
    """Return for every point its name in tables, and that of its curve."""
    curves = {id(point): curve.label for curve in series(points) for point in curve.points}
    found = []
    for point in points:
        size = "" if point.bytes is None else f" {format_size(point.bytes)}"
        name, _, rest = curves[id(point)].partition(" ")
        found.append((f"{name}{size} {rest}".rstrip(), curves[id(point)]))
    return found


def _of_basis(rows: Sequence[Row]) -> list[str]:
    """Say for what the verdicts hold."""
    alone = sum(row.basis == "these runs" for row in rows)
    shifts = [row.judged.comparison.shift for row in rows]
    known = [100 * shift.deviation for shift in shifts if isinstance(shift, Between)]
    said = []
    if known:
        of_these = f" of {counted(len(known), 'point')}" if alone else ""
        said.append(
            f"Intervals{of_these} include how much runs differ: {min(known):.1f} to {max(known):.1f} % (one sigma)."
        )
    if alone:
        of_these = f" at {counted(alone, 'point')}" if known else ""
        said.append(
            f"How much runs differ{of_these} is not known: two runs one after another on this machine may differ by "
            "more than their launches show, so these verdicts hold in these runs. Three or more runs of one plan in a "
            "folder, or runs with --every, show it."
        )
    if not known and not alone:
        said.append("Launches of both took turns, and are compared in pairs of one round.")
    return said


def _of_rounding(pairs: Sequence[Pair]) -> list[str]:
    """Say by how much printed figures may be off, which no interval includes."""
    most = max((point.rounding for pair in pairs for point in pair), default=0.0)
    return [f"Printed figures are rounded, by up to {most:.1%} here: intervals do not include it."] if most else []


def _of_gaps(sides: Sequence[Side]) -> list[str]:
    """Say of every run what is missing of it."""
    return [
        f"{side.name}: {gap}" if len(side.runs) == 1 else f"{side.name}, {run.path.name}: {gap}"
        for side in sides
        for run in side.runs
        for gap in run.missing()[:1]
    ]
