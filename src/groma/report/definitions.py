"""Definitions of all printed figures: the source of the report's, of `groma show --define` and of docs/figures.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from groma.analysis import Series, common_settings
from groma.analysis.calibration import POWER
from groma.analysis.compare import RUN_DEVIATION
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.peaks import FEWEST_FIGURES, FEWEST_SAMPLES, LEAST_GAP, WIDEST_GAP
from groma.analysis.samplechecks import FEWEST_INDEPENDENT, MEAN_OVER_MEDIAN_LIMIT
from groma.analysis.steadiness import ALARM_SHARE, LONGEST_SLOW_START, OPEN_SHARE
from groma.analysis.uncertainty import RANGE_FACTOR
from groma.catalog.values import write_value
from groma.columns import PRINTED
from groma.report.figures import ANOTHER_RUN
from groma.report.tables import UNSTEADY
from groma.text.checks import FOREIGN_CORES_LIMIT


class Definition(NamedTuple):
    """One figure: its name, its unit, its meaning, and the heading of its column if it has one."""

    term: str
    unit: str
    text: str
    heading: str = ""


_INTERVALS = (
    Definition(
        "95% interval",
        "as the figure",
        "Interval of the median of the launches' figures from their order statistics, interpolated as by "
        "Hettmansperger and Sheather so that 95 of 100 intervals cover the median of all launches that could be made "
        "in this run. It assumes no distribution. Launches of one run are alike: another run may lie outside, and "
        f"two runs may be equal although their intervals do not overlap. It needs {MINIMUM_FOR_INTERVAL} launches. "
        "Like min-max and the interval within one launch, it is widened by what the clock may have added: at its "
        "lower end by the measuring overhead (the time of an empty operation), at both ends by one step of the "
        "clock.",
        heading="95% interval",
    ),
    Definition(
        ANOTHER_RUN,
        "as the figure",
        "Interval around the figure that contains, with 95%, that of another run of this plan by the same software in "
        "the same state of the machine. Two runs differ with twice the variance of one: that of the runs in this "
        f"folder ({MINIMUM_RUNS} or more), else what launches explain and a default of {RUN_DEVIATION:.0%}. It is "
        "without the measuring overhead, which all runs have.",
    ),
    Definition(
        "min-max",
        "as the figure",
        f"Smallest and largest figure of a launch, printed with 2 to {MINIMUM_FOR_INTERVAL - 1} launches. It is no "
        "confidence interval: how often it covers the true median is not known.",
        heading="min-max",
    ),
    Definition(
        "within one launch",
        "as the figure",
        "95% order-statistic interval of the median of the samples of the only launch. It is widened for "
        "autocorrelation (see there). It does not predict the next launch.",
        heading="within one launch",
    ),
    Definition(
        "±",
        "%",
        "Distance from the figure to the farther end of its interval, divided by the figure. The interval may be "
        f"asymmetric: read its two ends. If they are more than a factor of {RANGE_FACTOR:g} apart, the figure is "
        "printed as a range.",
    ),
)
_CONCEPTS = (
    Definition(
        "samples, launches, runs",
        "%",
        "Spread of the figure by level, as standard deviations of its logarithm: the uncertainty of a launch's "
        "figure from its samples; the additional spread between launches; the additional spread between runs "
        "(Kalibera and Jones 2013). Runs are those of the same plan, library, settings of MPI and machine in the same "
        "folder; it needs 3. With --every, 3 or more rounds stand for runs; with one launch per round, the column runs "
        "contains launches too.",
    ),
    Definition(
        "next run",
        "µs",
        "Interval that contains the figure of another run of this plan with a probability of 95%: Student's prediction "
        "interval over the logarithms of the figures of the existing runs (3 to 21); with --every, of the rounds. It "
        f"needs {MINIMUM_FOR_INTERVAL} launches in all.",
    ),
    Definition(
        "ratio",
        "x time",
        "One time over another, of variants, anti-patterns or placements: Hodges and Lehmann's estimate over the "
        "ratios within each launch (or round), or over two samples if different launches measured the two. Its 95% "
        "interval contains the ratios that the exact test does not reject: the signed-rank test in pairs (zeros after "
        "Pratt 1959), else the rank-sum test. Slower or faster: the test finds a difference at 5% for all ratios "
        "together (Holm 1979), and the interval lies outside the margin. Same: the interval lies within the margin. "
        f"Otherwise it is not decided. It needs {MINIMUM_FOR_INTERVAL} launches.",
    ),
    Definition(
        "seen from",
        "%",
        f"Smallest relative difference between two points of the same launches that the signed-rank test would find in "
        f"{POWER:.0%} of runs like this one, by how the ratios of a point and its equal copy scatter over launches "
        "(--calibrate). False alarms: equal copies that were called different. The known ratio of a copy is 1, or "
        "follows from its busy wait.",
    ),
    Definition(
        "steady state",
        "",
        "Change points divide the samples of a launch, in time order, into segments of one level; levels within 1.5% "
        "are one. The figure is of the part that stays at one level to the end, at least a quarter of the series. "
        "What came before is recorded and discarded (not with stop=reps and stop=rse). A point has no steady state "
        "if no such part exists, if a launch saw fewer than ten of its phases, or if they make the 99% interval of "
        "its median wider than ±5%. Before the samples, calls are made until they are steady and a slow start of "
        "5000 calls would have been seen. Falling levels are a warm-up, rising levels a slowdown. At the end of a "
        "launch each point is visited again, for 1.5% of its slot: the check names the point if the intervals of "
        f"both medians are more than 2% apart. The check is an alarm if {ALARM_SHARE:.0%} of the launches are in "
        f"doubt, and open if {OPEN_SHARE:.0%} are. Levels within 1.5% of the interval over launches raise no alarm. A "
        f"figure without a steady state has the mark {UNSTEADY} in its table. A launch with fewer than "
        f"{LONGEST_SLOW_START} calls says how many it saw: a slow start that lasts longer is unseen.",
    ),
    Definition(
        "autocorrelation",
        "",
        "How much a sample depends on the one before: n samples are worth n (1 - r) / (1 + r) independent ones, "
        "where r is the lag-1 autocorrelation of their ranks in time order, or fewer if the scatter of 16 batches "
        "gives fewer. Intervals are widened accordingly. The check names points with fewer than "
        f"{FEWEST_INDEPENDENT}, and fewer than half of the samples, in half of the launches.",
    ),
    Definition(
        "mean",
        "µs",
        "Mean time of calls; median over launches. With blocks: of the calls made before the blocks, or of all in the "
        "blocks (see mean over median). Shown for curves with a point whose mean and median differ.",
        heading="mean µs",
    ),
    Definition(
        "median of calls",
        "µs",
        "Median time of the same calls; median over launches. Shown beside the mean if blocks are timed: their own "
        "median is near the mean.",
        heading="median of calls µs",
    ),
    Definition(
        "mean over median",
        "",
        "Mean of calls over their median; median over launches, with its 95% interval (the range of fewer than six). "
        f"Reported if the lower end is above {MEAN_OVER_MEDIAN_LIMIT:g}, however rare the slow calls are; of one "
        "launch, by the number of its slow calls. With blocks it is that of the single calls before them, or the mean "
        "over blocks over their median, if that is more: blocks are so long that their median is within 1% of the mean "
        "over calls, apart from calls rarer than 1%; otherwise the check blocks names the point.",
    ),
    Definition(
        "peaks",
        "µs",
        "Most frequent times of a launch: maxima of a smooth density of the samples' logarithms, separated by valleys "
        "of at most half their height, each with the share of the samples between its valleys. It needs "
        f"{FEWEST_SAMPLES} samples. The check peaks names points whose launches lie in two groups: from "
        f"{FEWEST_FIGURES} launches on, if the gap between the groups is {WIDEST_GAP:g} times as wide as both "
        f"together, and at least {LEAST_GAP:.0%}.",
    ),
    Definition(
        "quantiles",
        "µs",
        "Median over launches of each quantile of a launch's samples, interpolated linearly; minimum and maximum are "
        "those of all samples. A quantile is printed only if at least one sample is expected beyond it: p95 from 20 "
        "samples on, p99 from 100.",
    ),
    Definition(
        "global clock",
        "ns",
        "How far the clocks of the ranks differ after synchronisation. Measured error: the worst rank's, measured by "
        "pings before and after every point. Error bound: the largest error that is possible, since pings cannot show "
        "that a path takes longer one way than back. A point is flagged if its measured error exceeds "
        "max_clock_error_us, or a tenth of a window if that is more.",
    ),
    Definition(
        "start deadlines",
        "%",
        "Repetitions in which a rank missed its start or overran its window, over all repetitions made. They are "
        "counted and discarded.",
    ),
    Definition(
        "foreign load",
        "cores",
        "CPU time that other processes took on the busiest node while a launch measured. Above "
        f"{FOREIGN_CORES_LIMIT:.0%} of a core the launch is flagged as disturbed; its figures stay in.",
    ),
    Definition(
        "lost to interruptions",
        "%",
        "Share of the time in which a rank's tight loop of clock readings was interrupted for more than 1 us. Every "
        "rank is observed before the first and after the last point of every launch, and all observations count "
        "together. Beside it: the longest interruption.",
    ),
    Definition(
        "harness",
        "%",
        "What an empty operation costs per repetition, with one clock reading if every call is stamped, over the "
        "time of one repetition.",
    ),
)


def _of_columns() -> Iterator[Definition]:
    """Yield what the columns of tables mean, as they are declared."""
    for column, printed in PRINTED:
        text = column.meaning if printed.definition is None else printed.definition
        if text:
            yield Definition(printed.term, printed.unit, text, printed.heading)


_TIME, *_OTHERS = _of_columns()
FIGURES = (_TIME, *_INTERVALS, *_OTHERS, *_CONCEPTS)
HEADINGS = {figure.term: figure.heading for figure in FIGURES if figure.heading}


def of_curves(curves: list[Series]) -> list[Definition]:
    """Return what one operation's figures mean, as the catalogue defines them, and the settings used."""
    operation = curves[0].operation
    settings = "  ".join(f"{name}={write_value(value)}" for name, value in common_settings(curves).items())
    statements = [
        ("time", "µs", operation.time),
        ("bandwidth", "MB/s", operation.bandwidth),
        ("data check", "", operation.validation),
    ]
    meanings = [Definition(term, unit, _sentence(text)) for term, unit, text in statements if text]
    return [*meanings, Definition("settings", "", settings)]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def page() -> str:
    """Return docs/figures.md."""
    rows = [f"| {figure.term} | {figure.unit} | {figure.text} |" for figure in FIGURES]
    return "\n".join(
        [
            "# What every printed figure means",
            "",
            "Made by `python -m groma.report` from the table behind `groma show --define` and the report.",
            "How the time and the bandwidth of an operation are defined: `groma list OPERATION`.",
            "",
            "| figure | unit | definition |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )
