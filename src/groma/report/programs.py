"""Several programs side by side: of one run in which they took turns, or of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groma.analysis import SideBySide, programs_of, runs_side_by_side
from groma.analysis.noise import caveats
from groma.errors import InputError
from groma.report.tables import clock_note, reporting_note, unsteady_note, variant_columns, variant_note
from groma.results import Run
from groma.results.reasons import Reason, Share, read_reasons
from groma.text.numbers import DASH, TIMES, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

_DIGITS = 3
_LEAST = 0.005  # a ratio that is printed as 1.00 is no cause worth naming
NOTE = "Times are as each program makes them of its calls; ratios are of the figures of launches."


def are_programs(runs: Sequence[Run]) -> bool:
    """Return whether the runs have the methods of several programs."""
    names = programs_of(runs)
    kinds = {run.meta.profile or run.meta.style for run in names.values()}
    return len(kinds) > 1 and None not in kinds


def compared_programs(runs: Sequence[Run]) -> list[SideBySide]:
    """Return what the programs of several runs measured side by side; raises InputError if that is nothing."""
    programs = programs_of(runs)
    if compared := runs_side_by_side(programs):
        return compared
    raise InputError(
        f"the runs of {', '.join(programs)} measured no operation on the same number of ranks; measure them in turns: "
        f"groma run --profile {','.join(programs)}"
    )


def doubts_of(runs: Sequence[Run], compared: Sequence[SideBySide]) -> list[str]:
    """Say which runs are not shown, what else they differ in than the program, and what disturbed them."""
    alone = [name for name in programs_of(runs) if not any(name in both.curves for both in compared)]
    machines = dict.fromkeys(" on ".join(filter(None, (run.libraries, run.meta.host))) for run in runs)
    elsewhere = f"The runs are of {' and '.join(machines)}: ratios have that difference too."
    nothing = f"Not shown: {', '.join(alone)}, with no operation on the same number of ranks."
    sentences = [nothing] * bool(alone) + [elsewhere] * (len(machines) > 1)
    return [*sentences, *caveats(list(runs))]


def program_table(both: SideBySide) -> Table:
    """Return the table of alternatives or programs side by side, with its notes."""
    notes = [variant_note(both), *_reporting_notes(both), unsteady_note(both.points), clock_note(both.points)]
    return replace(Table.of_columns(both.title, variant_columns(both)), notes=list(filter(None, notes)))


def _reporting_notes(both: SideBySide) -> list[str]:
    """Say for programs how each makes a launch's figure; variants have one way."""
    notes: dict[str, list[str]] = {}
    for name, curve in both.curves.items() if both.call else ():
        notes.setdefault(reporting_note(curve), []).append(name)
    return [f"{', '.join(names)}: {note[0].lower()}{note[1:]}" for note, names in notes.items() if note]


def lacking_sentences(run: Run) -> list[str]:
    """Say what some of the programs lack."""
    return [f"No {what}: {reason}." for what, reason in run.meta.lacking.items()] if run.meta.programs else []


def reasons_table(run: Run) -> Table | None:
    """Return why the programs of a run differ at the ends of the curves; None if nobody asked."""
    reasons = read_reasons(run.path)
    if not reasons:
        return None
    headings = ["operation", "ranks", "size", "program", "ratio", "95% interval", "because of"]
    return Table("Why they differ", headings, [_row(reason) for reason in reasons])


def _row(reason: Reason) -> list[str]:
    size = "" if reason.bytes is None else format_size(reason.bytes)
    where = [reason.call, str(reason.ranks), size, f"{reason.other} / {reason.first}"]
    if reason.total is None:
        return [*where, DASH, DASH, reason.refused]
    return [*where, significant(reason.total.ratio, _DIGITS), _interval(reason.total), _causes(reason.shares)]


def _causes(shares: Sequence[Share]) -> str:
    """Return the factors that are shown to change the time, by half a percent or more, the largest effect first."""
    shown = [share for share in shares if share.is_shown and abs(share.ratio - 1) >= _LEAST]
    shown.sort(key=lambda share: min(share.ratio, 1 / share.ratio))
    texts = [f"{share.words} {TIMES}{significant(share.ratio, _DIGITS)}" for share in shown]
    return "; ".join(texts) or "no factor alone is shown to change it"


def _interval(share: Share) -> str:
    if share.low is None or share.high is None:
        return DASH
    return f"{significant(share.low, _DIGITS)} {DASH} {significant(share.high, _DIGITS)}"
