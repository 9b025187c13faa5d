"""The answer of a first screen: the machine as in its last runs of a plan, or better or worse at what.

The six headline figures of a run are compared with the earlier runs beside it, by run and in one state of the machine,
as `groma compare` compares runs (docs/adr/0024, 0033).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis import Headline, PointSummary, headlines, verdict
from groma.analysis.compare import MARGIN, Judged, Sample, compare_runs, judge
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.machinechecks import RARE_STATE_LIMIT
from groma.analysis.machinestate import MachineState, machine_states, usual_state
from groma.analysis.order import CONFIDENCE, Interval
from groma.analysis.otherruns import MOST_RUNS, OtherRuns, stretches
from groma.results import Run
from groma.results.conditions import conditions
from groma.text.checks import Check, State
from groma.text.counts import counted
from groma.text.numbers import percent, significant

# The plan of the health check: its first run is said to be the first.
_HEALTH = "quick"
_DIGITS = 3


@dataclass(frozen=True)
class _Compared:
    """A headline figure beside the figures of earlier runs: how many of these, and the verdict."""

    headline: Headline
    runs: int
    judged: Judged

    def words(self) -> str:
        """Return the figure and its ratio to that of earlier runs: `Barrier 1.31 times (1.20 to 1.42)`."""
        shift, power = self.judged.comparison.shift, 1 if self.headline.quantity == "time" else -1
        ends = shift.interval(CONFIDENCE) or Interval(-math.inf, math.inf)
        logs = [shift.estimate * power, *sorted((ends.low * power, ends.high * power))]
        ratio, low, high = (significant(math.exp(log), _DIGITS) for log in logs)
        return f"{self.headline.title} {ratio} times ({low} to {high})"


def answer_of(run: Run, summaries: list[PointSummary], found: list[Check], others: OtherRuns) -> Check:
    """Return the run's answer: the machine beside its last runs; or whether figures can be trusted, by these checks."""
    trust = verdict(found)
    return trust if trust.state == "bad" else _machine(run, summaries, others) or trust


def _machine(run: Run, summaries: list[PointSummary], others: OtherRuns) -> Check | None:
    """Say how the run's headline figures compare with those of the runs before it; None if that cannot be said.

    A change of the machine's state is said first. The state of the answer is good only if nothing differs.
    """
    if not summaries or conditions(run).software is None or (not others.earlier and run.meta.name != _HEALTH):
        return None
    if not others.earlier:
        first = "No earlier run of this plan by the same software is in this folder: kept as the first."
        return Check("machine", "unknown", first) if len(others.names) < MOST_RUNS else None
    chosen = headlines(summaries)
    state = usual_state(*others.readings_ns([one.summary for one in chosen]))
    found = _compared(chosen, others, state)
    changed = _of_state(chosen, others, state)
    told = _told(found, len(chosen), others.earlier)
    words = " ".join(filter(None, [changed, told.text]))
    return Check("machine", "warn" if changed and told.state == "good" else told.state, words)


def _compared(chosen: Sequence[Headline], others: OtherRuns, state: MachineState | None) -> list[_Compared]:
    """Compare the headline figures of which enough runs in this state are known."""
    known = []
    for headline in chosen:
        own, units = others.of_run(headline.summary, state), others.in_state(headline.summary, state, earlier=True)
        if own.size and len(units) >= MINIMUM_RUNS:
            *before, last = stretches(units)
            known.append((headline, len(units), compare_runs(Sample([own]), Sample(last, before))[0]))
    judged = judge([comparison for *_, comparison in known], MARGIN)
    return [_Compared(headline, runs, one) for (headline, runs, _), one in zip(known, judged, strict=True)]


def _of_state(chosen: Sequence[Headline], others: OtherRuns, state: MachineState | None) -> str:
    """Say how the state of the machine differs from that of earlier runs, or changed during the run; or nothing."""
    summaries = [one.summary for one in chosen]
    own, every = others.readings_ns(summaries)
    if state is None or len(machine_states(every)) == 1:
        return ""
    if np.mean(state.holds(own)) <= 1 - RARE_STATE_LIMIT:
        return f"The machine changed during this run: core-to-core latency {_range(own)}."
    alike = max(len(others.in_state(one, state, earlier=True)) for one in summaries)
    if alike == others.earlier:
        return ""
    those = "its last run" if others.earlier == 1 else f"{others.earlier - alike} of its last {others.earlier} runs"
    then = every[~state.holds(every)]
    return (
        f"The machine is in another state than in {those} here: core-to-core latency {_range(own)} now, "
        f"{_range(then)} then."
    )


def _range(times_ns: NDArray[np.float64]) -> str:
    least, most = (f"{end:.0f}" for end in (times_ns.min(), times_ns.max()))
    return f"{least} ns" if least == most else f"{least} to {most} ns"


def _told(found: Sequence[_Compared], figures: int, earlier: int) -> Check:
    """Say what the comparisons found: worse, better, not decided, or as before."""
    if not found:
        text = (
            f"{counted(earlier, 'earlier run')} here; a comparison needs {MINIMUM_RUNS} in this state of the machine."
        )
        return Check("machine", "unknown", text)
    last = f"its last {max(one.runs for one in found)} runs here"
    worse, better = ([one for one in found if one.judged.verdict == verdict] for verdict in ("slower", "faster"))
    open_ones = [one for one in found if one.judged.differs and one.judged.verdict == "not decided"]
    words = [f"worse than {last}: {_listed(worse)}"] if worse else []
    words += [f"better{'' if worse else f' than {last}'}: {_listed(better)}"] if better else []
    words += [] if words else [f"the machine is as in {last}: {_as_before(found)}"]
    words += [f"not decided: {_listed(open_ones)}"] if open_ones else []
    words += [f"{figures - len(found)} of {figures} figures have too few earlier runs"] if len(found) < figures else []
    text = "; ".join(words)
    state: State = "warn" if worse else "unknown" if open_ones or len(found) < figures else "good"
    return Check("machine", state, f"{text[0].upper()}{text[1:]}.")


def _as_before(found: Sequence[_Compared]) -> str:
    """Say that figures are the same, or how large a difference these runs have among themselves."""
    figures = counted(len(found), "figure")
    if all(one.judged.verdict == "same" for one in found):
        return f"{figures} {'is' if len(found) == 1 else 'are'} the same within {100 * MARGIN:g} %"
    known = [one.judged.comparison.interval for one in found]
    reach = max(max(ends.high - 1, 1 / ends.low - 1) for ends in known if ends)
    return f"no difference in {figures}; one of {percent(reach)} or more would show"


def _listed(some: Sequence[_Compared]) -> str:
    return ", ".join(one.words() for one in some)
