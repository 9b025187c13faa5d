"""The study of the ALCF slides: what ignoring advice costs, then the suite's tables.

As a style, rows, columns and headings of messaging rate, node bandwidth, bisection and collectives are those of the
slides; there are no numbers for latency, halo exchange, datatypes and overlap, so that those tables are Groma's. Widths
are Groma's.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

from groma.analysis import PointSummary
from groma.analysis.advice.costs import clearest, costs
from groma.analysis.advice.placement import best_placements, rank_placements
from groma.analysis.advice.text import costs_table, placement_sentences, placements_table, sentences
from groma.programs.alcf.reference import beside
from groma.programs.alcf.table import NO_PEAKS
from groma.programs.alcf.tables import tables
from groma.programs.sheet import Sheet, Style
from groma.programs.study import Study
from groma.results import Run
from groma.text.lines import texts
from groma.text.tables import table_lines

_RULES = (
    "p is corrected for all comparisons (Holm). Slower and faster also need an interval of the ratio that lies more "
    "than 3 % from 1; the same needs one within 3 % of 1."
)


def across(run: Run, summaries: list[PointSummary], apart: Study) -> Study:
    """Return the study of all variants with what compares them: which placement of the ranks is fastest."""
    placements = rank_placements(run, summaries)
    conclusions = placement_sentences(placements)
    if not placements.best:
        return replace(apart, sentences=conclusions + apart.sentences)
    title = "Best placement of the ranks, and what the worst costs"
    tables = [placements_table(title, placements.best), *apart.tables]
    return replace(apart, sentences=conclusions + apart.sentences, tables=tables)


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return the suite's tables of a run, its advice first; `against` names systems of the presentation."""
    compared, best = costs(summaries), best_placements(summaries, run.meta.round_length)
    conclusions = []
    if compared:
        shown = clearest(compared)
        command = f"groma advice {shlex.quote(str(run.path.absolute()))} --all"
        notes = [f"The clearest of {len(compared)} comparisons; {command} prints them all.", _RULES]
        conclusions.append(costs_table(shown, notes))
    if best:
        title = "Best ranks per node and placement, and what the worst costs for the same work"
        conclusions.append(placements_table(title, best))
    suite_tables = tables(run, summaries=summaries)
    published, charts = beside(run.meta.host, suite_tables, against)
    suite = [
        replace(table, title=f"{table.title}, {table.unit}", fold="The suite's own tables") for table in suite_tables
    ]
    advice = sentences(compared) if compared else []
    return Study("ALCF MPI benchmarks", advice, [], [*conclusions, *published, *suite], charts)


def _write(sheet: Sheet) -> None:
    points = [point for curve in sheet.curves for point in curve.points]
    for table in tables(sheet.run, sheet.options.get("peak", NO_PEAKS), points):
        lines = texts(table_lines(table))
        sheet.write("", f"{table.title}, {table.unit}", "", *lines)
        sheet.write(*(f"# {note}" for note in table.notes))


STYLE = Style(program="the ALCF MPI benchmarks", write=_write, profile="alcf")
