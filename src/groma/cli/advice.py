"""`groma advice`: what anti-patterns cost on this machine, and which placement is fastest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from groma.analysis import summarise
from groma.analysis.advice.costs import clearest, costs
from groma.analysis.advice.placement import best_placements, rank_placements
from groma.analysis.advice.text import costs_table, placement_sentences, placements_table, sentences
from groma.cli.options import run_or_last
from groma.results import load_run
from groma.text.console import echo, err, out
from groma.text.printing import print_table


@click.command()
@run_or_last
@click.option(
    "--all", "every", is_flag=True, help="Print every comparison, not only the clearest of each anti-pattern."
)
def advice(directory: Path, every: bool) -> int:
    """Print what anti-patterns cost, as ratios with intervals, and the best ranks per node and placement.

    Made for runs of the profile alcf, and for any run that measured an anti-pattern and its alternative, or several
    placements of the ranks (groma run --placement). An anti-pattern is slower or faster if the difference is
    significant after correction for all comparisons and more than 3 %; the same if the interval of the ratio lies
    within 3 % of 1; else not decided.
    """
    run = load_run(directory)
    summaries = summarise(run)
    compared = costs(summaries)
    best = best_placements(summaries, run.meta.round_length)
    ranked = rank_placements(run, summaries)
    best += ranked.best
    remarks = placement_sentences(ranked)
    if not compared and not best and not remarks:
        err().print(
            "This run has no two points that differ in an anti-pattern or a placement alone; try --profile alcf, or "
            "--placement by-slot,by-node."
        )
        return 1
    if compared:
        printed = compared if every else clearest(compared)
        print_table(out(), costs_table(printed))
        if len(printed) < len(compared):
            out().print(f"The clearest of {len(compared)} comparisons; --all prints them all.")
        echo("")
        _print(sentences(compared))
    if best:
        echo("")
        print_table(out(), placements_table("Best placements", best))
    if remarks:
        echo("")
        _print(remarks)
    return 1 if run.missing() else 0


def _print(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        out().print(sentence, markup=False)
