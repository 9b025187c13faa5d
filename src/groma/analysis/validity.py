"""The checks of a run: what was tested, what was found, and what it means for the figures."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from groma.analysis import steadiness
from groma.analysis.calibration import calibration_of
from groma.analysis.check import Check, State
from groma.analysis.clockshare import (
    CLOCK_SHARE_LIMIT,
    WITHOUT_CLOCK,
    UnevenPaths,
    clock_doubt_ns,
    clock_share,
    uneven_paths,
)
from groma.analysis.meaning import meaning
from groma.analysis.noise import LOST_SHARE_LIMIT, lost, observations
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.summary import FOREIGN_CORES_LIMIT, is_disturbed, summarise, where
from groma.counts import counted
from groma.results.missing import never_measured
from groma.results.spans import these_launches

if TYPE_CHECKING:
    from groma.analysis.summary import PointSummary
    from groma.results import Launch, Run
    from groma.results.documents import Nodes

ROUNDING_LIMIT = 0.01
HARNESS_SHARE_LIMIT = 0.1
INVALID_SHARE_LIMIT = 0.05
BARRIER_SKEW_LIMIT = 0.1
MACHINE_CHANGE_LIMIT = 1.5
HALF_WIDTH_LIMIT = 0.1


def checks(run: Run, summaries: list[PointSummary]) -> list[Check]:
    """Return the checks of a run, in the order in which to read them."""
    started = [launch for launch in run.launches if launch.start is not None]
    if not started:
        return [Check("ranks", "bad", "No launch wrote a first record: nothing was measured.")]
    return [
        _ranks(run, started),
        _placement(started),
        _oversubscription(started),
        _clock(started, summaries),
        *_global_clock(started, summaries),
        *_starts(summaries),
        *_replaced(summaries),
        *_barrier(summaries),
        *steadiness.checks(summaries),
        *_machine(started),
        _noise(started),
        *_hardware(summaries),
        _data(run, summaries),
        _intervals(summaries),
        *_calibration(run, summaries),
        _completeness(run),
    ]


def verdict(all_checks: list[Check]) -> Check:
    """Return one verdict on the whole run: its state is the worst of the checks."""
    named = {
        state: [check.name for check in all_checks if check.state == state] for state in ("bad", "warn", "unknown")
    }
    if named["bad"]:
        return Check("verdict", "bad", f"Not trustworthy, since checks failed: {', '.join(named['bad'])}.")
    doubts = named["warn"] + named["unknown"]
    if doubts:
        return Check("verdict", "warn", f"The figures are usable, with reservations: {', '.join(doubts)}.")
    return Check("verdict", "good", "The figures can be trusted: every check passed.")


def _ranks(run: Run, started: list[Launch]) -> Check:
    wrong = [launch for launch in started if launch.meta and launch.start and launch.meta.ranks != launch.start.ranks]
    if wrong:
        launch = wrong[0]
        asked, got = launch.meta.ranks if launch.meta else 0, launch.ranks
        return Check("ranks", "bad", f"Launch {launch.number} ran {got} ranks where {asked} were asked for.")
    counts = Counter(launch.ranks for launch in started)
    text = ", ".join(f"{ranks} ranks in {counted(launches, 'launch')}" for ranks, launches in sorted(counts.items()))
    unasked = set(counts) - set(run.meta.rank_counts)
    if unasked:
        return Check("ranks", "bad", f"{text}; the run asked for {', '.join(map(str, run.meta.rank_counts))}.")
    return Check("ranks", "good", f"{text}, as asked.")


def _placement(started: list[Launch]) -> Check:
    known = [launch.nodes for launch in started if launch.nodes is not None]
    if not known:
        return Check("placement", "unknown", "No launch recorded where its ranks were.")
    largest = max(known, key=lambda nodes: len(nodes.ranks))
    hosts = "one host" if len(largest.nodes) == 1 else f"{len(largest.nodes)} hosts"
    if any(len(nodes.nodes) != len(largest.nodes) for nodes in known if len(nodes.ranks) == len(largest.ranks)):
        return Check("placement", "warn", "The ranks were on more hosts in some launches than in others.")
    moving = next((nodes for nodes in known if not _kept_apart(nodes)), None)
    if moving is None:
        return Check("placement", "good", f"All ranks on {hosts}, each bound to CPUs of its own.")
    masks = sorted({place.allowed_cpus for place in moving.ranks})
    return Check(
        "placement", "warn", f"All ranks on {hosts}, free to move between shared CPUs ({', '.join(masks[:3])})."
    )


def _kept_apart(nodes: Nodes) -> bool:
    """Tell whether no CPU is allowed to two ranks of one host."""
    taken: set[tuple[int, int]] = set()
    for place in nodes.ranks:
        allowed = {(place.node, cpu) for cpu in cpu_list(place.allowed_cpus)}
        if not allowed or taken & allowed:
            return False
        taken |= allowed
    return True


def cpu_list(text: str) -> list[int]:
    """Return the CPUs of a kernel list such as `0-3,8`."""
    cpus: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def _oversubscription(started: list[Launch]) -> Check:
    crowded = [launch.number for launch in started if launch.start and launch.start.oversubscribed]
    if not crowded:
        return Check("oversubscription", "good", "Every rank had a CPU to itself.")
    return Check(
        "oversubscription",
        "bad",
        f"More ranks than CPUs in {counted(len(crowded), 'launch')}: the figures measure the scheduler as much as MPI.",
    )


def _clock(started: list[Launch], summaries: list[PointSummary]) -> Check:
    start = started[0].start
    used = {str(summary.point.get("clock", "monotonic")) for summary in summaries}
    clocks = [clock for clock in start.clocks if clock.name in used and clock.read_ns] if start else []
    if not clocks or start is None or start.harness is None or not summaries:
        return Check("clock", "unknown", "The clock was not described in the records.")
    clock = max(clocks, key=lambda clock: clock.resolution_ns or 0.0)
    step_ns, read_ns = clock.resolution_ns or 0.0, clock.read_ns or 0.0
    shortest = min(summaries, key=lambda summary: summary.sample_ns)
    step = step_ns / shortest.sample_ns if shortest.sample_ns > 0 else 1.0
    call_ns, block_ns = read_ns + start.harness.call_ns, start.harness.block_ns
    shares = {summary: _harness_share(summary, call_ns, block_ns) for summary in summaries}
    worst = max(summaries, key=lambda summary: shares[summary])
    doubtful = step / 2 > ROUNDING_LIMIT or shares[worst] > HARNESS_SHARE_LIMIT
    return Check(
        "clock",
        "warn" if doubtful else "good",
        f"{clock.name}: steps of {step_ns:.4g} ns, {step:.1%} of the shortest sample ({where(shortest)}); "
        f"measuring overhead at most {shares[worst]:.1%} ({where(worst)}).",
    )


def _global_clock(started: list[Launch], summaries: list[PointSummary]) -> list[Check]:
    """Judge the clock that all ranks shared, where a point needed one."""
    errors = {
        summary: [launch.clock_error for launch in summary.launches if launch.clock_error is not None]
        for summary in summaries
    }
    clocked = {summary: clock_errors for summary, clock_errors in errors.items() if clock_errors}
    if not clocked:
        return []
    worst = max(max(error.before_ns, error.after_ns) for clock_errors in clocked.values() for error in clock_errors)
    bound = max(error.bound_ns for clock_errors in clocked.values() for error in clock_errors)
    if worst == bound == 0:
        return [Check("global clock", "good", "One shared clock: no skew.")]
    shares = {summary: share for summary in clocked if (share := clock_share(summary)) is not None}
    text = f"measured error at most {worst:.0f} ns, error bound {bound:.0f} ns{_of_figures(shares)}"
    text += _clocks_learned(started)
    uneven = uneven_paths(started)
    text += f"; {uneven.words()}" if uneven else ""
    methods = sorted({clock.method for launch in started if launch.start for clock in launch.start.global_clock})
    text = f"{', '.join(methods)}: {text}" if methods else text.capitalize()
    broken = [summary for summary, clock_errors in clocked.items() if not all(error.valid for error in clock_errors)]
    if broken:
        limit = f"more than max_clock_error_us allows, in {counted(len(broken), 'point')} ({where(broken[0])}, ...)"
        return [Check("global clock", "bad", f"{text}: {limit}.")]
    limit_ns = min(error.limit_ns or math.inf for clock_errors in clocked.values() for error in clock_errors)
    doubt = _clock_doubt(shares, uneven, limit_ns)
    if not doubt:
        return [Check("global clock", "good", f"{text}.")]
    remedy = f"Pings cannot see that a path takes longer one way than back; {WITHOUT_CLOCK} needs no global clock"
    return [Check("global clock", "warn", f"{text}: {doubt}. {remedy}.")]


def _clock_doubt(shares: dict[PointSummary, float], uneven: UnevenPaths | None, limit_ns: float) -> str:
    """Say why figures that depend on the clock are doubtful although it kept its limit; empty if none is."""
    doubtful = sum(share > CLOCK_SHARE_LIMIT for share in shares.values())
    if doubtful:
        return f"more than {CLOCK_SHARE_LIMIT:.0%} of the figure in {counted(doubtful, 'point')}"
    if shares and uneven is not None and uneven.hidden_ns > limit_ns:
        return "a clock synchronised over that path has an error above max_clock_error_us"
    return ""


def _of_figures(shares: dict[PointSummary, float]) -> str:
    """Return the largest share of a figure that the error bound makes up, among figures that depend on the clock."""
    if not shares:
        return ""
    worst = max(shares, key=lambda summary: shares[summary])
    share = f"{shares[worst]:.1%} of a figure" if shares[worst] < 1 else f"{shares[worst]:.3g} times a figure"
    return f", up to {share} ({where(worst)})"


def _clocks_learned(started: list[Launch]) -> str:
    """Say how fast the clocks drifted apart, and how often one was resynchronised."""
    outcomes = [outcome for launch in started if launch.end for outcome in launch.end.global_clock]
    if not outcomes:
        return ""
    drift_ppm = max(abs(outcome.drift_ppm) for outcome in outcomes)
    resyncs = sum(outcome.synchronised - 1 for outcome in outcomes)
    return f"; drift of up to {drift_ppm:.3g} ppm" + (f", resynchronised {counted(resyncs, 'time')}" if resyncs else "")


def _starts(summaries: list[PointSummary]) -> list[Check]:
    """Say how many start deadlines were missed, where ranks start by the clock."""
    paced = [summary for summary in summaries if summary.point.get("sync") in {"window", "roundtime"}]
    if not paced:
        return []
    worst = max(paced, key=lambda summary: summary.invalid_share)
    share = worst.invalid_share
    text = f"At most {share:.1%} of a point's repetitions began late or overran ({where(worst)}); discarded."
    return [Check("start deadlines", "warn" if share > INVALID_SHARE_LIMIT else "good", text)]


def _replaced(summaries: list[PointSummary]) -> list[Check]:
    """Name the points that could not be measured as asked, with what they were measured by; nothing where all were."""
    replaced = [(summary, launch) for summary in summaries for launch in summary.launches if launch.replaced]
    if not replaced:
        return []
    summary, launch = replaced[0]
    name, change = next(iter(launch.replaced.items()))
    points = len({id(summary) for summary, _ in replaced})
    text = (
        f"{counted(points, 'point')} could not be measured with {name}={change.asked} in every launch; "
        f"{name}={summary.point[name]} replaced it ({where(summary)}, launch {launch.launch}: {change.because})."
    )
    return [Check("method", "warn", text)]


def _barrier(summaries: list[PointSummary]) -> list[Check]:
    """Say how far apart the ranks left MPI_Barrier, relative to the time measured after it (sync=barrier)."""
    shares = {
        summary: summary.arrival_skew_ns / summary.sample_ns
        for summary in summaries
        if summary.point.get("sync") == "barrier" and summary.arrival_skew_ns is not None and summary.sample_ns > 0
    }
    if not shares:
        return []
    worst = max(shares, key=lambda summary: shares[summary])
    doubt_ns = clock_doubt_ns(worst)
    by = f" ±{_microseconds(doubt_ns)} by the global clock" if doubt_ns else ""
    text = (
        f"Ranks left MPI_Barrier up to {_microseconds(worst.arrival_skew_ns or 0.0)} µs apart (median){by}, "
        f"{shares[worst]:.1%} of the time measured after it ({where(worst)})."
    )
    return [Check("barrier", "warn" if shares[worst] > BARRIER_SKEW_LIMIT else "good", text)]


def _microseconds(time_ns: float) -> str:
    return f"{time_ns / 1000:{'.3g' if time_ns < 1e6 else '.0f'}}"


def _harness_share(summary: PointSummary, call_ns: float, block_ns: float) -> float:
    """Return the share of a repetition's time that is overhead, at most: the time of an empty operation."""
    if meaning(summary.point).family == "harness" or summary.time_ns <= 0:
        return 0.0
    cost = call_ns if summary.point.get("timing") == "call" else block_ns
    return cost / (summary.time_ns * summary.launches[0].divisor)


def _machine(started: list[Launch]) -> list[Check]:
    """Say whether the machine was equally fast in all launches, measured without MPI; nothing for one launch."""
    known = {launch.number: launch.start.limits.line_bounce_ns for launch in started if launch.start}
    ways = {number: way for number, way in known.items() if way}
    if len(ways) < 2:
        return []
    least, most = min(ways.values()), max(ways.values())
    text = f"Without MPI, a cache line went from CPU to CPU in {least:.0f} to {most:.0f} ns"
    if most <= MACHINE_CHANGE_LIMIT * least:
        return [Check("machine", "good", f"{text} in all launches.")]
    slow = [number for number, way in ways.items() if way * way > least * most]
    return [
        Check(
            "machine", "warn", f"{text}: the machine changed between launches, and was slow in {these_launches(slow)}."
        )
    ]


def _noise(started: list[Launch]) -> Check:
    taken = lost(one for launch in started for one in observations(launch))
    loads = [launch.foreign_cores for launch in started if launch.foreign_cores is not None]
    if taken is None and not loads:
        return Check("noise", "unknown", "Noise was not measured.")
    foreign = f"other processes took up to {max(loads, default=0):.2f} cores"
    quiet = (
        foreign.capitalize()
        if taken is None
        else f"{taken.share:.2%} of the CPU time observed was lost to interruptions, at most "
        f"{_stall(taken.longest_ns)} at once; {foreign}"
    )
    disturbed = [launch.number for launch in started if is_disturbed(launch)]
    if disturbed:
        state: State = "bad" if 2 * len(disturbed) > len(started) else "warn"
        limit = f"above {FOREIGN_CORES_LIMIT:.0%} of a core in {these_launches(disturbed)}"
        return Check("noise", state, f"{quiet}, {limit}.")
    return Check("noise", "warn" if taken is not None and taken.share > LOST_SHARE_LIMIT else "good", f"{quiet}.")


def _stall(ns: float) -> str:
    value, unit = (ns / 1e6, "ms") if ns >= 1e6 else (ns / 1e3, "µs")
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.2g} {unit}"


def _hardware(summaries: list[PointSummary]) -> list[Check]:
    """Say whether a figure is below what the hardware needs without MPI; nothing where that is not known."""
    known = [summary for summary in summaries if summary.limit is not None and summary.time_ns > 0]
    if not known:
        return []
    nearest = min(known, key=lambda summary: summary.limit.multiple if summary.limit else math.inf)
    times = f"{nearest.limit.multiple if nearest.limit else 0:.2f} times the core-to-core minimum ({where(nearest)})"
    below = [summary for summary in known if summary.limit and summary.time_ns < summary.limit.ns]
    if not below:
        return [Check("hardware minimum", "good", f"No figure is below it: the nearest is {times}.")]
    clearly = [summary for summary in below if summary.limit and _highest_ns(summary) < summary.limit.ns]
    if not clearly:
        text = f"Below it, but within their intervals: {counted(len(below), 'figure')}; the lowest is {times}."
        return [Check("hardware minimum", "good", text)]
    text = (
        f"{counted(len(clearly), 'point')} took less than the same bytes need from core to core without MPI, down to "
        f"{times}. A timed message does not change from call to call, and that of the minimum does: a library that "
        "copies it once may have found it in the receiver's cache. Otherwise the machine was disturbed in every "
        "launch, or the library has a shorter path than those tried."
    )
    return [Check("hardware minimum", "warn", text)]


def _highest_ns(summary: PointSummary) -> float:
    """Return the upper end of a figure's interval, or the figure where it has none."""
    return max(summary.time_ns, summary.interval.high if summary.interval else 0.0)


def _data(run: Run, summaries: list[PointSummary]) -> Check:
    wrong = [failure for launch in run.launches for failure in launch.failures if failure.reason == "wrong_data"]
    if wrong:
        return Check("data check", "bad", f"Wrong data were received: {wrong[0].message}.")
    receiving = [summary for summary in summaries if meaning(summary.point).validation]
    unchecked = sorted({summary.operation for summary in receiving if not summary.validated})
    if unchecked:
        return Check("data check", "warn", f"Received data were not checked in {', '.join(unchecked)}.")
    if not receiving:
        return Check("data check", "good", "No operation of this run receives data.")
    measured = f"all {counted(len(receiving), 'point')}"
    absent = len(never_measured(run))
    if absent:
        measured += f" that gave a figure; {counted(absent, 'point')} gave none"
    return Check("data check", "warn" if absent else "good", f"Received data were checked and correct in {measured}.")


def _intervals(summaries: list[PointSummary]) -> Check:
    """Say how wide the intervals are; without enough launches there are none, and that is a reservation."""
    known = [summary for summary in summaries if summary.interval_kind == "launches" and summary.half_width is not None]
    if len(known) < len(summaries):
        lacking = "All" if not known else f"{len(summaries) - len(known)} of {len(summaries)}"
        text = f"{lacking} points have fewer than {MINIMUM_FOR_INTERVAL} launches, too few for a 95% interval."
        return Check("intervals", "warn", text)
    if not known:
        return Check("intervals", "unknown", "No point was measured.")
    known.sort(key=lambda summary: summary.half_width or 0.0)
    middle, widest = known[(len(known) - 1) // 2].half_width or 0.0, known[-1].half_width or 0.0
    text = f"Typical uncertainty ±{middle:.1%} at 95% confidence"
    state: State = "warn" if middle > HALF_WIDTH_LIMIT else "good"
    return Check(
        "intervals", state, f"{text}, worst ±{widest:.1%} ({where(known[-1])}), of {counted(len(known), 'point')}."
    )


def _calibration(run: Run, summaries: list[PointSummary]) -> list[Check]:
    """Say which difference the run would detect, where it measured copies of points; else nothing."""
    calibration = calibration_of(summaries, summarise(run, copies=True))
    if calibration is None or not calibration.equal:
        return []
    if calibration.doubtful:
        missed = sum(not pair.held for pair in calibration.pairs)
        text = f"{missed} of {len(calibration.pairs)} known ratios lay outside their intervals: these are too narrow."
        return [Check("calibration", "warn", text)]
    seen = ", ".join(f"{least:.1%} at {where(point)}" for point, least in calibration.detectable)
    return [Check("calibration", "good", f"This run would detect a difference of about {seen}.")]


def _completeness(run: Run) -> Check:
    gaps = run.missing()
    if not gaps:
        return Check("completeness", "good", f"All {counted(len(run.launches), 'launch')} completed.")
    more = f" ({len(gaps) - 1} more below)" if len(gaps) > 1 else ""
    return Check("completeness", "warn", gaps[0] + more)
