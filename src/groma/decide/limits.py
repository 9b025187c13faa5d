"""A gate by limits of a site: are all figures within their bounds? Those not decided are measured again."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from groma.analysis import PointSummary, summarise
from groma.analysis.limits import Judgement, Limit, Limits, default_limits, judged
from groma.analysis.limits.judging import AGAIN, launches_for
from groma.analysis.otherruns import key
from groma.catalog import Catalog
from groma.decide.gating import CONFIRMATIONS, Code, disturbances
from groma.decide.remeasuring import Wishes, measured_run, only
from groma.decide.sides import check_one_plan
from groma.errors import InputError, RunError
from groma.launch.allocation import allocation
from groma.launch.engine import catalog_in_use
from groma.plan import Draft, Plan, Written, expand, read_profile
from groma.plan.draft import DEFAULT_LAUNCHES, DEFAULT_RANKS
from groma.plan.hosts import NO_HOSTS
from groma.results import Run, load_run
from groma.run.preparing import fit_to_budget, prepare_plan, refuse_under_launcher, set_ranks
from groma.text.checks import Check, State
from groma.text.console import err, path_line
from groma.text.counts import counted

_FIRST = 0.6  # the share of a budget that the first runs get
_CODES = {"pass": Code.NO_REGRESSION, "fail": Code.REGRESSION}


@dataclass(frozen=True)
class Limited:
    """Result of a gate by limits: its code and sentence, the judgement, and the runs that it is about.

    With `skips_undecided`, JUnit's file has a limit that is not decided as skipped, else as an error.
    """

    code: Code
    sentence: str
    judgement: Judgement
    runs: Sequence[Run]
    skips_undecided: bool = False

    @property
    def check(self) -> Check:
        """The sentence as one of what is said first of a run; it is good only if all limits are kept."""
        states: dict[Code, State] = {Code.NO_REGRESSION: "good", Code.REGRESSION: "bad"}
        return Check("limits", states.get(self.code, "warn"), self.sentence)


def decide(judgement: Judgement, runs: Sequence[Run], *, strict: bool = False) -> Limited:
    """Return the result of the gate; on an oversubscribed or disturbed machine a failing figure is no verdict."""
    code, sentence = _CODES.get(judgement.verdict, Code.NOT_DECIDED), judgement.sentence
    if code == Code.REGRESSION and not strict and (disturbed := disturbances(runs)):
        code = Code.NOT_DECIDED
        sentence = f"Advisory, no verdict: {sentence} {' '.join(disturbed)} Use --strict to decide anyway."
    return Limited(code, sentence, judgement, runs)


def decide_on(paths: Sequence[Path], limits: Limits, system: str, *, strict: bool) -> Limited:
    """Return the result by runs that exist; raises InputError for a run and its copy, RunError for a gap."""
    runs = [load_run(path) for path in paths]
    for own in _by_plan(runs):
        check_one_plan("gate", own)
    for run in runs:
        if gaps := run.missing():
            raise RunError(f"{run.path} is incomplete, so nothing is decided: {gaps[0]}")
    return decide(judged(runs, limits, system), runs, strict=strict)


def _by_plan(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Yield the runs of each name of a plan: runs of several plans may be judged together."""
    for name in dict.fromkeys(run.meta.name for run in runs):
        yield [run for run in runs if run.meta.name == name]


def limits_for(
    limits: Limits | None, draft: Draft, system: str, catalog: Catalog, hosts: Sequence[str]
) -> Limits | None:
    """Return the limits for these hosts, or the job's, by which a run of this plan is judged; None if none is for it.

    Without `limits`, those of the configuration. The plan gets as many launches as they need. Raises InputError if
    limits that were asked for are about nothing in the plan.
    """
    hosts = hosts or hosts_here()
    chosen = limits.of(hosts, system) if limits else default_limits(catalog, hosts)
    if chosen is None:
        return None
    points = [catalog.resolve(point) for point in expand(draft, catalog).points]
    own = chosen.about(draft.profile, points)
    if limits and not own.limits:
        raise InputError(f"{limits.path} has no limit for what {draft.name} measures; name other limits, or none")
    draft.launches = launches_for(own, draft.launches)
    return chosen if own.limits else None


def measured(limits: Limits, wishes: Wishes, system: str, *, strict: bool) -> Limited:
    """Measure the points of the limits, those not decided again, and decide on all of it.

    The paths of the runs go to the error output. Raises InputError if a point cannot be measured here, RunError if a
    run fails or is interrupted.
    """
    refuse_under_launcher()
    catalog, times = catalog_in_use(), wishes.confirm or CONFIRMATIONS
    here = limits.of(hosts_here(), system)
    plans = list(_plans(here, catalog, wishes, looks=1 + times))
    prepared = [prepare_plan(plan, catalog, wishes.launcher) for plan in plans]
    runs = [measured_run(one, _place(wishes.output, number)) for number, one in enumerate(prepared)]
    for run in runs:
        path_line(err(), run.path)
    judgement = judged(runs, here, system, looks=1 + times)
    budget_s = wishes.budget_s and wishes.budget_s * (1 - _FIRST) / times / len(runs)
    for number in range(1, times + 1):
        if not (open_lines := judgement.having("not decided")):
            break
        err().print(
            f"{counted(len(open_lines), 'limit')} not decided; measuring again, {number} of at most {times} times.",
            soft_wrap=True,
        )
        for run, one in zip(runs, prepared, strict=True):
            if chosen := _places(run, judgement):
                measured_run(only(one, chosen, budget_s), run.path / f"{AGAIN}{number}")
        judgement = judged(runs, here, system, looks=1 + times)
    return decide(judgement, runs, strict=strict)


def hosts_here() -> list[str]:
    """Return the hosts of the job, or this one."""
    job = allocation()
    return list(job.names) if job and job.names else [socket.gethostname()]


def _plans(limits: Limits, catalog: Catalog, wishes: Wishes, looks: int) -> Iterator[Plan]:
    """Yield the plans that measure the points: one for each profile, and for each number of ranks without one."""
    groups: dict[tuple[str | None, int | None], list[Limit]] = {}
    for limit in limits.limits:
        ranks = None if limit.profile or wishes.ranks else limit.ranks
        groups.setdefault((limit.profile, ranks), []).append(limit)
    launches = wishes.launches or launches_for(limits, DEFAULT_LAUNCHES, looks)
    budget_s = wishes.budget_s and wishes.budget_s * _FIRST / len(groups)
    for (profile, _), own in groups.items():
        draft = read_profile(profile, catalog) if profile else _draft(own)
        _set_ranks(draft, own, wishes)
        draft.launches, draft.budget_s = launches, budget_s
        fit_to_budget(draft, catalog, err())
        plan = expand(draft, catalog)
        points = [point for point in plan.points if limits.about(plan.profile, [catalog.resolve(point)]).limits]
        if not points:
            raise InputError(f"{limits.path}: the profile {profile} does not measure {own[0].label}")
        yield replace(plan, points=tuple(point for point in points if not point.get("twin")))


def _draft(limits: Sequence[Limit]) -> Draft:
    blocks = [{name: Written(value) for name, value in limit.fields.items()} for limit in limits]
    return Draft(name="limits", blocks=blocks)


def _set_ranks(draft: Draft, limits: Sequence[Limit], wishes: Wishes) -> None:
    """Set the ranks of the launches: as asked, else the plan's or the job's, else as many as a limit names."""
    most = max((limit.ranks for limit in limits if limit.ranks), default=DEFAULT_RANKS)
    draft.rank_counts = draft.rank_counts if draft.states_ranks else (max(most, 2),)
    if draft.profile is None and limits[0].ranks:
        draft.states_ranks = True
    set_ranks(draft, wishes.ranks, NO_HOSTS)


def _places(run: Run, judgement: Judgement) -> list[int]:
    """Return the places in a run's plan of the points that are not decided."""
    names = {_name(line.point) for line in judgement.having("not decided") if line.point}
    points = [point for point in summarise(run) if _name(point) in names]
    plan = run.meta.plan.points
    return [at for at, own in enumerate(plan) if any(own.items() <= point.point.items() for point in points)]


def _name(point: PointSummary) -> str:
    return key(point.ranks, point.variant, point.point)


def _place(output: Path | None, number: int) -> Path | None:
    """Return where the run of a plan goes: the first one to the folder asked for, others beside it."""
    return output if output is None or number == 0 else output.with_name(f"{output.name}-{number + 1}")
