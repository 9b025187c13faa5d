"""A group in words, for terminal, Markdown and page: sentences, and the cells of its tables."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence

from groma.analysis.changes.changes import FEWEST_RUNS, LevelChange
from groma.history.store import StoredRun
from groma.history.timelines import Fact, Group, Timeline
from groma.text.counts import counted
from groma.text.numbers import DASH, microseconds, percent, significant
from groma.text.tables import Table

_CHANGES = (
    "first run after",
    "point",
    "before \N{MICRO SIGN}s",
    "after \N{MICRO SIGN}s",
    "ratio",
    "95% interval",
    "date, 95%",
    "what else changed",
)
_SERIES = (
    "point",
    "runs",
    "first \N{MICRO SIGN}s",
    "last \N{MICRO SIGN}s",
    "runs differ by",
    "neighbours' correlation",
    "changes",
)
_DIGITS = 4
_MOST_FACTS = 3


def heading(group: Group) -> str:
    """Return plan, machine and library, such as `quick on node01 (Example CPU), MPICH`."""
    plan, host, cpu, hosts, library = group.machine
    several = f"{hosts} hosts" if hosts not in ("", "1") else ""
    details = ", ".join(filter(None, [cpu, several]))
    where = f" on {host}" if host else " on any host"
    return f"{plan}{where}{f' ({details})' if details else ''}{f', {library}' if library else ''}"


def summary(group: Group) -> str:
    """Return how many runs there are, from when to when, and in how many series something changed."""
    runs = group.runs
    span = f"{date(runs[0])} to {date(runs[-1])}" if len(runs) > 1 else date(runs[0])
    changed = [line for line in group.timelines if line.changes]
    changes = sum(len(line.changes) for line in changed)
    found = f"{counted(changes, 'change')} in {len(changed)} of {len(group.timelines)} series"
    return (
        f"{counted(len(runs), 'run')}, {span}: {found if changes else f'no change in {len(group.timelines)} series'}."
    )


def sentences(group: Group) -> list[str]:
    """Return remarks on the series beside their changes: versions of the library, spread, too few runs."""
    said = [
        f"{fact.what} {fact.before} -> {fact.after} on {date(group.runs[at])}: "
        f"{len(group.changed_at(at)) or 'none'} of {len(group.timelines)} series changed with it."
        for at, fact in group.versions
    ]
    few = [line for line in group.timelines if len(line.runs) < FEWEST_RUNS]
    steady = [line for line in group.timelines if not line.changes and line not in few]
    known = [line.levels.deviation for line in steady if line.levels and line.levels.deviation is not None]
    if known:
        many = f"No change in {len(steady)} of {len(group.timelines)} series"
        said.append(f"{many}: their runs differ by {percent(min(known))} to {percent(max(known))} (one sigma).")
    if few:
        said.append(
            f"{len(few)} series {'has' if len(few) == 1 else 'have'} fewer than {FEWEST_RUNS} runs, in which no change "
            "can be found."
        )
    return said


def certainty(groups: Sequence[Group]) -> str:
    """Return the scope of the changes."""
    series = sum(len(group.timelines) for group in groups)
    return (
        f"The probability that any change of these {series} series is false is at most 5 %; a change that lasts "
        "fewer than three runs does not count. Each interval of a ratio or a date holds with 95 % on its own."
    )


def changes_table(group: Group) -> Table:
    """Return a row for every change, the earliest first."""
    found = [(line, change) for line in group.timelines for change in line.changes]
    found.sort(key=lambda one: group.runs[one[0].runs[one[1].at]].unix_s)
    return Table("Changes", _CHANGES, [_cells(group, line, change) for line, change in found])


def series_table(group: Group) -> Table:
    """Return a row for every series."""
    rows = []
    for line in group.timelines:
        stretches, levels = line.stretches(), line.levels
        known = levels is not None and len(line.runs) >= FEWEST_RUNS
        rows.append(
            [
                line.label,
                str(len(line.runs)),
                microseconds(stretches[0][2]),
                microseconds(stretches[-1][2]),
                percent(levels.deviation) if known and levels else DASH,
                f"{levels.likeness:.2f}" if known and levels else DASH,
                str(len(line.changes)),
            ]
        )
    return Table("Figures of all series", _SERIES, rows)


def facts_text(facts: Sequence[Fact]) -> str:
    """Return the first facts that changed, and how many more there are."""
    shown = [f"{fact.what} {fact.before or 'none'} -> {fact.after or 'none'}" for fact in facts[:_MOST_FACTS]]
    more = [f"{len(facts) - _MOST_FACTS} more"] if len(facts) > _MOST_FACTS else []
    return "; ".join([*shown, *more]) or DASH


def date(run: StoredRun) -> str:
    """Return day and minute of a run, in the time zone in which it was made."""
    return dt.datetime.fromisoformat(run.created).strftime("%Y-%m-%d %H:%M")


def change_figures(line: Timeline, change: LevelChange) -> tuple[float, float]:
    """Return the figures before and after a change in ns."""
    after = next(figure for begin, _, figure in line.stretches() if begin == change.at)
    return after / math.exp(change.shift), after


def _cells(group: Group, line: Timeline, change: LevelChange) -> list[str]:
    before, after = change_figures(line, change)
    ends = change.interval
    dates = [date(group.runs[line.runs[at]]) for at in (change.earliest, change.latest)]
    return [
        date(group.runs[line.runs[change.at]]),
        line.label,
        microseconds(before),
        microseconds(after),
        significant(math.exp(change.shift), _DIGITS),
        f"{significant(math.exp(ends.low), _DIGITS)} to {significant(math.exp(ends.high), _DIGITS)}",
        dates[0] if dates[0] == dates[1] else " to ".join(dates),
        facts_text(group.facts_changed(line, change)),
    ]
