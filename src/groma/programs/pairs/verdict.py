"""The verdict of a run: slow nodes and links, suspects so far, and the blind spots.

A named unit was slow alone and again later (`slow`), so that a false name needs both to err. "Nothing is slow"
is said only if all stages are done, a slowdown of twice would have stood out, and no pair is left that took more
than twice the median of all and was not faster alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from groma.programs.pairs.observe import STAGES, Edges, Phase, Units, phase_of, units_of
from groma.programs.pairs.outliers import outliers
from groma.programs.pairs.slow import LEVEL, PAIR, Limits, Slow, judge, pooled
from groma.programs.pairs.stages import next_stage
from groma.programs.pairs.suspects import LEAST_UNITS, suspects, suspicions
from groma.results import Run

VISIBLE = 2.0  # the slowdown that a search for slow nodes and links should reveal


@dataclass(frozen=True)
class Verdict:
    """The verdict of a run: persistent, transient and traffic-only slowdowns, and the smallest visible slowdown.

    reach_unit   the smallest ratio at which one more unit would be a suspect in the screening, by quantity
    reach_pair   the same for a pair
    unresolved   why nothing can be said of nodes against links, or empty
    unfinished   why the stages are not done, or empty; `suspected` is then what the stages so far found slow
    unexplained  the slowest pair of each quantity that no name and no later stage explains
    """

    units: Units
    phases: dict[str, Phase]
    lasting: tuple[Slow, ...] = ()
    passing: tuple[Slow, ...] = ()
    crowded: int = 0
    reach_unit: dict[str, float] = field(default_factory=dict)
    reach_pair: dict[str, float] = field(default_factory=dict)
    unresolved: str = ""
    unfinished: str = ""
    suspected: tuple[Slow, ...] = ()
    unexplained: tuple[Slow, ...] = ()

    @property
    def slow_units(self) -> list[int]:
        """The units that last, each once, the slowest first."""
        return list(dict.fromkeys(one.who[0] for one in self.lasting if len(one.who) == 1))

    @property
    def is_blind(self) -> bool:
        """True if a unit or pair that is twice as slow could have been missed."""
        return max([*self.reach_unit.values(), *self.reach_pair.values()], default=np.inf) > VISIBLE

    @property
    def is_open(self) -> bool:
        """True if unnamed units or pairs may be slow too."""
        return bool(self.unresolved or self.unfinished or self.is_blind or self.unexplained)


def verdict(run: Run, stages: dict[str, Run]) -> Verdict:
    """Return the verdict of a run and its measured stages."""
    units = units_of(run)
    phases = {name: phase_of(name, stages[name], units) for name in STAGES if name in stages}
    screen = phases.get("screen")
    if units.count < LEAST_UNITS:
        few = f"{units.count} {units.kind}" if units.count else "no ranks"
        why = f"{few} cannot separate a slow node from a slow link: at least {LEAST_UNITS} are needed."
        return Verdict(units, phases, unresolved=why)
    unfinished = _unfinished(run, stages)
    if screen is None or not screen.edges:
        return Verdict(units, phases, unfinished=unfinished or "no pair has a figure")
    limits = Limits.of(run, sum(edges.senders.size for edges in screen.edges.values()))
    reach_unit, reach_pair = _reach(units.count, screen, limits)
    first = judge(units.count, phases["alone"], limits) if "alone" in phases else []
    later = judge(units.count, phases["later"], limits) if "later" in phases else []
    again = {one.key for one in later}
    lasting = [pooled(one, units.count, phases) for one in first if one.key in again]
    others = [one for one in first if one.key not in again]
    found = suspects(units.count, screen, limits.slow, 2 * limits.suspects)
    alone_is_done = _is_whole(stages.get("alone"))
    crowded = len(found.units) + len(found.pairs) if alone_is_done and not first else 0
    said = Verdict(units, phases, tuple(lasting), (), crowded, reach_unit, reach_pair, unfinished=unfinished)
    if unfinished:
        return replace(said, suspected=tuple(others if alone_is_done else _suspected(units, phases, stages, limits)))
    return replace(said, passing=tuple(others), unexplained=tuple(unexplained(phases, lasting)))


def _is_whole(stage: Run | None) -> bool:
    return stage is not None and stage.meta.state == "complete" and not stage.missing()


def _unfinished(run: Run, stages: dict[str, Run]) -> str:
    """Return why more has to be measured, or an empty string."""
    for name, stage in stages.items():
        if stage.meta.state != "complete":
            return f"stage {name} is {stage.meta.state}"
        if gaps := stage.missing():
            return f"stage {name} lacks figures: {gaps[0].rstrip('.')}"
    after = next_stage(run, stages)
    return f"stage {after.name} was not measured" if after else ""


def _suspected(units: Units, phases: dict[str, Phase], stages: dict[str, Run], limits: Limits) -> list[Slow]:
    """Return what is slow by the last stage before `alone` that is whole, or by what there is of the screening."""
    names = [name for name in ("screen", "suspects") if _is_whole(stages.get(name)) and phases[name].edges]
    phase = phases[names[-1] if names else "screen"]
    chosen = suspects(units.count, phase, limits.slow, limits.suspects)
    who = {*((unit,) for unit in chosen.units), *chosen.pairs}
    return [one for one, _ in suspicions(units.count, phase, limits.slow) if tuple(sorted(one.who)) in who]


def unexplained(phases: dict[str, Phase], lasting: list[Slow]) -> list[Slow]:
    """Return the slowest pair of each quantity that took more than twice the median of all, and was no faster alone.

    Pairs of what lasts are left out.
    """
    known = {who for one in lasting for who in (one.who, one.who[::-1])}
    found = []
    for quantity in phases["screen"].edges:
        ratios: dict[tuple[int, int], Slow] = {}
        for name, phase in phases.items():  # what was measured last counts
            if quantity in phase.edges:
                edges = phase.edges[quantity]
                ratios |= {
                    who: Slow(who, quantity, PAIR, ratio, np.nan, np.nan, name)
                    for who, ratio in zip(edges.pairs(), ratios_of(edges).tolist(), strict=True)
                }
        left = [one for who, one in ratios.items() if known.isdisjoint({who, *((unit,) for unit in who)})]
        found += sorted((one for one in left if one.ratio > VISIBLE), key=lambda one: -one.ratio)[:1]
    return found


def ratios_of(edges: Edges) -> np.ndarray:
    """Return how many times the median of all pairs each takes."""
    medians = edges.medians()
    return np.asarray(np.exp(medians - np.median(medians)))


def _reach(count: int, screen: Phase, limits: Limits) -> tuple[dict[str, float], dict[str, float]]:
    """Return the smallest ratios at which a unit, and a pair, would be named, given the spread of the screening."""
    of_units, of_pairs = {}, {}
    for quantity, edges in screen.edges.items():
        parts = edges.fit(count)
        reaches = [
            outliers(effects, level=LEVEL / 2 / screen.tests, most=max(1, min(limits.suspects, (count - 2) // 2))).reach
            for effects in (parts.sender, parts.receiver)
        ]
        pairs = outliers(
            parts.deleted, level=LEVEL / 2 / len(screen.edges), most=2 * limits.suspects, parts=parts.parts
        )
        of_units[quantity] = max(limits.slow, float(np.exp(max(reaches))))
        of_pairs[quantity] = max(limits.slow, float(np.exp(pairs.reach)))
    return of_units, of_pairs
