"""The stages: all pairs in rounds, suspects again, each suspect alone, and each alone again later.

Every decision follows from the run and its stages alone, so that a resumed run goes on as the other one would have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from groma.plan.stages import Stage
from groma.programs.pairs.observe import PATTERN, SYMMETRIC, Phase, Units, phase_of, units_of
from groma.programs.pairs.rounds import Pair, Round, disjoint, screening
from groma.programs.pairs.slow import Limits, judge
from groma.programs.pairs.suspects import ALL_ALONE, LEAST_UNITS, Suspects, confirmed, duels, suspects
from groma.results import Run
from groma.text.counts import counted

ONE_HOST = 6  # how many times shorter the pause is on one host


def next_stage(run: Run, done: Mapping[str, Run]) -> Stage | None:
    """Return the stage after those that are done; None if the verdict needs no more."""
    units = units_of(run)
    if not done:
        return _screen(run, units)
    limits = Limits.of(run)
    last = list(done)[-1]
    phase = phase_of(last, done[last], units)
    if last == "later" or units.count < LEAST_UNITS or not phase.edges:
        return None
    if last == "alone":
        return _later(run, units, done, phase, limits)
    return _again(run, units, last, phase, limits)


def _later(run: Run, units: Units, done: Mapping[str, Run], alone: Phase, limits: Limits) -> Stage | None:
    """Return the stage that measures what was slow alone once more; None if nothing was."""
    named = judge(units.count, alone, limits)
    if not named:
        return None
    before = "suspects" if "suspects" in done else "screen"
    found = suspects(units.count, phase_of(before, done[before], units), limits.slow, _most(units, before, limits))
    pairs = duels(units.count, confirmed(found, named))
    reason = f"{counted(len(named), 'slow direction')} again after a pause, to see whether they stay slow"
    pause_s = float(run.meta.program["pause_s"]) / (ONE_HOST if units.kind == "ranks" else 1)
    return Stage("later", _points(run, units, [[pair] for pair in pairs]), reason, pause_s)


def _most(units: Units, last: str, limits: Limits) -> int:
    """Return how many units, and links, of a stage may be suspects."""
    return limits.suspects if last == "suspects" or units.count <= ALL_ALONE else 2 * limits.suspects


def _again(run: Run, units: Units, last: str, phase: Phase, limits: Limits) -> Stage | None:
    """Return the stage that measures the suspects of a stage again; None if there are none."""
    found = suspects(units.count, phase, limits.slow, _most(units, last, limits))
    if not found.any:
        return None
    if last == "screen" and units.count > ALL_ALONE:
        said = f"{_listed(found, units)} among each other and against good {units.kind}."
        return Stage("suspects", _points(run, units, disjoint(_tournament(units, found))), said)
    pairs = duels(units.count, found)
    said = f"{_listed(found, units)} alone, {counted(len(pairs), 'pair')} one after another."
    return Stage("alone", _points(run, units, [[pair] for pair in pairs]), said)


def _screen(run: Run, units: Units) -> Stage | None:
    settings = run.meta.program
    if units.count < 2:
        return None
    limits = int(settings["pairs"]), int(settings["rounds"]), run.meta.seed
    rounds = screening(units.count, *limits, one_host=units.kind == "ranks")
    measured, every = sum(map(len, rounds)), units.count * (units.count - 1) // 2
    share = f"all {every} pairs" if measured == every else f"{measured} of {every} pairs"
    reason = f"{share} of {units.count} {units.kind} in {counted(len(rounds), 'round')}."
    return Stage("screen", _points(run, units, rounds), reason)


def _tournament(units: Units, found: Suspects) -> list[Pair]:
    """Return the pairs that judge the suspects, and the suspects among each other."""
    among = [(min(a, b), max(a, b)) for at, a in enumerate(found.units) for b in found.units[at + 1 :]]
    return list(dict.fromkeys([*duels(units.count, found), *among]))


def _points(run: Run, units: Units, rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """Return the run's points for every round; what only the sender times is measured in both directions."""
    return [
        point | _pattern(pairs, units)
        for one in rounds
        for point in run.meta.plan.points
        for pairs in ((one,) if str(point["operation"]).startswith(SYMMETRIC) else (one, [(b, a) for a, b in one]))
    ]


def _pattern(pairs: Sequence[Pair], units: Units) -> dict[str, Any]:
    listed = ",".join(str(units.ranks[unit]) for pair in pairs for unit in pair)
    return {"pattern": PATTERN + listed, "per_rank": True}


def _listed(found: Suspects, units: Units) -> str:
    """Return how many are suspects, in words."""
    parts = []
    if found.units:
        parts.append(counted(len(found.units), f"slow {units.one}"))
    if found.pairs:
        parts.append(counted(len(found.pairs), "slow pair"))
    return " and ".join(parts)
