"""Why the programs of a run report other times: what `explain` finds at the smallest and the largest common size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from groma.analysis import programs_of, series, side_by_side, summarise
from groma.catalog import Catalog
from groma.errors import InputError, RunError
from groma.explain.asked import EFFORT, judge_of
from groma.explain.attribution import Term, attribute, weights
from groma.explain.factors import MethodPair, Setting, between
from groma.explain.figures import points_of, times_of
from groma.launch.command import Setup
from groma.plan import Plan
from groma.plan.parts import call_of
from groma.results import Run, load_run
from groma.results.reasons import NAME, Reason, Reasons, Share, read_reasons
from groma.run.campaign import Outcome
from groma.run.directory import RunDirectory
from groma.run.measuring import make_run
from groma.run.prepared import Prepared

LAUNCHES = 6  # the fewest that give an interval


def explain_ends(directory: RunDirectory, setup: Setup, catalog: Catalog) -> bool:
    """Measure in folders of the run what its reasons.json lacks; return whether all of it was explained or refused."""
    run = load_run(directory.path)
    known = {reason.key: reason for reason in read_reasons(directory.path)}
    asked = list(_asked(run))
    for reason in asked:
        if reason.key not in known:
            if (found := _explained(run, directory, setup, catalog, reason)) is None:
                return False
            known[reason.key] = found
            directory.write_json(directory.path / NAME, Reasons(1, list(known.values())))
    return True


def _asked(run: Run) -> Iterator[Reason]:
    """Yield what is to be explained: every other program against the first, at the ends of what both measured."""
    for both in side_by_side(run, series(summarise(run))):
        for name, ratios in both.ratios.items():
            sizes = sorted(ratios, key=lambda size: size or 0)
            for size in dict.fromkeys((sizes[0], sizes[-1]) if sizes else ()):
                yield Reason(both.call, both.ranks, size, both.first, name)


def _explained(run: Run, directory: RunDirectory, setup: Setup, catalog: Catalog, asked: Reason) -> Reason | None:
    """Return a reason with its shares, or why it has none; None if its launches ended early."""
    methods = [_method(run, name, asked) for name in (asked.first, asked.other)]
    try:
        comparison = _judged(between((asked.first, asked.other), *_alike(*methods)), setup, asked.ranks)
    except InputError as error:
        return msgspec.structs.replace(asked, refused=str(error))
    if not comparison.changes:
        return msgspec.structs.replace(asked, refused="both measure it alike")
    made, outcome = _measured(directory, Prepared(_plan(run, comparison, asked), catalog, setup))
    if outcome.state == "interrupted":
        return None
    mixtures = load_run(made.path)
    try:
        found = attribute(times_of(mixtures, comparison), len(comparison.changes), mixtures.meta.seed or 0)
    except (InputError, RunError) as error:
        return msgspec.structs.replace(asked, refused=str(error))
    settings = "; ".join(change.settings() for change in comparison.changes)
    shares = [
        _share(change.words(), change.settings(), term)
        for change, term in zip(comparison.changes, found.shares, strict=True)
    ]
    return msgspec.structs.replace(asked, total=_share("together", settings, found.total), shares=shares)


def _plan(run: Run, comparison: MethodPair, asked: Reason) -> Plan:
    """Return the plan of all mixtures of two methods."""
    words = [asked.call, asked.ranks, *([] if asked.bytes is None else [asked.bytes]), asked.other]
    return Plan(
        name="-".join(map(str, words)),
        profile=None,
        launches=LAUNCHES,
        rank_counts=(asked.ranks,),
        budget_s=None,
        scheduling={**run.meta.plan.settings, "order": "shuffled"},
        points=tuple(points_of(comparison)),
    )


def _measured(directory: RunDirectory, prepared: Prepared) -> tuple[RunDirectory, Outcome]:
    """Measure the mixtures in a folder of the run; an earlier one that was interrupted stays."""
    path = directory.path / "reasons" / prepared.plan.name
    return make_run(prepared, path, dated=path.exists())


def _method(run: Run, name: str, asked: Reason) -> Setting:
    """Return by what settings a program measured what is asked, with the effort of `explain`."""
    own = programs_of([run])[name].meta
    point = next(
        point
        for point in own.plan.points
        if call_of(str(point["operation"])) == asked.call and int(point.get("bytes", 0)) == (asked.bytes or 0)
    )
    resolved: dict[str, Any] = run.catalog.resolve(point)
    idle = run.catalog.payload - set(run.catalog.operation(str(point["operation"])).uses)
    used = {field: value for field, value in resolved.items() if field not in idle}
    return used | EFFORT | msgspec.structs.asdict(own.report)


def _alike(before: Setting, after: Setting) -> tuple[Setting, Setting]:
    """Return both with the fields that both have."""
    shared = [name for name in before if name in after]
    return {name: before[name] for name in shared}, {name: after[name] for name in shared}


def _judged(comparison: MethodPair, setup: Setup, ranks: int) -> MethodPair:
    """Return the pair with its illegal mixtures; raises InputError if its factors cannot be separated."""
    judged = comparison.judged(judge_of(setup, ranks))
    weights(len(judged.changes), judged.possible())
    return judged


def _share(words: str, settings: str, term: Term) -> Share:
    ends = (None, None) if term.interval is None else np.exp([term.interval.low, term.interval.high]).tolist()
    return Share(words, settings, term.ratio, *ends)
