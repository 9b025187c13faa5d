"""A run in the terminal: its checks, its figures, and what is missing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from groma.analysis import (
    Check,
    PointSummary,
    Series,
    SideBySide,
    checks,
    series,
    side_by_side,
    summarise,
)
from groma.analysis.noise import disturbed_sentence
from groma.analysis.otherruns import OtherRuns, other_runs_of
from groma.analysis.validity import counts_of
from groma.programs.answers import panels_of, study_of
from groma.programs.study import Panel, Study
from groma.report.definitions import FIGURES, HEADINGS, Definition, of_curves
from groma.report.figures import scope_of
from groma.report.lastruns import answer_of
from groma.report.persistent import persistent_table
from groma.report.programs import compared_programs, doubts_of, lacking_sentences, program_table, reasons_table
from groma.report.ranking import figures_of_variants, headline_table, rankings
from groma.report.renumbered import renumbered_table
from groma.report.shown import Shown, shown_of
from groma.report.spread import Coverage, coverage_of, launch_cost_sentence
from groma.report.switches import addition_sentences, model_sentences
from groma.report.tables import columns, curve_notes
from groma.results import Run
from groma.run.directory import PARENT
from groma.text.counts import counted
from groma.text.lines import Styled
from groma.text.numbers import aligned, typewriter
from groma.text.printing import print_list, print_sentences, print_table
from groma.text.tables import Table

_SIGNS = {"good": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red"), "unknown": ("?", "dim")}
MOST_SENTENCES = 20  # of the notes and gaps of a run
MIDDLE_DOT = " \N{MIDDLE DOT} "
# Columns that a narrow terminal does without, the first to go first.
_SPARE = ("first call", "arrival skew", "x hardware minimum", "x TCP", "within", "between")


class HiddenColumns:
    """The columns for which a terminal has no room, of all tables together."""

    def __init__(self, width: int) -> None:
        """Start with none, on a terminal of `width` columns."""
        self.width, self.needed = width, 0
        self.headings: dict[str, None] = {}

    def note(self, table: Table, printed: Table) -> None:
        """Add a table: all its columns, and those that are printed."""
        if len(printed.headings) < len(table.headings):
            self.headings |= dict.fromkeys(heading for heading in table.headings if heading not in printed.headings)
            self.needed = max(self.needed, table.width)

    def sentence(self) -> str:
        """Say which columns are not shown, and how to see them; empty if all are."""
        if not self.headings:
            return ""
        names = ", ".join(self.headings)
        return (
            f"Not shown in {self.width} columns: {names}. All columns take {self.needed}: widen the terminal, or pipe "
            "the output: groma show RUN | less -S"
        )


def print_run(
    run: Run,
    console: Console,
    *,
    define: bool = False,
    missing: list[str] | None = None,
    against: Sequence[str] = (),
    models: bool = False,
    everything: bool = False,
    all_checks: bool = False,
    beside: Sequence[Check] = (),
) -> Check:
    """Print the run and return its answer: answer, headline figures, a line of checks, tables, and what is missing.

    With `define` every table is followed by what its figures mean; `missing` takes the place of the run's own words;
    `against` names reference systems for the study of the run's profile. With `models`, and if the run was to find
    switches, the lines through the curves are stated. Of a run with very many points, only the first curves have a
    table, unless `everything` is asked for. `all_checks` has a line for every check.
    `beside` the answer stands what else is said of the run as a whole.
    """
    summaries = summarise(run)
    study = study_of(run, summaries, against)  # first, since it refuses systems that it does not know
    console.print(_heading(run), highlight=False)
    found, compared = checks(run, summaries), side_by_side(run, series(summaries))
    hidden = HiddenColumns(console.width)
    console.print()
    _print_checks(console, [check for check in found if check.state == "bad" and not all_checks])
    answered = [] if study else _print_rankings(console, compared, hidden)
    others = other_runs_of(run)
    answer = answer_of(run, summaries, found, others)
    for one in (answer, *beside):
        print_answer(one, console)
    if summaries:
        _print_headlines(console, summaries, others)
    console.print()
    if all_checks:
        _print_checks(console, found)
    else:
        here = run.path.resolve().parent == PARENT.resolve()
        print_sentences(
            console, [f"{counts_of(found)}. groma show {PARENT / run.path.name if here else 'RUN'} --checks"]
        )
    if study is not None:
        print_study(study, console)
    whole = everything or bool(run.meta.programs)  # a table has all of its programs
    shown = shown_of(summaries, compared, everything=whole, apart=everything or define)
    _print_figures(run, [both for both in shown.beside if both not in answered], shown, console, hidden, define=define)
    _print_spread(coverage_of(run, summaries, others), console, shown.curves if define else None)
    if define:
        console.print(Text("\nWhat the figures mean", style="bold"))
        _print_definitions(console, list(FIGURES))
    sections = [
        ("Models", model_sentences(run, shown.curves) if models or run.meta.refinement.find_switches else []),
        ("Added sizes", addition_sentences(run)),
        ("Notes", run.meta.notes),
        ("Missing", run.missing() if missing is None else missing),
    ]
    for heading, sentences in sections:
        if sentences:
            console.print(Text(f"\n{heading}", style="bold"))
        more = 0 if everything else max(0, len(sentences) - MOST_SENTENCES)
        print_sentences(console, sentences[: len(sentences) - more])
        print_sentences(console, [f"... and {more} more; --all prints them."] if more else [])
    return answer


def _print_rankings(console: Console, compared: Sequence[SideBySide], hidden: HiddenColumns) -> list[SideBySide]:
    """Print which alternatives are best; return those whose table is printed too.

    Tables of several sets of alternatives stand with the other tables.
    """
    ranked = rankings(compared)
    if not ranked:
        return []
    print_sentences(console, [sentence for _, sentence in ranked], "bold", indent=0)
    answered = [both for both, _ in ranked] if len(ranked) == 1 else []
    for both in answered:
        _print_variants(console, both, hidden)
    console.print()
    return answered


def _print_figures(
    run: Run, beside: Sequence[SideBySide], shown: Shown, console: Console, hidden: HiddenColumns, *, define: bool
) -> None:
    """Print alternatives side by side, a table for every other curve, and the panels of programs."""
    for both in beside:
        _print_variants(console, both, hidden)
    points = [point for curve in shown.curves for point in curve.points]
    for table in filter(None, [persistent_table(points), renumbered_table(points), reasons_table(run)]):
        console.print()
        _print_table(console, table, "", hidden)
        print_sentences(console, table.notes, "dim")
    if lacking := lacking_sentences(run):
        console.print()
        print_sentences(console, lacking)
    for curve in shown.alone:
        console.print()
        cells = {HEADINGS.get(term, term): texts for term, texts in columns(curve).items()}
        spare = [HEADINGS.get(term, term) for term in _SPARE]
        _print_table(console, Table.of_columns(curve.label, cells, spare), curve.operation.time, hidden)
        print_sentences(console, curve_notes(curve), "dim")
        if define:
            console.print(Text(f"  {curve.operation.summary} {curve.operation.calls}".rstrip()), highlight=False)
            _print_definitions(console, of_curves([curve]))
    if shown.left_out:
        console.print()
        print_sentences(console, [shown.left_out])
    for panel in panels_of(run):
        _print_panel(console, panel, hidden)
    for remark in filter(None, [disturbed_sentence(run), hidden.sentence(), launch_cost_sentence(run)]):
        console.print()
        print_sentences(console, [remark], "dim")


def _print_spread(covered: Coverage, console: Console, curves: list[Series] | None) -> None:
    """Print the scope of the intervals, and the spread by level of the points shown."""
    if not covered.sentences:
        return
    console.print(Text("\nWhat the intervals cover", style="bold"))
    print_sentences(console, covered.sentences)
    if curves is not None:
        points = {point for curve in curves for point in curve.points}
        print_table(console, covered.table(points))


def print_study(study: Study, console: Console) -> None:
    """Print conclusions, conditions and tables of a study; charts are on the page."""
    console.print(Text(f"\n{study.title}", style="bold"))
    print_sentences(console, study.sentences)
    for name, text in study.conditions:
        console.print(Padding(Text.assemble((f"{name}: ", "dim"), text), (0, 0, 0, 2)))
    for table in study.tables:
        console.print(Text(f"\n{table.title}", style="bold"))
        print_table(console, table)
        print_sentences(console, table.notes, "dim")


def _heading(run: Run) -> Text:
    starts = [launch.start for launch in run.launches if launch.start is not None]
    library = run.libraries
    ranks = "/".join(str(count) for count in sorted({start.ranks for start in starts}))
    parts = [
        library,
        f"{ranks} rank{'s' * (ranks != '1')}" if ranks else "",
        _launches(run),
        run.meta.host,
    ]
    return Text.assemble((run.path.name, "bold"), "  ", (" · ".join(filter(None, parts)), "dim"))


def _launches(run: Run) -> str:
    """Return how many of the launches asked for there are, and how many came on top (a budget's, or of added sizes)."""
    expected = set(run.meta.asked_numbers)
    is_round = [launch.number in expected for launch in run.launches if launch.start is not None]
    more = f" and {is_round.count(False)} more" if False in is_round else ""
    return f"{is_round.count(True)} of {counted(len(expected), 'launch')}{more}"


def print_answer(answer: Check, console: Console) -> None:
    """Print what the first screen says of the run as a whole."""
    console.print(Text(answer.text, style=f"bold {_SIGNS[answer.state][1]}"))


def _print_checks(console: Console, verdicts: list[Check]) -> None:
    rows = [
        (Styled(*_SIGNS[check.state]), check.name, Styled(check.text, "dim" if check.state == "good" else ""))
        for check in verdicts
    ]
    print_list(console, rows, indent=2, gap=1)


def _print_headlines(console: Console, summaries: list[PointSummary], others: OtherRuns) -> None:
    of_variants = figures_of_variants(summaries, others)
    variant, figures = next(iter(of_variants.items()))
    scope = list(filter(None, [scope_of(figures)]))
    if len(of_variants) > 1:
        console.print()
        print_table(console, headline_table(of_variants), indent=2)
        print_sentences(console, scope, "dim")
        return
    wheres = [shown.place(variant) for shown in figures]
    numbers = iter(aligned([shown.value for shown in figures if " " not in shown.value]))
    values = [typewriter(shown.value if " " in shown.value else next(numbers)) for shown in figures]  # ranges are long
    cells = [
        (shown.title, where, value, shown.unit, shown.uncertainty, shown.limit)
        for shown, where, value in zip(figures, wheres, values, strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    console.print()
    for row, shown in zip(cells, figures, strict=True):
        for line in _headline(row, widths, console.width):
            console.print(line, highlight=False, soft_wrap=True)
        print_sentences(console, shown.remarks, "dim", indent=4)
    print_sentences(console, scope, "dim")


def _headline(row: Sequence[str], widths: Sequence[int], most: int) -> Iterator[Text]:
    """Yield a headline figure in one line; in several lines if that is longer than `most`."""
    title, where, value, unit, uncertainty, limit = map(str.ljust, row, widths)
    start, bold, end = f"  {title}  ", (value, "bold"), f"  {unit}  {uncertainty}"
    if sum(widths) + 2 * len(widths) <= most:
        yield Text.assemble(start, (f"{where}  ", "dim"), bold, f"{end}  {limit}")
        return
    if len(f"{start}{value}{end}".rstrip()) <= most:
        yield Text.assemble(start, bold, end.rstrip())
    else:
        yield Text(start.rstrip())
        yield Text.assemble("    ", (value.strip(), "bold"), f"  {unit.strip()}  {uncertainty.strip()}".rstrip())
    below = MIDDLE_DOT.join(filter(None, map(str.strip, (where, limit))))
    for line in textwrap.wrap(below, most - 4, break_long_words=False, break_on_hyphens=False):
        yield Text(f"    {line}", style="dim")


def _print_variants(console: Console, both: SideBySide, hidden: HiddenColumns) -> None:
    """Print the curves of alternatives as one table."""
    console.print()
    table, names = program_table(both), list(both.short_names.values())
    if not both.call:
        # Of two the ratio says the second time too; of more, times are the answer.
        spare = [f"{names[1]} µs"] if len(names) == 2 else ["95% interval", "next / shortest"]
        table = replace(table, spare=spare)
    _print_table(console, table, "" if both.call else both.curves[both.first].operation.time, hidden)
    print_sentences(console, table.notes, "dim")


def print_programs(runs: Sequence[Run], console: Console) -> None:
    """Print several runs of programs side by side; raises InputError if they have nothing in common."""
    hidden = HiddenColumns(console.width)
    compared = compared_programs(runs)
    for both in compared:
        _print_variants(console, both, hidden)
    console.print()
    print_sentences(console, filter(None, [*doubts_of(runs, compared), hidden.sentence()]))


def _print_panel(console: Console, panel: Panel, hidden: HiddenColumns) -> None:
    """Print the tables of a panel, whose charts are on the page; without tables, its note."""
    if not panel.tables:
        console.print()
        print_sentences(console, [panel.note], "dim")
    for table in panel.tables:
        console.print()
        about = ", ".join(filter(None, [table.brief, panel.brief]))
        _print_table(console, replace(table, title=panel.title.lower()), about, hidden)
        print_sentences(console, table.notes, "dim")


def _print_table(console: Console, table: Table, about: str, hidden: HiddenColumns) -> None:
    """Print a table under its title and what it is about, without the spare columns for which there is no room."""
    printed = table.narrowed(console.width)
    hidden.note(table, printed)
    console.print(Text.assemble((table.title, "bold"), (f"  {about}", "dim")))
    print_table(console, printed)


def _print_definitions(console: Console, definitions: list[Definition]) -> None:
    rows = [(Styled(definition.term, "bold"), definition.text) for definition in definitions]
    print_list(console, rows, indent=2)
    console.print()
