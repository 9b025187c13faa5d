"""The study of the ALCF slides: what ignoring advice costs, then the suite's tables."""

from __future__ import annotations

import shlex
from dataclasses import replace

from groma.analysis import PointSummary
from groma.analysis.advice.costs import clearest, costs
from groma.analysis.advice.placement import best_placements, rank_placements
from groma.analysis.advice.text import costs_table, placement_sentences, placements_table, sentences
from groma.programs.alcf.reference import beside
from groma.programs.alcf.tables import tables
from groma.programs.study import Study
from groma.results import Run

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
