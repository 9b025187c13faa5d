"""The checks of a run: what was tested, what was found, and what it means for the figures."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groma.analysis import samplechecks
from groma.analysis.calibration import calibration_of
from groma.analysis.clockchecks import barrier, clock, global_clock, start_deadlines
from groma.analysis.devices import devices
from groma.analysis.grouping import meaning
from groma.analysis.machinechecks import machine, noise
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.placement import alike, builds, placement
from groma.analysis.runtable import Rows, derived
from groma.analysis.summary import PointSummary, summarise, where
from groma.analysis.uncertainty import uncertainty_words
from groma.results import Launch, Run
from groma.results.records import Imported
from groma.results.run import never_measured
from groma.text.checks import Check, State
from groma.text.counts import all_of, counted, cpus

UNCERTAINTY_LIMIT = 0.1


def checks(run: Run, summaries: list[PointSummary]) -> list[Check]:
    """Return the checks of a run, in the order in which to read them."""
    return RunChecks(run).of(summaries)


class RunChecks:
    """The checks of a run for any of its points; what holds for the whole run is found once."""

    def __init__(self, run: Run) -> None:
        """Take a run; its checks are made when they are asked for."""
        self._run = run
        self._started = [launch for launch in run.launches if launch.start is not None]

    def of(self, summaries: list[PointSummary]) -> list[Check]:
        """Return the checks of the run and of these points, in the order in which to read them."""
        started = self._started
        if not started:
            return [Check("ranks", "bad", "No launch wrote a first record: nothing was measured.")]
        if self._run.is_imported:
            return [
                _ranks(self._run, started),
                _imported(started),
                *([self._wrong_data] if self._wrong_data else []),
                *samplechecks.peaks(summaries),
                _intervals(summaries),
                self._completeness,
            ]
        return [
            *self._where,
            clock(started, summaries),
            *global_clock(started, summaries),
            *start_deadlines(summaries),
            *_replaced(summaries),
            *_threads(summaries),
            *_files(summaries),
            *barrier(summaries),
            *samplechecks.checks(summaries),
            *machine(summaries),
            self._noise,
            *_hardware(summaries),
            self._wrong_data or _data(summaries, self._never_measured),
            _intervals(summaries),
            *_calibration(self._copies, summaries),
            self._completeness,
        ]

    @cached_property
    def _where(self) -> list[Check]:
        started = self._started
        return [
            _ranks(self._run, started),
            placement(started),
            *alike(self._run, started),
            *devices(started),
            _oversubscription(started),
            *_cpu_quota(started),
            *builds(started),
        ]

    @cached_property
    def _noise(self) -> Check:
        return noise(self._started)

    @cached_property
    def _wrong_data(self) -> Check | None:
        failures = (failure for launch in self._run.launches for failure in launch.failures)
        wrong = next((failure for failure in failures if failure.reason == "wrong_data"), None)
        return Check("data check", "bad", f"Wrong data were received: {wrong.message}.") if wrong else None

    @cached_property
    def _never_measured(self) -> int:
        return len(never_measured(self._run.meta, self._run.launches))

    @cached_property
    def _copies(self) -> list[PointSummary]:
        return summarise(self._run, copies=True)

    @cached_property
    def _completeness(self) -> Check:
        return _completeness(self._run)


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


def counts_of(all_checks: list[Check]) -> str:
    """Return how many checks passed, and the names of all others: one line of a first screen."""
    words = {"bad": "failed", "warn": "with reservations", "unknown": "not known"}
    named = {state: [check.name for check in all_checks if check.state == state] for state in words}
    passed = sum(check.state == "good" for check in all_checks)
    others = [f"{len(names)} {words[state]}: {', '.join(names)}" for state, names in named.items() if names]
    return "; ".join([f"{counted(passed, 'check')} passed", *others])


def _ranks(run: Run, started: list[Launch]) -> Check:
    wrong = [launch for launch in started if launch.meta and launch.start and launch.meta.ranks != launch.start.ranks]
    if wrong:
        launch = wrong[0]
        asked, got = launch.meta.ranks if launch.meta else 0, launch.ranks
        return Check("ranks", "bad", f"Launch {launch.number} ran {got} ranks, not {asked} as asked.")
    counts = Counter(launch.ranks for launch in started)
    text = ", ".join(f"{ranks} ranks in {counted(launches, 'launch')}" for ranks, launches in sorted(counts.items()))
    unasked = set(counts) - set(run.meta.rank_counts)
    if unasked:
        return Check("ranks", "bad", f"{text}; the run asked for {', '.join(map(str, run.meta.rank_counts))}.")
    return Check("ranks", "good", f"{text}, as asked.")


def _imported(started: list[Launch]) -> Check:
    named = " and ".join(
        dict.fromkeys(launch.start.program for launch in started if isinstance(launch.start, Imported))
    )
    text = (
        f"Measured by {named}: clocks, placement, noise, steady state and received data were not checked by Groma and "
        "are unknown."
    )
    return Check("imported", "unknown", text)


def _oversubscription(started: list[Launch]) -> Check:
    crowded = [launch.number for launch in started if launch.start and launch.start.oversubscribed]
    if not crowded:
        return Check("oversubscription", "good", "Every rank had a CPU to itself.")
    return Check(
        "oversubscription",
        "bad",
        f"More ranks than CPUs in {counted(len(crowded), 'launch')}: the figures measure the scheduler as much as MPI.",
    )


def _cpu_quota(started: list[Launch]) -> list[Check]:
    """Say whether control groups grant every rank a CPU's worth of time; empty if nothing limits it."""
    limited = [
        (node.cpu_quota, node.ranks, node.name)
        for launch in started
        for node in (launch.nodes.nodes if launch.nodes else [])
        if node.cpu_quota is not None
    ]
    if not limited:
        return []
    quota, ranks, host = min(limited, key=lambda one: (one[0] - one[1], one[2]))
    granted = f"The control group (container or batch job) grants {cpus(quota)} on {host}"
    if quota >= ranks:
        return [Check("CPU quota", "good", f"{granted}, enough for {counted(ranks, 'rank')}.")]
    return [
        Check(
            "CPU quota",
            "bad",
            f"{granted} to {counted(ranks, 'rank')}, so the kernel stops ranks until the next period of the quota: "
            "raise it (docker run --cpus, cpu.max), or start fewer ranks.",
        )
    ]


def _replaced(summaries: list[PointSummary]) -> list[Check]:
    """Name the points that could not be measured as asked, and what replaced it; empty if all were as asked."""
    replaced = [summary for summary in summaries if _is_replaced(summary.rows).any()]
    if not replaced:
        return []
    summary = replaced[0]
    launch = next(launch for launch in summary.launches if launch.replaced)
    name, change = next(iter(launch.replaced.items()))
    text = (
        f"{counted(len(replaced), 'point')} could not be measured with {name}={change.asked} in every launch; "
        f"{name}={summary.point[name]} replaced it ({where(summary)}, launch {launch.launch}: {change.because})."
    )
    return [Check("method", "warn", text)]


def _threads(summaries: list[PointSummary]) -> list[Check]:
    """Say whether threads of ranks shared CPUs; empty if no point has threads."""
    threaded = [summary for summary in summaries if summary.value("threads_share") is not None]
    if not threaded:
        return []
    crowded = [summary for summary in threaded if summary.value("threads_share")]
    if not crowded:
        return [Check("threads", "good", "Every thread had a CPU to itself.")]
    text = (
        f"More threads than CPUs in {counted(len(crowded), 'point')} ({where(crowded[0])}): the figures measure the "
        "scheduler as much as MPI; only the check of the data means anything."
    )
    return [Check("threads", "bad", text)]


def _files(summaries: list[PointSummary]) -> list[Check]:
    """Say whether files that were to be read cold lay in the system's cache; empty if none was to be."""
    cold = [summary for summary in summaries if summary.value("file_cached") is not None]
    if not cold:
        return []
    warm = [summary for summary in cold if summary.value("file_cached")]
    if not warm:
        return [Check("files", "good", "The system's cache held nothing of the files that were read cold.")]
    kept = max(summary.value("file_cached") or 0.0 for summary in warm)
    text = (
        f"The system kept up to {kept:.0%} of the file in its cache in {counted(len(warm), 'point')} with file_cold "
        f"({where(warm[0])}): these reads were not cold. A tmpfs is memory; set file_folder to a disk."
    )
    return [Check("files", "warn", text)]


@derived
def _is_replaced(rows: Rows) -> NDArray[np.bool_]:
    return ~np.isnan(rows.codes("replaced"))


def _hardware(summaries: list[PointSummary]) -> list[Check]:
    """Say whether a figure is below what the hardware needs without MPI; empty if that is unknown."""
    bounded = [summary for summary in summaries if summary.limit is not None and summary.time_ns > 0]
    if not bounded:
        return []
    nearest = min(bounded, key=lambda summary: summary.limit.multiple if summary.limit else math.inf)
    multiple, kind = (nearest.limit.multiple, nearest.limit.kind) if nearest.limit else (0.0, "")
    times = f"{multiple:.2f} times the {kind} ({where(nearest)})"
    below = [summary for summary in bounded if summary.limit and summary.limit.multiple < 1]
    if not below:
        return [Check("hardware minimum", "good", f"No figure is below it: the nearest is {times}.")]
    highest = {one: max(one.time_ns, one.interval.high if one.interval else 0.0) for one in below}
    clearly = [one for one in below if one.limit and highest[one] < one.limit.ns]
    if not clearly:
        text = f"{counted(len(below), 'figure')} below it, but within their intervals; the lowest is {times}."
        return [Check("hardware minimum", "good", text)]
    text = (
        f"{counted(len(clearly), 'point')} faster than it, down to {times}. Possible causes: the message was in the "
        "receiver's cache (it stays the same without touch=write; that of the minimum changes in every call), the "
        "machine was disturbed in every launch, or the library has a shorter path than those tried."
    )
    return [Check("hardware minimum", "warn", text)]


def _data(summaries: list[PointSummary], absent: int) -> Check:
    """Say whether received data were checked; `absent` points of the run gave no figure."""
    receiving = [summary for summary in summaries if meaning(summary.point).validation]
    unchecked = sorted({summary.operation for summary in receiving if not summary.value("validated")})
    if unchecked:
        return Check("data check", "warn", f"Received data were not checked in {', '.join(unchecked)}.")
    if not receiving:
        return Check("data check", "good", "No operation of this run receives data.")
    measured = all_of(len(receiving), "point")
    if absent:
        measured += f" that gave a figure; {counted(absent, 'point')} gave none"
    return Check("data check", "warn" if absent else "good", f"Received data were checked and correct in {measured}.")


def _intervals(summaries: list[PointSummary]) -> Check:
    """Say how wide the intervals are; without enough launches there are none, and that is a reservation."""
    measured = [
        summary for summary in summaries if summary.interval_kind == "launches" and summary.uncertainty is not None
    ]
    if len(measured) < len(summaries):
        lacking = "All" if not measured else f"{len(summaries) - len(measured)} of {len(summaries)}"
        text = f"{lacking} points have fewer than {MINIMUM_FOR_INTERVAL} launches, too few for a 95% interval."
        return Check("intervals", "warn", text)
    if not measured:
        return Check("intervals", "unknown", "No point was measured.")
    measured.sort(key=lambda summary: summary.uncertainty or 0.0)
    middle, widest = measured[(len(measured) - 1) // 2], measured[-1]
    state: State = "warn" if (middle.uncertainty or 0.0) > UNCERTAINTY_LIMIT else "good"
    return Check(
        "intervals",
        state,
        f"Typical uncertainty {uncertainty_words(middle.interval, middle.time_ns)} at 95% confidence, worst "
        f"{uncertainty_words(widest.interval, widest.time_ns)} "
        f"({where(widest)}), of {counted(len(measured), 'point')}.",
    )


def _calibration(copies: list[PointSummary], summaries: list[PointSummary]) -> list[Check]:
    """Say which difference the run would detect, if it measured copies of points; else empty."""
    calibration = calibration_of(summaries, copies)
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
    unsealed = any(launch.start is not None and not launch.sealed for launch in run.launches)
    note = " Records without checksums (older engine)." if unsealed else ""
    if not gaps:
        return Check("completeness", "good", f"{all_of(len(run.launches), 'launch').capitalize()} completed.{note}")
    rest = f" ({len(gaps) - 1} more below)" if len(gaps) > 1 else ""
    return Check("completeness", "warn", f"{(gaps[0] + rest).rstrip('.')}.{note}" if note else gaps[0] + rest)
