"""A gate in turns: whether the second of two libraries, environments or placements of one run is slower anywhere.

One round is a launch of each side, in the reverse order of the round before. After the first rounds every point is
judged. Points that may be slower are measured again, until there are at most two, four and eight times as many rounds.

Error control. There are at most `LOOKS` looks at the figures, after numbers of rounds that do not depend on figures (a
budget can only end them early). At each, the exact signed-rank test of the ratios gives p-values that Holm corrects for
all points of the plan. Each is multiplied by the number of looks (Bonferroni). So at most 5 % of gates without a change
call a point slower or faster at any look, 2.5 % slower; the margin takes more off. The intervals hold for all looks
too: a point that is slower by the margin passes with 2.5 % at most. Points that are decided are not measured again.
They keep their figures, and count in Holm's family.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from groma.analysis.grouping import grouped
from groma.decide.comparing import Compared, compare_variants
from groma.decide.gating import Effort, Gate, decide, is_regression, places, suspects
from groma.decide.remeasuring import measured_run
from groma.errors import InputError, RunError
from groma.plan import Draft
from groma.plan.draft import Written
from groma.plan.variants import check_names
from groma.results import Run, load_run
from groma.run.prepared import Prepared
from groma.run.schedule import Further
from groma.text.console import err, path_line
from groma.text.counts import counted

LOOKS = 4
FIRST = 0.5  # the share of a budget that the first rounds are fitted to
SLOT_S = 0.1  # of a point in a launch, unless the plan says it: more launches decide sooner than longer ones


@dataclass(frozen=True)
class Turns:
    """Two sides of one run, by the names of its variants, and what counts as the same."""

    between: tuple[str, str]
    margin: float
    strict: bool = False

    def compared(self, run: Run) -> Compared:
        """Return the comparison of both sides; raises InputError if the run lacks one of them."""
        return compare_variants(run, self.between, self.margin, LOOKS)

    def decided(self, path: Path, effort: Effort | None = None) -> Gate:
        """Return the gate's end by a run that exists; raises RunError if the run lacks something."""
        run = load_run(path)
        compared = self.compared(run)
        if gaps := run.missing():
            raise RunError(f"{path} is incomplete, so nothing is decided: {gaps[0]}")
        return replace(decide(compared, [run], strict=self.strict), effort=effort)

    def measured(self, prepared: Prepared, output: Path | None) -> Gate:
        """Measure a plan with both sides, what is open again, and decide; raises RunError if the run fails.

        The run's path goes to the error output.
        """
        began_s = time.monotonic()
        rounds = prepared.plan.launches
        further = Further(tuple(rounds * 2**look for look in range(LOOKS - 1)), self.still_open)
        run = measured_run(replace(prepared, further=further), output)
        path_line(err(), run.path)
        return self.decided(run.path, Effort(len(run.launches), time.monotonic() - began_s))

    def still_open(self, path: Path) -> Mapping[int, Sequence[int]]:
        """Return the points of a run that have to be measured again, as places in its plan, by the number of ranks."""
        run = load_run(path)
        compared = self.compared(run)
        rows = [row for row in suspects(compared) if not is_regression(row.judged, row.basis)]
        if rows:
            text = f"{len(rows)} of {counted(len(compared.rows), 'point')} not decided yet: measuring again."
            err().print(text, markup=False, soft_wrap=True)
        by_ranks = grouped(rows, lambda row: row.second.ranks)
        return {ranks: places(run, own) for ranks, own in by_ranks.items()}


def choose_sides(draft: Draft, between: tuple[str, str] | None) -> tuple[str, str]:
    """Leave the two variants of a draft that are compared, the first as the base, and return their names.

    Points get a short time slot, if the plan says none.

    Raises InputError unless it has just two, or those that are named.
    """
    if draft.programs:
        raise InputError("several profiles have several methods, which are not compared; name one profile")
    check_names(draft.variants)
    by_name = {variant.name: variant for variant in draft.variants}
    names = between or tuple(by_name)
    if len(set(names)) != 2 or not set(names) <= set(by_name):
        there = f"there are {', '.join(by_name)}" if by_name else "there are none"
        raise InputError(
            f"a gate in turns compares two variants (--mpi base=A,head=B, --variant, --placement): {there}; "
            "name two with --between"
        )
    draft.variants = by_name[names[0]], by_name[names[1]]
    draft.common.setdefault("slot_s", Written(SLOT_S))
    return names[0], names[1]
