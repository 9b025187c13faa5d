"""Explains existing runs: which combinations of the factors they measured, and the commands for the others."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.analysis.components import run_deviation
from groma.analysis.grouping import BLOCK_FIELDS, relevant_fields, size_of
from groma.analysis.otherruns import key, launch_logs, other_runs_of
from groma.catalog import Catalog
from groma.catalog.values import write_value
from groma.errors import InputError
from groma.explain.attribution import Attribution, attribute, weights
from groma.explain.factors import (
    NO_FACTORS,
    REPORT_FIELDS,
    Judge,
    MethodPair,
    Setting,
    between,
)
from groma.explain.figures import figure_of
from groma.plan.parts import call_of
from groma.results import Launch, Run
from groma.results.records import Point
from groma.text.counts import counted
from groma.text.sizes import format_size, write_sizes


@dataclass(frozen=True)
class Question:
    """What to explain: an operation, a size, and settings that choose among methods of one run."""

    operation: str
    bytes: int | None
    ranks: int
    settings: Setting


@dataclass(frozen=True)
class Explanation:
    """The result of some runs: the attribution or only the whole ratio, and the legal combinations that are missing."""

    comparison: MethodPair
    attribution: Attribution
    whole_only: bool
    absent: list[int]


def explain_runs(runs: list[Run], question: Question, judge: Judge) -> Explanation:
    """Attribute the ratio of the second run's time to the first's, with all runs' measurements of combinations.

    `judge` says which combinations cannot be measured. Raises InputError if a run has not measured what is asked,
    or was made on something else than the first.
    """
    _alike(runs)
    before, after = (_method(run, question) for run in runs[:2])
    comparison = between((runs[0].path.name, runs[1].path.name), before, after).judged(judge)
    times, origin = _measured(runs, comparison, question)
    changes = len(comparison.changes)
    absent = sorted(comparison.possible() - set(times))
    seed = runs[0].meta.seed or 0
    run_sd = _run_deviation(runs[:2], (before, after), question)
    whole_only = not _separable(changes, set(times))
    if whole_only:
        last = (1 << changes) - 1
        times, origin, changes = {0: times[0], 1: times[last]}, {0: origin[0], 1: origin[last]}, 1
    return Explanation(comparison, attribute(times, changes, seed, origin, run_sd), whole_only, absent)


def _separable(changes: int, possible: set[int]) -> bool:
    try:
        weights(changes, possible)
    except InputError:
        return False
    return True


def _run_deviation(runs: list[Run], methods: tuple[Setting, Setting], question: Question) -> float | None:
    """Return the standard deviation of the logarithm of a run's figure from run to run: the larger of the two methods'.

    None if neither has enough other runs of its plan in its folder.
    """
    deviations = []
    for run, method in zip(runs, methods, strict=True):
        point = {name: value for name, value in method.items() if name not in REPORT_FIELDS}
        name = key(question.ranks, None, point)
        all_runs = [logs[name] for logs in [launch_logs(run), *other_runs_of(run).logs] if name in logs]
        deviations.append(run_deviation(all_runs))
    return max((sd for sd in deviations if sd is not None), default=None)


def absence(explanation: Explanation, question: Question, catalog: Catalog) -> list[str]:
    """Return a sentence on what was not measured, and the commands that measure it."""
    if not explanation.absent:
        return []
    missing = map(explanation.comparison.point, explanation.absent)
    points = {_key(point): point for point in missing}
    text = (
        f"{counted(len(points), 'combination')} of these factors {'was' if len(points) == 1 else 'were'} not measured"
    )
    separated = "the shares use only the orders that were"
    end = "so " + ("the factors cannot be separated" if explanation.whole_only else separated)
    commands = _together(explanation.comparison, question, catalog)
    commands = commands or [_command([point], question, catalog) for point in points.values()]
    runs = "the new run" if len(commands) == 1 else "the new runs"
    return [f"{text}, {end}. Measure what is missing, and name {runs} after these:", *commands]


def _together(comparison: MethodPair, question: Question, catalog: Catalog) -> list[str]:
    """Return the one command that measures all combinations in the same launches, if that is a product of fields."""
    fields = [[name for name in change.before if name not in REPORT_FIELDS] for change in comparison.changes]
    legal = len(comparison.possible()) == 1 << len(comparison.changes)
    if not legal or any(len(names) > 1 for names in fields):
        return []
    whole = (1 << len(comparison.changes)) - 1
    return [_command([comparison.point(0), comparison.point(whole)], question, catalog)]


def _command(points: list[Setting], question: Question, catalog: Catalog) -> str:
    """Return the `groma run` that measures these points, and all mixtures of several."""
    operations = list(dict.fromkeys(point["operation"] for point in points))
    usual = catalog.resolve({"operation": operations[0]})
    words = ["groma", "run", *operations, "-n", str(question.ranks)]
    if question.bytes is not None:
        words += ["--bytes", write_sizes([question.bytes])]
    for name in points[0]:
        values = list(dict.fromkeys(point[name] for point in points))
        if name in usual and name not in {"operation", "bytes"} and values != [usual[name]]:
            words += ["--set", f"{name}={','.join(map(write_value, values))}"]
    return " ".join(words)


def _alike(runs: list[Run]) -> None:
    """Refuse runs of different libraries or hosts: their effect would be attributed to a factor of the method."""
    first = runs[0].meta
    for run in runs[1:]:
        for name in ("name", "version"):
            if getattr(run.meta.library, name) != getattr(first.library, name):
                pair = [f"{meta.library.name} {meta.library.version}" for meta in (first, run.meta)]
                raise InputError(f"the runs are of {pair[0]} and {pair[1]}; explain compares methods with one library")
        if run.meta.host != first.host:
            raise InputError(
                f"the runs are of {first.host} and {run.meta.host}; explain compares methods on one machine"
            )


def _method(run: Run, question: Question) -> Setting:
    """Return the one method by which a run measured what is asked."""
    methods = {
        _key(record.point): record.point
        for launch in run.launches
        if launch.ranks == question.ranks
        for record in _records(launch, question).values()
    }
    place = question.operation if question.bytes is None else f"{question.operation} at {format_size(question.bytes)}"
    if not methods:
        raise InputError(f"{run.path} has not measured {place} on {question.ranks} ranks; see groma show {run.path}")
    named = [point for point in methods.values() if point["operation"] == question.operation]
    points = named or list(methods.values())
    chosen = [point for point in points if question.settings.items() <= point.items()] if len(points) > 1 else points
    if len(chosen) != 1:
        names = [name for name in points[0] if len({json.dumps(point.get(name)) for point in points}) > 1]
        shown = "; ".join(", ".join(f"{name}={point.get(name)}" for name in names) for point in points)
        choose = _of_programs(run, question) or f" ({shown}); choose one with --set"
        raise InputError(f"{run.path} measured {place} in {len(points)} ways{choose}")
    method = chosen[0]
    effort = {name: value for name, value in method.items() if name in NO_FACTORS}
    return relevant_fields(method) | effort | msgspec.structs.asdict(run.meta.report)


def _of_programs(run: Run, question: Question) -> str:
    """Return the command that explains two of the programs that measured what is asked; empty for other runs."""
    parts = run.by_variant() if run.meta.programs else {}
    names = [name for name, part in parts.items() if any(_records(launch, question) for launch in part.launches)]
    if len(names) < 2:
        return ""
    words = ["groma explain --between", *names[:2], "--operation", call_of(question.operation), "-n", question.ranks]
    words += [] if question.bytes is None else ["--bytes", write_sizes([question.bytes])]
    return f", those of {', '.join(names)}; explain two of them: {' '.join(map(str, words))}"


def _measured(
    runs: list[Run], comparison: MethodPair, question: Question
) -> tuple[dict[int, NDArray[np.float64]], dict[int, int]]:
    """Return the launches' figures of every combination, and the run each is taken from: one with many of them."""
    keys = {mask: _key(comparison.point(mask)) for mask in comparison.possible()}
    tables = [[_records(launch, question) for launch in run.launches if launch.ranks == question.ranks] for run in runs]
    combinations = [
        {mask for mask, key in keys.items() if any(key in records for records in table)} for table in tables
    ]
    ends = {0: 0, (1 << len(comparison.changes)) - 1: 1}
    origin: dict[int, int] = {}
    for number in sorted(range(len(runs)), key=lambda number: -len(combinations[number])):
        for mask in combinations[number]:
            if ends.get(mask, number) == number:
                origin.setdefault(mask, number)
    times = {}
    for number, table in enumerate(tables):
        taken = [mask for mask, run in origin.items() if run == number]
        whole = [records for records in table if all(keys[mask] in records for mask in taken)]
        for mask in taken:
            times[mask] = np.array([figure_of(records[keys[mask]], comparison, mask) for records in whole])
    if any(not row.size for row in times.values()):
        raise InputError(
            "no launch of these runs has all of the combinations that its run measured; groma show gives the reason"
        )
    return times, origin


def _records(launch: Launch, question: Question) -> dict[str, Point]:
    return {
        _key(record.point): record
        for record in launch.points
        if record.samples_ns.size
        and call_of(record.point["operation"]) == call_of(question.operation)
        and size_of(record.point) == question.bytes
    }


def _key(point: dict[str, Any]) -> str:
    """Return a key that is the same for points with the same method; single calls have no fields of blocks."""
    idle = {*NO_FACTORS, *REPORT_FIELDS, *(BLOCK_FIELDS if point["timing"] != "block" else ())}
    return json.dumps(
        {name: value for name, value in relevant_fields(point).items() if name not in idle}, sort_keys=True
    )
