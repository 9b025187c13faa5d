"""A run in the terminal: its checks, its figures, and what is missing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from groma.analysis import (
    Check,
    PointSummary,
    Series,
    SideBySide,
    checks,
    headlines,
    series,
    side_by_side,
    summarise,
)
from groma.analysis.otherruns import OtherRuns, other_runs_of
from groma.analysis.validity import counts_of
from groma.programs.answers import panels_of, study_of
from groma.programs.study import Panel, Study
from groma.report.definitions import FIGURES, HEADINGS, Definition, of_curves
from groma.report.figures import figures_of, ranks_matter, scope_of
from groma.report.lastruns import answer_of
from groma.report.programs import compared_programs, doubts_of, lacking_sentences, program_table, reasons_table
from groma.report.spread import Coverage, coverage_of, launch_cost_sentence
from groma.report.switches import addition_sentences, model_sentences
from groma.report.tables import columns, curve_notes, variant_columns, variant_note
from groma.results import Run
from groma.results.spans import these_launches
from groma.run.directory import PARENT
from groma.text.counts import counted
from groma.text.lines import Styled
from groma.text.numbers import aligned, typewriter
from groma.text.printing import print_list, print_sentences, print_table
from groma.text.tables import Table

_SIGNS = {"good": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red"), "unknown": ("?", "dim")}
# Above this number of points, only tables of the first curves are printed, of about this number of rows; and of the
# notes and gaps of a run, the first ones.
MOST_ROWS, FEW_ROWS, MOST_SENTENCES = 200, 60, 20
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
) -> Check:
    """Print the run and return its answer: answer, headline figures, a line of checks, tables, and what is missing.

    With `define` every table is followed by what its figures mean; `missing` takes the place of the run's own words;
    `against` names reference systems for the study of the run's profile. With `models`, and if the run was to find
    switches, the lines through the curves are stated. Of a run with very many points, only the first curves have a
    table, unless `everything` is asked for. `all_checks` has a line for every check.
    """
    summaries = summarise(run)
    study = study_of(run, summaries, against)  # first, since it refuses systems that it does not know
    console.print(_heading(run), highlight=False)
    found = checks(run, summaries)
    console.print()
    _print_checks(console, [check for check in found if check.state == "bad" and not all_checks])
    others = other_runs_of(run)
    answer = answer_of(run, summaries, found, others)
    print_answer(answer, console)
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
    curves, left_out = _shown(summaries, everything=whole)
    _print_figures(run, curves, left_out, console, define=define)
    _print_spread(coverage_of(run, summaries, others), console, curves if define else None)
    if define:
        console.print(Text("\nWhat the figures mean", style="bold"))
        _print_definitions(console, list(FIGURES))
    sections = [
        ("Models", model_sentences(run, curves) if models or run.meta.refinement.find_switches else []),
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


def _shown(summaries: list[PointSummary], *, everything: bool) -> tuple[list[Series], str]:
    """Return the curves that a terminal shows: all of a run with few points, else the first ones."""
    curves = series(summaries)
    if everything or len(summaries) <= MOST_ROWS:
        return curves, ""
    rows = [*accumulate(len(curve.points) for curve in curves)]
    fitting = max(1, sum(count <= FEW_ROWS for count in rows))
    if fitting == len(curves):
        return curves, ""
    sentence = (
        f"Shown: {counted(fitting, 'curve')} of {len(curves)}, with {rows[fitting - 1]} of {len(summaries)} points. "
        "--all prints them all; groma export RUN --to csv writes them as a table."
    )
    return curves[:fitting], sentence


def _print_figures(run: Run, curves: list[Series], left_out: str, console: Console, *, define: bool) -> None:
    """Print variants side by side, a table for every other curve, and the panels of programs."""
    compared = side_by_side(run, curves)
    hidden = HiddenColumns(console.width)
    for both in compared:
        _print_variants(console, both, hidden)
    if reasons := reasons_table(run):
        console.print()
        _print_table(console, reasons, "", hidden)
    if lacking := lacking_sentences(run):
        console.print()
        print_sentences(console, lacking)
    in_tables = {id(point) for both in compared for curve in both.curves.values() for point in curve.points}
    for curve in (curve for curve in curves if id(curve.points[0]) not in in_tables):
        console.print()
        cells = {HEADINGS.get(term, term): texts for term, texts in columns(curve).items()}
        spare = [HEADINGS.get(term, term) for term in _SPARE]
        _print_table(console, Table.of_columns(curve.label, cells, spare), curve.operation.time, hidden)
        print_sentences(console, _notes(curve), "dim")
        if define:
            console.print(Text(f"  {curve.operation.summary} {curve.operation.calls}".rstrip()), highlight=False)
            _print_definitions(console, of_curves([curve]))
    if left_out:
        console.print()
        print_sentences(console, [left_out])
    for panel in panels_of(run):
        _print_panel(console, panel, hidden)
    for remark in filter(None, [hidden.sentence(), launch_cost_sentence(run)]):
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
    figures = figures_of(headlines(summaries), others)
    several = ranks_matter(figures)
    variant = summaries[0].variant  # of which they all are: see `headlines`
    places = [shown.where.removesuffix(variant or "").rstrip(", ") for shown in figures]
    numbers = iter(aligned([shown.value for shown in figures if " " not in shown.value]))
    values = [typewriter(shown.value if " " in shown.value else next(numbers)) for shown in figures]  # ranges are long
    counts = [shown.ranks if several else "" for shown in figures]
    wheres = [", ".join(filter(None, both)) for both in zip(places, counts, strict=True)]
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
    print_sentences(console, filter(None, [scope_of(figures)]), "dim")
    if variant is not None:
        console.print(Text(f"  These are figures of the variant {variant}.", style="dim"))


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
    """Print the curves of all variants as one table."""
    first = both.curves[both.first]
    console.print()
    repeated = [f"{name} µs" for name in both.curves if name != both.first]  # the ratio says it too
    table = Table.of_columns(both.title, variant_columns(both), [] if both.call else repeated)
    _print_table(console, table, "" if both.call else first.operation.time, hidden)
    if both.call:
        notes = program_table(both).notes
    else:
        notes = [variant_note(both), *(note for curve in both.curves.values() for note in _notes(curve))]
    print_sentences(console, dict.fromkeys(notes), "dim")


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


def _notes(curve: Series) -> list[str]:
    """Return the notes of this table; empty if there are none."""
    notes = curve_notes(curve)
    disturbed = sorted({number for point in curve.points for number in point.disturbed})
    if disturbed:
        notes.append(f"Disturbed by other processes: {these_launches(disturbed)}.")
    return notes


def _print_definitions(console: Console, definitions: list[Definition]) -> None:
    rows = [(Styled(definition.term, "bold"), definition.text) for definition in definitions]
    print_list(console, rows, indent=2)
    console.print()
