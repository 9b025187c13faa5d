"""One run against another, or two variants or operations of a run: every point that both have, judged as one family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from groma.analysis import PointSummary, checks, summarise, verdict
from groma.analysis.compare import (
    CANNOT_TELL,
    MARGIN,
    SIGNIFICANCE,
    Between,
    Judged,
    Sample,
    compare,
    compare_runs,
    judge,
)
from groma.analysis.compare.runs import Basis
from groma.analysis.noise import caveats
from groma.analysis.order import Interval
from groma.analysis.remedies import further_launches
from groma.analysis.rounds import StatesRemark, judged_rounds, rounds_in_one_state
from groma.analysis.rows import median
from groma.analysis.series import point_labels
from groma.decide.matching import LeftOut, Pair, fine_enough, match
from groma.decide.onestate import samples_in_one_state
from groma.decide.sides import Side, one_history, same_conditions
from groma.decide.within import within
from groma.errors import InputError
from groma.results import Run
from groma.results.conditions import conditions
from groma.results.differences import Difference, differences
from groma.text.counts import counted
from groma.text.numbers import microseconds

_MOST_REASONS, _MOST_NAMED = 3, 6


@dataclass(frozen=True)
class Row:
    """A point of both sides and the verdict on the second: how many times the first side's time it takes.

    `basis` says for what the verdict holds; `label` distinguishes the curve of the point from others of the operation.
    `medians_ns` are those over the launches that are compared, if these are not all.
    """

    label: str
    first: PointSummary
    second: PointSummary
    judged: Judged
    basis: Basis
    curve: str = ""
    medians_ns: tuple[float, float] | None = None

    @property
    def in_one_state(self) -> bool:
        """False if both sides have no state of the machine in common."""
        return self.judged.in_one_state

    @property
    def verdict(self) -> str:
        """The verdict: one of `Verdict`, or `CANNOT_TELL`."""
        return self.judged.verdict if self.in_one_state else CANNOT_TELL

    @property
    def times_ns(self) -> tuple[float, float]:
        """The figures of both sides: means over runs if runs are compared, else medians over launches."""
        shift = self.judged.comparison.shift
        if isinstance(shift, Between):
            return shift.figures[1], shift.figures[0]
        return self.medians_ns or (self.first.time_ns, self.second.time_ns)

    @property
    def ratio(self) -> float:
        """The second side's time over the first's."""
        return self.judged.comparison.ratio

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the ratio; None if there is none, or nothing can be said of the ratio."""
        return self.judged.comparison.interval

    @property
    def words(self) -> str:
        """The verdict in words; it says if it holds for these runs only."""
        if self.basis != "these runs" or not self.in_one_state:
            return self.judged.words()
        if self.judged.verdict == "not decided":
            return "not decided (needs more runs)"
        return f"{self.judged.words()}, in these runs"

    @property
    def further(self) -> int | None:
        """About how many more launches or runs would decide; None if more runs can, and nobody knows how many."""
        if not self.in_one_state:
            return 0
        open_ended = self.basis == "these runs" and self.judged.verdict == "not decided"
        return None if open_ended else self.judged.further_launches


@dataclass(frozen=True)
class Compared:
    """Two sides and their comparison; `names` are those of the first and the second side.

    `states` is there if the machine was in several states. `doubts` has a sentence for every run of which checks
    failed.
    """

    names: tuple[str, str]
    margin: float
    rows: list[Row]
    left_out: list[LeftOut]
    differences: list[Difference]
    remarks: list[str]
    states: StatesRemark | None = None
    doubts: Sequence[str] = ()

    @property
    def in_turns(self) -> bool:
        """True if launches of both sides took turns in one run."""
        return all(row.basis == "rounds" for row in self.rows)

    @property
    def sentences(self) -> list[str]:
        """Remarks on the verdicts: their scope, missing data, and disturbed launches."""
        states = [self.states.words] if self.states else []
        return [*_of_basis(self.rows), *_of_figures(self.rows), *states, *self.remarks]

    def count(self, verdict: str) -> int:
        """Return how many points have a verdict."""
        return sum(row.verdict == verdict for row in self.rows)

    def summary(self) -> str:
        """Return the counts of the verdicts in one sentence."""
        counts = [f"{self.count(verdict)} {verdict}" for verdict in ("slower", "faster")]
        counts += [f"{self.count('same')} the same within {100 * self.margin:g} %"]
        counts += [f"{self.count('not decided')} not decided"]
        if elsewhere := self.count(CANNOT_TELL):
            counts += [f"{elsewhere} in another state of the machine"]
        verdicts = f"{self.names[1]} against {self.names[0]}, {counted(len(self.rows), 'point')}: {', '.join(counts)}."
        return " ".join([*self.doubts, verdicts])


def compare_sides(first: Side, second: Side, margin: float = MARGIN) -> Compared:
    """Compare the second side with the first; raises InputError if they have no point in common."""
    first, second = first.beside(second), second.beside(first)
    names = (first.name, second.name)
    by_variant = any(len({point.variant for point in side.summaries}) > 1 for side in (first, second))
    pairs, left_out = match(names, first.summaries, second.summaries, but="" if by_variant else "variant")
    pairs, coarse = fine_enough(names, pairs, margin)
    left_out += coarse
    _refuse_nothing(names, pairs, left_out)
    samples, states = samples_in_one_state(first, second, pairs)
    found = judged_sides(first, second, pairs, samples, margin=margin)
    labels = point_labels([point for point, _ in pairs])
    kept_ns = [both and [np.exp(side.logs) for side in both] for both in samples]
    rows = [
        Row(label, *pair, verdict, basis, curve, _medians_ns(kept) if states else None)
        for (label, curve), pair, (verdict, basis), kept in zip(labels, pairs, found, kept_ns, strict=True)
    ]
    sides, runs = (first, second), [*first.runs, *second.runs]
    doubts, remarks = distrusted(runs), [*_of_files(sides), *_of_gaps(sides), *_of_rounding(pairs), *caveats(runs)]
    return Compared(names, margin, rows, left_out, differences(first.run, second.run), remarks, states, doubts)


def _medians_ns(figures_ns: Sequence[ArrayLike] | None) -> tuple[float, float] | None:
    """Return the medians of both sides' figures that are compared; None without figures."""
    return None if figures_ns is None else (median(figures_ns[0]), median(figures_ns[1]))


def compare_variants(run: Run, between: tuple[str, str], margin: float = MARGIN, looks: int = 1) -> Compared:
    """Compare two variants or operations of a run, in pairs of launches of one round in one state of the machine.

    Verdicts and intervals hold for `looks` at a run that grows. A point with too few such rounds has no verdict.
    Raises InputError if the run has no such names, or the two have no point in common.
    """
    two = within(run, between)
    pairs, left_out = match(between, *two.points, but=two.differ_in)
    _refuse_nothing(between, pairs, left_out)
    figures, states = rounds_in_one_state([two.runs] * len(pairs), pairs, run.meta.round_length)
    judged = judged_rounds(figures, pairs, margin, looks)
    labels = point_labels([point for point, _ in pairs], between if two.differ_in == "operation" else ())
    kept_ns = [both and [list(side.values()) for side in both] for both in figures]
    rows = [
        Row(label, *pair, verdict, "rounds", curve, _medians_ns(kept) if states else None)
        for (label, curve), pair, verdict, kept in zip(labels, pairs, judged, kept_ns, strict=True)
    ]
    differing = [difference for difference in differences(*two.runs) if difference.name != "measured"]
    further = [] if states else further_launches(row.judged for row in rows)
    remarks = [*two.remarks, *run.missing(), *caveats([run]), *further]
    return Compared(between, margin, rows, left_out, differing, remarks, states, distrusted([run]))


def judged_sides(
    first: Side,
    second: Side,
    pairs: Sequence[Pair],
    samples: Sequence[tuple[Sample, Sample] | None],
    *,
    margin: float,
    family: int | None = None,
) -> list[tuple[Judged, Basis]]:
    """Return a verdict on every point and for what it holds; a point without samples has one without an interval.

    `family` is the number of all comparisons, if these are a part that is made again.
    """
    how = {"one_history": one_history(first, second), "same_software": same_conditions(first, second)}
    known = [compare_runs(both[1], both[0], **how) for both in samples if both]
    judged = zip(judge([comparison for comparison, _ in known], margin, family), known, strict=True)
    found: list[tuple[Judged, Basis]] = []
    for (point, rival), both in zip(pairs, samples, strict=True):
        if both:
            verdict, (_, basis) = next(judged)
            found.append((verdict, basis))
        else:
            shown = compare({0: rival.time_ns}, {1: point.time_ns})
            found.append((Judged(shown, None, SIGNIFICANCE, margin, 0, in_one_state=False), "these runs"))
    return found


def again(first: Side, second: Side, compared: Compared, rows: Sequence[Row], family: int) -> Compared:
    """Return the comparison with some rows judged again on all runs, corrected for a family of so many tests."""
    pairs = [(row.first, row.second) for row in rows]
    samples, states = samples_in_one_state(first, second, pairs)
    found = judged_sides(first, second, pairs, samples, margin=compared.margin, family=family)
    changed = {
        id(row): replace(row, judged=verdict, basis=basis) for row, (verdict, basis) in zip(rows, found, strict=True)
    }
    return replace(compared, rows=[changed.get(id(row), row) for row in compared.rows], states=states)


def _refuse_nothing(names: tuple[str, str], pairs: Sequence[object], left_out: Sequence[LeftOut]) -> None:
    if pairs:
        return
    reasons = [entry.words() for entry in left_out[:_MOST_REASONS]]
    further = [f"{len(left_out) - len(reasons)} more reasons"] if len(left_out) > len(reasons) else []
    reason = "; ".join([*reasons, *further]) or "neither measured anything"
    if left_out and all(entry.alone for entry in left_out):
        reason = (
            f"they measured no operation in common ({', '.join(entry.operation for entry in left_out[:_MOST_NAMED])})"
        )
    raise InputError(f"{names[0]} and {names[1]} have no point that can be compared: {reason}")


def _of_basis(rows: Sequence[Row]) -> list[str]:
    """Say whether the verdicts hold beyond these runs."""
    rows = [row for row in rows if row.in_one_state]
    alone = sum(row.basis == "these runs" for row in rows)
    shifts = [row.judged.comparison.shift for row in rows]
    deviations = [100 * shift.deviation for shift in shifts if isinstance(shift, Between)]
    sentences = []
    if deviations:
        of_these = f" of {counted(len(deviations), 'point')}" if alone else ""
        spread = f"{min(deviations):.1f} to {max(deviations):.1f} % (one sigma)"
        sentences.append(f"Intervals{of_these} include run-to-run variation: {spread}.")
    if alone:
        of_these = f" at {counted(alone, 'point')}" if deviations else ""
        sentences.append(
            f"Run-to-run variation{of_these} is unknown: two runs can differ by more than their launches show. These "
            "verdicts hold for these runs only. Three or more runs of one plan in one folder, measured by the same "
            "files, or runs with --every, show the variation."
        )
    lacking = sum(isinstance(shift, Between) and shift.lacks_drift for shift in shifts)
    if lacking:
        sentences.append(
            f"Drift between visits is unknown at {counted(lacking, 'point')}: the runs compared followed each other "
            "directly. If figures drift, more than 5 % of such gates raise a false alarm. A baseline of five or more "
            "runs on different days shows the drift."
        )
    if not deviations and not alone:
        turns = all(row.first.operation == row.second.operation for row in rows)
        both = "Launches of both took turns; each pair is of one round."
        sentences.append(both if turns else "Every launch measured both; each pair is of one launch.")
    return sentences


def _of_figures(rows: Sequence[Row]) -> list[str]:
    """Say what the times are if `groma show` prints others of the runs."""
    shown = [tuple(map(microseconds, (row.first.time_ns, row.second.time_ns))) for row in rows]
    other = sum(tuple(map(microseconds, row.times_ns)) != times for row, times in zip(rows, shown, strict=True))
    if not other:
        return []
    sentence = (
        f"Times of {counted(other, 'point')} are those of the compared launches and runs; groma show prints the median "
        "of all launches of one run."
    )
    return [sentence]


def _of_rounding(pairs: Sequence[Pair]) -> list[str]:
    """Say by how much printed figures may be off, which no interval includes."""
    most = max((point.value("rounding") or 0.0 for pair in pairs for point in pair), default=0.0)
    return [f"Printed figures are rounded, here by up to {most:.1%}; intervals do not include that."] if most else []


def _of_files(sides: Sequence[Side]) -> list[str]:
    """Name the sides whose engine and library files are not recorded: no run beside them has the same."""
    unknown = " and ".join(side.name for side in sides if conditions(side.run).software is None)
    if not unknown:
        return []
    return [f"The files that measured {unknown} are not recorded: other runs cannot show its run-to-run variation."]


def _of_gaps(sides: Sequence[Side]) -> list[str]:
    """Say what is missing in every run."""
    return [
        f"{side.name}: {gap}" if len(side.runs) == 1 else f"{side.name}, {run.path.name}: {gap}"
        for side in sides
        for run in side.runs
        for gap in run.missing()[:1]
    ]


def distrusted(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for every run of which a check failed, in the words of `groma show`."""
    verdicts = [(run.path.name, verdict(checks(run, summarise(run)))) for run in runs]
    return [f"{name}: {found.text}" for name, found in verdicts if found.state == "bad"]
