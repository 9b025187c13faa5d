"""The runs of `groma gate`: the plan of a baseline, then the suspects again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from groma.catalog.refinement import Refinement
from groma.decide import Side, compare_sides
from groma.decide.gating import CONFIRMATIONS, Gate, confirmed, decide, places, suspects
from groma.errors import InputError, RunError
from groma.launch.engine import catalog_in_use
from groma.plan import Plan
from groma.results import Run, load_run
from groma.run.directory import RunDirectory
from groma.run.measuring import make_run
from groma.run.prepared import Prepared
from groma.run.preparing import prepare_plan, refuse_under_launcher
from groma.run.stages import plan_of
from groma.text.console import err, path_line
from groma.text.counts import counted

_FIRST = 0.6  # the share of a budget that the first run gets


@dataclass(frozen=True)
class Wishes:
    """Measuring options given to a gate; None: those of the baseline."""

    ranks: tuple[int, ...] | None
    launches: int | None
    output: Path | None
    launcher: str | None
    budget_s: float | None
    confirm: int | None
    budget_of_each: bool = False  # the budget is that of one visit, not of all runs

    @property
    def first_budget_s(self) -> float | None:
        """The time that the first run may take, in seconds."""
        return self.budget_s and self.budget_s * (1 if self.budget_of_each else _FIRST)

    def later_budget_s(self, times: int) -> float | None:
        """Return the time that each of `times` further runs may take, in seconds."""
        return self.budget_s and self.budget_s * (1 if self.budget_of_each else (1 - _FIRST) / times)


def measured(base: Side, wishes: Wishes, margin: float, *, strict: bool) -> Gate:
    """Measure the baseline's plan, the suspects again, and decide on all of it.

    The run's path goes to the error output. Raises InputError if the plan cannot be measured here, RunError if a
    run fails or is interrupted.
    """
    prepared = prepared_for(base, wishes)
    plan = prepared.plan
    first_run = measured_run(prepared, wishes.output)
    path_line(err(), first_run.path)
    now = Side("now", [first_run])
    compared = compare_sides(base, now, margin)
    rows = suspects(compared)
    if rows:
        times = wishes.confirm or (1 if plan.every_s else CONFIRMATIONS)
        err().print(
            f"{len(rows)} of {counted(len(compared.rows), 'point')} may be slower; measuring "
            f"{'it' if len(rows) == 1 else 'them'} again in {counted(times, 'run')}.",
            soft_wrap=True,
        )
        again = only(prepared, places(first_run, rows), wishes.later_budget_s(times))
        further = [measured_run(again, first_run.path / f"confirm-{number}") for number in range(1, times + 1)]
        # Rounds at an interval lie apart in time.
        now = Side("now", [first_run, *further], in_succession=not plan.every_s)
        compared = confirmed(compared, base, now)
    return decide(compared, list(now.runs), strict=strict)


def prepared_for(base: Side, wishes: Wishes) -> Prepared:
    """Return what measures the baseline's plan here; raises InputError if it cannot be measured."""
    refuse_under_launcher()
    directory, catalog = RunDirectory(base.run.path), catalog_in_use()
    plan = _wished(plan_of(directory, directory.read(), catalog), wishes)
    return prepare_plan(plan, catalog, wishes.launcher)


def _wished(plan: Plan, wishes: Wishes) -> Plan:
    """Return the baseline's plan with the given options; copies of points and a fixed seed are omitted."""
    counts = wishes.ranks or plan.rank_counts
    unknown = sorted(set(counts) - set(plan.rank_counts))
    if unknown:
        measured_counts = ", ".join(map(str, plan.rank_counts))
        raise InputError(f"the baseline has no launches on {unknown[0]} ranks; it has {measured_counts}")
    if plan.every_s and wishes.budget_s:
        raise InputError("the baseline's rounds start at an interval, and cannot have a budget; leave out --budget")
    return replace(
        plan,
        rank_counts=counts,
        launches=wishes.launches or plan.launches,
        budget_s=wishes.first_budget_s or plan.budget_s,
        scheduling={name: value for name, value in plan.scheduling.items() if name != "seed"},
        points=tuple(point for point in plan.points if not point.get("twin")),
        refinement=Refinement(),
    )


def only(prepared: Prepared, chosen: list[int], budget_s: float | None) -> Prepared:
    """Return the plan of some of the points alone."""
    plan = prepared.plan
    fewer = replace(plan, points=tuple(plan.points[at] for at in chosen), budget_s=budget_s, within=None)
    refused = {
        variant: {place: reasons[at] for place, at in enumerate(chosen) if at in reasons}
        for variant, reasons in prepared.refused.items()
    }
    return replace(prepared, plan=fewer, refused=refused)


def measured_run(prepared: Prepared, path: Path | None, *, dated: bool = False) -> Run:
    """Return a run of a gate, in a directory as `make_run` names it; raises RunError unless it is complete."""
    directory, outcome = make_run(prepared, path, dated=dated)
    run = load_run(directory.path)
    gaps = run.missing()
    if outcome.state != "complete" or gaps:
        gap = gaps[0] if gaps else f"it is {outcome.state}"
        raise RunError(f"the gate's run {run.path} failed, so nothing is decided: {gap}")
    return run
