"""`groma explain`: why two programs report different times for one operation."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from groma.analysis.noise import caveats
from groma.catalog.values import read_value
from groma.cli.options import last_option, measuring, or_newest, read_settings, reading
from groma.cli.words import RunPath, complete_profiles
from groma.errors import InputError
from groma.explain import Attribution, MethodPair, attribute
from groma.explain.asked import judge_of, judge_of_runs, pair_of_profiles
from groma.explain.attribution import weights
from groma.explain.existing import Question, absence, explain_runs
from groma.explain.figures import points_of, times_of
from groma.explain.page import write_figures, write_page
from groma.explain.sentences import factors_table, sentences, separate_runs, too_few_launches, whole_sentence
from groma.launch.checking import check_points
from groma.launch.command import find_setup
from groma.launch.engine import catalog_in_use, find_engine
from groma.plan import Plan
from groma.plan.draft import DEFAULT_LAUNCHES, DEFAULT_RANKS
from groma.results import load_run
from groma.run.measuring import make_run
from groma.run.prepared import Prepared
from groma.run.preparing import refuse_under_launcher
from groma.text.console import err, out, path_line
from groma.text.printing import print_table
from groma.text.sizes import parse_size

_BETWEEN = "The two profiles to compare (see groma list profiles)."
_SETTINGS = "Make a field equal for both, or choose among a run's methods by it: clock=monotonic; repeat for several."
_DEFAULT_SIZE = "1K"


@click.command()
@click.argument(
    "existing",
    metavar="[RUN RUN...]",
    nargs=-1,
    type=RunPath(),
    callback=or_newest(lambda _: 2, one_plan=False, required=False),
)
@last_option
@click.option("--between", nargs=2, metavar="A B", help=_BETWEEN, shell_complete=complete_profiles)
@click.option("--operation", metavar="OPERATION", required=True, help="What both measure.")
@click.option("--bytes", "size", metavar="SIZE", default=_DEFAULT_SIZE, show_default=True, help="Message size.")
@click.option(
    "--set", "settings", callback=reading(read_settings), multiple=True, metavar="FIELD=VALUE", help=_SETTINGS
)
@measuring
def explain(
    *,
    existing: tuple[Path, ...],
    between: tuple[str, str] | None,
    operation: str,
    size: str,
    settings: list[tuple[str, str]],
    ranks: tuple[int, ...] | None,
    launches: int | None,
    output: Path | None,
    launcher: str | None,
) -> int:
    """Explain why two methods report different times: attribute the ratio to the factors in which they differ.

    Two profiles (--between) are measured in all mixtures of their methods; the run that this leaves holds explain.html,
    whose path is the last line. Runs that exist are compared, the second with the first, by what all of them measured.
    """
    refuse_under_launcher()
    if bool(existing) == (between is not None):
        raise InputError("name two runs that exist, or two profiles with --between")
    if between is None:
        if launches or output or launcher:
            raise InputError("runs that exist are not measured again; leave out --launches, --output and --launcher")
        return _of_runs(existing, operation, size, settings, ranks)
    catalog = catalog_in_use()
    engine = find_engine()
    setup, most = find_setup(engine, launcher), max(ranks or (DEFAULT_RANKS,))
    setup.check_engine()
    of_plan = {name: text for name, text in settings if name in catalog.names("plan")}
    of_points = [(name, text) for name, text in settings if name not in of_plan]
    comparison = pair_of_profiles(between, operation, size, of_points, catalog, crowded=setup.oversubscribed(most))
    comparison = comparison.judged(judge_of(setup, most))
    weights(len(comparison.changes), comparison.possible())
    if not comparison.changes:
        out().print(f"{between[0]} and {between[1]} measure {comparison.what} alike: there is nothing to explain.")
        return 0
    scheduling = {name: read_value(catalog, catalog.field(name, "plan"), text) for name, text in of_plan.items()}
    scheduling.setdefault("order", "shuffled")
    plan = Plan(
        name=f"explain-{between[0]}-{between[1]}",
        profile=None,
        launches=launches or DEFAULT_LAUNCHES,
        rank_counts=(most,),
        budget_s=None,
        scheduling=scheduling,
        points=tuple(points_of(comparison)),
    )
    check_points(setup, plan.points, plan.rank_counts, plan.scheduling)
    directory, outcome = make_run(Prepared(plan, catalog, setup), output)
    return 1 if outcome.state == "interrupted" else _report(directory.path, comparison, outcome.state == "complete")


def _report(path: Path, comparison: MethodPair, complete: bool) -> int:
    """Print and write what a run of all combinations says; return the exit code."""
    run = load_run(path)
    attribution = attribute(times_of(run, comparison), len(comparison.changes), run.meta.seed or 0)
    doubts = [*comparison.notes, *caveats([run])]
    _print(comparison, attribution, doubts, out())
    write_figures(comparison, attribution, path / "explain.json")
    path_line(out(), write_page(comparison, attribution, path / "explain.html", doubts))
    return 0 if complete else 1


def _of_runs(
    paths: tuple[Path, ...], operation: str, size: str, settings: list[tuple[str, str]], ranks: tuple[int, ...] | None
) -> int:
    """Explain runs that exist; exit code 1 if they have not measured all combinations."""
    if len(paths) < 2:
        raise InputError("name a second run to compare with, or two profiles with --between")
    runs = [load_run(path) for path in paths]
    catalog = runs[0].catalog
    uses = catalog.operation(operation).uses
    common = set(runs[0].meta.rank_counts) & set(runs[1].meta.rank_counts)
    if not ranks and not common:
        raise InputError("the two runs have no number of ranks in common; measure one of them again with -n")
    chosen = {name: read_value(catalog, catalog.field(name), text) for name, text in settings}
    question = Question(operation, parse_size(size) if "bytes" in uses else None, max(ranks or common), chosen)
    explained = explain_runs(runs, question, judge_of_runs(question.ranks))
    comparison = explained.comparison
    if not comparison.changes:
        out().print(f"Both runs measured {comparison.what} by the same method: there is nothing to explain.")
        return 0
    if explained.whole_only:
        whole = [whole_sentence(comparison, explained.attribution), *separate_runs(explained.attribution)]
        for sentence in [*whole, *caveats(runs)]:
            out().print(sentence, markup=False)
    else:
        _print(comparison, explained.attribution, caveats(runs), out())
    for line in absence(explained, question, catalog):
        path_line(out(), line)
    return 1 if explained.absent else 0


def _print(comparison: MethodPair, attribution: Attribution, doubts: list[str], console: Console) -> None:
    print_table(console, factors_table(comparison, attribution))
    console.print()
    for sentence in [*sentences(comparison, attribution), *doubts]:
        console.print(sentence, markup=False)
    for sentence in too_few_launches(attribution):
        err().print(sentence, markup=False)
