"""The verdict in words: who is slow, in which direction, by how much, whether it lasts, and what could not be seen."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence

from groma.programs.pairs.observe import Units
from groma.programs.pairs.slow import BOTH, LEVEL, PAIR, Slow, ratio_in
from groma.programs.pairs.suspects import ALL_ALONE
from groma.programs.pairs.verdict import Verdict
from groma.text.counts import counted
from groma.text.numbers import significant

_FIT = (
    "log time = common part + sender + receiver + pair, by median polish and Tukey's biweight; ratios are of the parts"
)
_ERROR = (
    f"at most {LEVEL:.0%} of runs without slow nodes and links name any, where healthy ones scatter normally: half for "
    "nodes, half for links, each corrected for all that were screened; a name needs two stages"
)
_CONDITIONS = [
    ("fit", _FIT),
    ("error", _ERROR),
    ("direction", "a round trip has none; a stream goes from its sender to its receiver, which answers with 0 bytes"),
    ("alone", f"one pair at a time; up to {ALL_ALONE} nodes all pairs, else suspects beside eight good nodes"),
]
_MOST_NAMED = 32
_MOST_REACH = 100
_ENOUGH = 8  # units, by which one stands out from the others in spite of their scatter


def sentences(said: Verdict) -> list[str]:
    """Return the conclusions, the most important first."""
    if said.unresolved:
        return [said.unresolved, *_few(said)]
    units = said.units
    found = [f"Slow {_described(own, units)}. It lasts." for own in _by_subject(said.lasting)]
    if said.unfinished:
        found.append(_unfinished(said))
        found += [f"Suspect, not confirmed: {_described(own, units)}." for own in _by_subject(said.suspected)]
    elif not found:
        found += _without_a_name(said)
    found += [_passed(one, units) for one in said.passing]
    if said.crowded:
        found.append(
            f"{counted(said.crowded, 'suspect')} of the screening {'was' if said.crowded == 1 else 'were'} as fast as "
            "the others when measured alone: slow only with other traffic, by contention or a transient cause."
        )
    return [*found, *_seen(said), *_hints(said)]


def _ends(one: Slow) -> tuple[int, ...]:
    return (min(one.who), max(one.who))


def _by_subject(found: Sequence[Slow]) -> list[list[Slow]]:
    """Return what is slow by unit or link, in order."""
    subjects: dict[tuple[int, ...], list[Slow]] = {}
    for one in found:
        subjects.setdefault(_ends(one) if len(one.who) > 1 else one.who, []).append(one)
    return list(subjects.values())


def _described(own: list[Slow], units: Units) -> str:
    """Say how slow one unit or link is."""
    return f"{_subject(own, units)}: {'; '.join(dict.fromkeys(measure(one, units) for one in own))}"


def _unfinished(said: Verdict) -> str:
    """Say what is not measured yet, and how to continue."""
    others = "others may be slow too" if said.lasting else "no verdict yet"
    return f"The stages are not done, so {others}: {said.unfinished}. Continue with groma run --resume."


def _without_a_name(said: Verdict) -> list[str]:
    """Say that nothing is slow, if the run could see it; else why it is unknown, and what would help."""
    one = said.units.one
    if not said.is_open:
        return [f"No slow {one} and no slow link was found{' that lasts' if said.passing else ''}."]
    found = []
    if said.is_blind:
        found.append(f"Cannot tell whether a {one} or link is slow: twice the time could have been missed.")
    found += [
        f"Cannot tell why {each.quantity} {way_of(each.who, said.units)} takes {_times(each.ratio)} times the median "
        "of all pairs: neither its ends nor the link stand out from the others."
        for each in said.unexplained
    ]
    more = f"more {said.units.kind}, or " if said.units.count < _ENOUGH else ""
    helps = f"{more}times that scatter less: an idle machine, a CPU for every rank, --set repetitions=100"
    return [*found, f"What would help: {helps}."]


def _subject(own: list[Slow], units: Units) -> str:
    first = own[0]
    if len(first.who) == 1:
        parts = {one.part for one in own if one.part != BOTH}
        way = f", {parts.pop()} only" if len(parts) == 1 else ""
        kind = "" if units.kind == "ranks" else "node "  # a rank's name says what it is
        return f"{kind}{units.names[first.who[0]]}{way}"
    directed = {one.who for one in own if not _is_both(one)}
    if len(directed) == 1:
        return f"link {way_of(directed.pop(), units)}, in this direction only"
    a, b = _ends(first)
    return f"link {units.names[a]} - {units.names[b]}{', both directions' if directed else ''}"


def _is_both(one: Slow) -> bool:
    """Return whether the quantity has no direction: a round trip."""
    return one.part == BOTH or one.quantity.startswith("pingpong")


def way_of(who: tuple[int, ...], units: Units) -> str:
    """Return a unit's name, or a direction as `a -> b`."""
    return " -> ".join(units.names[unit] for unit in who)


def measure(one: Slow, units: Units) -> str:
    """Return quantity and ratio with its interval, as `stream 65536 B sending takes 4.1 times as long (4.0 to 4.2)`."""
    part = "" if one.part in (BOTH, PAIR) else f" {one.part}"
    way = f" {way_of(one.who, units)}" if one.part == PAIR and not _is_both(one) else ""
    return f"{one.quantity}{part}{way} takes {ratio_words(one)}"


def ratio_words(one: Slow) -> str:
    """Return `4.1 times as long (95 % interval 4.0 to 4.2)`."""
    interval = f" (95 % interval {_times(one.low)} to {_times(one.high)})" if math.isfinite(one.low) else ""
    return f"{_times(one.ratio)} times as long{interval}"


def _times(ratio: float) -> str:
    return significant(ratio, 3)


def _passed(one: Slow, units: Units) -> str:
    return (
        f"Passing: {way_of(one.who, units)} was slow when measured alone ({measure(one, units)}), but not when it was "
        "measured again."
    )


def _seen(said: Verdict) -> list[str]:
    """Say what was measured, and the smallest visible ratio."""
    if not said.reach_unit:
        return []
    screen = said.phases["screen"]
    edges = next(iter(screen.edges.values()))
    every = said.units.count * (said.units.count - 1) // 2
    measured = len({(min(pair), max(pair)) for pair in edges.pairs()})
    part = f"{measured} of {every} pairs; a slow link among the others was not seen"
    share = f"all {every} pairs" if measured == every else part
    reach = "; ".join(
        f"{quantity}: {said.units.one} {_reach(said.reach_unit[quantity])}, link {_reach(said.reach_pair[quantity])}"
        for quantity in screen.edges
    )
    blind = max([*said.reach_unit.values(), *said.reach_pair.values()]) > _MOST_REACH
    why = f" Over {_MOST_REACH}: too few {said.units.kind}, or they scatter too much." if blind else ""
    return [f"Measured: {share}. Smallest slowdown this run could have seen, as a factor: {reach}.{why}"]


def _reach(ratio: float) -> str:
    """Return a ratio in words; above the limit, that limit."""
    return _times(ratio) if ratio <= _MOST_REACH else f"over {_MOST_REACH}"


def _hints(said: Verdict) -> list[str]:
    """Say what the number of units leaves open."""
    if said.units.count > 5:
        return []
    with_partners = f"With {said.units.count} {said.units.kind} each has {said.units.count - 1} partners"
    return [f"{with_partners}: two slow links of one look much like a slow {said.units.one}."]


def _few(said: Verdict) -> list[str]:
    """Return, for two or three units, how the directions and pairs compare, without a verdict."""
    found = []
    screen = said.phases.get("screen")
    for edges in screen.edges.values() if screen else ():
        times = dict(zip(edges.pairs(), edges.medians().tolist(), strict=True))
        slowest, fastest = max(times, key=lambda pair: times[pair]), min(times, key=lambda pair: times[pair])
        if slowest == fastest:
            continue
        ratio = math.exp(times[slowest] - times[fastest])
        found.append(
            f"{edges.quantity}: {way_of(slowest, said.units)} takes {_times(ratio)} times as long as "
            f"{way_of(fastest, said.units)}, the fastest."
        )
    return found


def leave_out(said: Verdict) -> list[str]:
    """Return the nodes that last, in the forms that schedulers and launchers take.

    There is no list of ranks of one node, and none if nodes without a name may be slow all the same.
    """
    if said.units.kind != "nodes":
        return []
    slow = [said.units.names[unit] for unit in sorted(said.slow_units)]
    good = [name for name in said.units.names if name not in slow]
    if not slow:
        return [] if said.is_open else ["Slurm: nothing to exclude"]
    shown = good if len(good) <= _MOST_NAMED else [*good[:_MOST_NAMED], f"# and {len(good) - _MOST_NAMED} more"]
    return [f"Slurm: --exclude={','.join(slow)}", f"Hosts left: {','.join(shown)}"]


def conditions(said: Verdict) -> list[tuple[str, str]]:
    """Return the method of the verdict, as names and texts."""
    stages = ", ".join(f"{name} {_span(phase.began, phase.ended)}".rstrip() for name, phase in said.phases.items())
    return [("stages", stages or "none"), *_CONDITIONS]


def _span(began: str, ended: str) -> str:
    try:
        first, last = dt.datetime.fromisoformat(began), dt.datetime.fromisoformat(ended)
    except ValueError:
        return ""
    return f"{first:%H:%M:%S} to {last:%H:%M:%S}"


def evidence(said: Verdict) -> list[list[str]]:
    """Return a row for everything that was slow alone: name, ratio, interval, ratio by stage, persistence."""
    rows = []
    for one in [*said.lasting, *said.passing]:
        stages = [ratio_in(one, said.units.count, said.phases.get(name)) for name in ("screen", "alone", "later")]
        interval = f"{_times(one.low)} to {_times(one.high)}" if math.isfinite(one.low) else "-"
        ratios = [_times(one.ratio), interval, *("-" if math.isnan(ratio) else _times(ratio) for ratio in stages)]
        state = "lasts" if one in said.lasting else "passed"
        rows.append([way_of(one.who, said.units), one.quantity, one.part, *ratios, state])
    return rows


HEADINGS = ["who", "what", "part", "times as long", "95% interval", "screen", "alone", "later", "state"]
