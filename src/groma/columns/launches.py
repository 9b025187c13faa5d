"""The columns that a launch has, from its record or by a formula; many of them hold for a point over its launches."""

from __future__ import annotations

from groma.columns import formulas
from groma.columns.column import Column, Formula, Made, Member, OfLaunch, Printed
from groma.columns.rates import BESIDE, FIRST_CALL, RATES

_RECORDED = Member()
_RECORD = Made("groma.analysis.recordrows:of_records")
_SAMPLES = Made("groma.analysis.samplerows:of_samples")

_PLACE = Made("groma.analysis.pointtable:places_of")


def _of_page(term: str) -> Printed:
    """Return how a quantile is printed: what it is, is defined for all of them."""
    return Printed(term, term, "µs", "time", only="always", where="page", definition="")


WHERE = (
    Column("run", "text", "Name of the run's directory.", OfLaunch("path.parent.parent.name"), _PLACE),
    Column("launch", "whole", "Number of the launch, from 1.", OfLaunch("number")),
    Column(
        "launched_ranks", "whole", "MPI ranks of the launch; member_count of them took part.", OfLaunch("ranks"), _PLACE
    ),
    Column("index", "whole", "Place of the point in the plan, from 0.", _RECORDED),
)

_SAMPLED = (
    Column("sequence", "whole", "Place of the point in this launch's order, from 0.", _RECORDED),
    Column("hosts", "whole", "Distinct hosts among the ranks that took part.", _RECORDED, "first"),
    Column("member_count", "whole", "Ranks that took part.", _RECORDED, "first"),
    Column(
        "samples",
        "whole",
        "Samples taken after warm-up; of a point, those of all launches.",
        _SAMPLES,
        "total",
        printed=Printed("samples", "samples", "", "count", only="always", where="page", definition=""),
    ),
    Column("repetitions_per_sample", "whole", "Repetitions between the two stamps of one sample.", _RECORDED),
    Column("divisor", "whole", "Figures in one repetition: 2 for a round trip reported one way.", _RECORDED, "first"),
    Column(
        "figure_ns",
        "real",
        "What the run's estimator makes of this launch's samples (run.json, report).",
        _SAMPLES,
        "median of all",
    ),
    Column("dropped", "whole", "Samples that its outlier rule discarded for that figure only.", _SAMPLES, "total"),
    Column(
        "median_ns",
        "real",
        "Median time of one figure: sample / repetitions_per_sample / divisor.",
        _SAMPLES,
        "median of all",
    ),
    Column(
        "mean_ns",
        "real",
        "Mean time of one figure over all samples: beside the median, it shows a tail.",
        _SAMPLES,
        "median",
    ),
    Column("interval_low_ns", "real", "Lower end of the median's 95% interval within this launch.", _SAMPLES),
    Column("interval_high_ns", "real", "Upper end of the median's 95% interval within this launch.", _SAMPLES),
    Column(
        "effective_samples", "real", "Independent samples that the series is worth: n (1 - rho) / (1 + rho).", _SAMPLES
    ),
    Column("spread", "real", "Interquartile range over median, within this launch.", _SAMPLES),
    Column(
        "minimum_ns",
        "real",
        "Smallest time of one figure.",
        _SAMPLES,
        "least",
        printed=_of_page("minimum"),
    ),
    Column("p01_ns", "real", "1% quantile; null below 100 samples.", _SAMPLES, "median of all"),
    Column("p05_ns", "real", "5% quantile; null below 20 samples.", _SAMPLES, "median of all"),
    Column("p25_ns", "real", "25% quantile; null below 4 samples.", _SAMPLES, "median of all"),
    Column("p75_ns", "real", "75% quantile; null below 4 samples.", _SAMPLES, "median of all"),
    Column(
        "p95_ns",
        "real",
        "95% quantile; null below 20 samples.",
        _SAMPLES,
        "median of all",
        printed=_of_page("p95"),
    ),
    Column(
        "p99_ns",
        "real",
        "99% quantile; null below 100 samples.",
        _SAMPLES,
        "median of all",
        printed=_of_page("p99"),
    ),
    Column(
        "maximum_ns",
        "real",
        "Largest time of one figure.",
        _SAMPLES,
        "most",
        printed=_of_page("maximum"),
    ),
    Column("first_call_ns", "real", "Time of one figure in the very first call, before warm-up.", _RECORD, "median"),
)

_TOGETHER = (
    Column(
        "invalid", "whole", "Repetitions in which a rank was late or overran its window; discarded.", _RECORDED, "total"
    ),
    Column("window_ns", "whole", "Length of the windows under sync=window.", _RECORDED),
    Column("lead_ns", "whole", "From the announcement of a start to that start, under sync=roundtime.", _RECORDED),
    Column(
        "arrival_skew_ns",
        "whole",
        "Last entry less first entry; median over the samples. Needs a global clock.",
        Member("skew_ns.arrival.2"),
        "median",
        printed=Printed(
            "arrival skew",
            "skew µs",
            "µs",
            "time",
            only="known",
            definition=(
                "Time from the first rank's entry into a repetition to the last rank's, on the global clock; median "
                "over the samples of a launch, then over launches. With sync=barrier, this is the exit skew of "
                "MPI_Barrier. For every repetition, max <= span <= max + arrival skew, up to twice the clock's error "
                "bound. Only if the point had a global clock."
            ),
        ),
    ),
    Column("arrival_skew_maximum_ns", "whole", "The largest such distance.", Member("skew_ns.arrival.4")),
    Column(
        "completion_first_ns",
        "whole",
        "From the first entry to the first rank's exit; median over samples.",
        Member("skew_ns.completion.0"),
        "median",
    ),
    Column(
        "completion_p25_ns",
        "whole",
        "The same until a quarter of the ranks is out.",
        Member("skew_ns.completion.1"),
        "median",
    ),
    Column(
        "completion_median_ns",
        "whole",
        "The same until half of the ranks are out.",
        Member("skew_ns.completion.2"),
        "median",
    ),
    Column(
        "completion_p75_ns",
        "whole",
        "The same until three quarters of the ranks are out.",
        Member("skew_ns.completion.3"),
        "median",
    ),
    Column(
        "completion_last_ns", "whole", "The same until the last rank is out.", Member("skew_ns.completion.4"), "median"
    ),
    Column(
        "clock_error_ns",
        "real",
        "Measured error of the global clock, before or after the point: the larger.",
        Formula(formulas.clock_error),
    ),
    Column(
        "clock_bound_ns",
        "real",
        "Error bound of the global clock, with undetected asymmetry of paths.",
        Member("clock_error.bound_ns"),
        "median",
    ),
    Column(
        "clock_limit_ns",
        "real",
        "max_clock_error_us, or a tenth of the window where that is more.",
        Member("clock_error.limit_ns"),
    ),
    Column(
        "clock_valid",
        "truth",
        "True where the error is within the limit; null without a global clock.",
        Member("clock_error.valid"),
    ),
    Column(
        "clock_share",
        "real",
        "clock_bound_ns (twice that with more than two ranks) over the time between the stamps of a sample, where the "
        "figure depends on the global clock; in no interval.",
        Formula(formulas.clock_share),
        Formula(formulas.clock_share),
        printed=Printed(
            "clock",
            "clock",
            "%",
            "error",
            definition=(
                "Error of the figure that the global clock may cause: the clock's error bound, median over launches, "
                "over the time between the stamps of a sample. With more than two ranks it is twice the bound, because "
                "two clocks may be wrong in opposite directions. No interval contains it, because all launches have "
                "the same paths. Only if the figure compares times of different ranks (reduce=span, post_arrival) or "
                "ranks start by the clock (sync=window, roundtime), and if their clocks can differ. Above 10% it is "
                "marked; sync=barrier with reduce=max needs no global clock."
            ),
        ),
    ),
)

_HOW = (
    Column("replaced", "text", "Settings that could not be kept, and why, in JSON; null where all were.", _RECORD),
    Column("missing", "text", "Why the point has no figure in this launch; null where it has one."),
    Column("oversubscribed", "truth", "True where a host had more ranks than CPUs.", OfLaunch("start.oversubscribed")),
    Column("validated", "truth", "True where the received data were checked before timing.", _RECORDED, "all"),
    Column("stopped_by", "text", "What ended sampling: precision, repetitions, slot or retries.", _RECORDED),
    Column(
        "state", "text", "Of the samples: steady, warmup, slowdown, unsteady, or unknown (too few to judge).", _RECORDED
    ),
    Column(
        "discarded",
        "whole",
        "Samples before the steady part: recorded as discarded_ns, in no figure.",
        Member("discarded_ns.size"),
        "total",
    ),
    Column(
        "calls_seen", "whole", "Calls made until the last sample; a slow start that lasts longer is unseen.", _RECORD
    ),
    Column("bytes_seen", "whole", "Bytes that these calls moved.", _RECORD, unit="bytes"),
    Column(
        "verified",
        "truth",
        "True where calls and samples stayed at a level that was reached from slower ones.",
        _RECORDED,
    ),
    Column(
        "revisit_ratio", "real", "Median of a second visit at the end of the launch over that of the samples.", _RECORD
    ),
    Column(
        "block_short", "truth", "True where blocks are shorter than block_s or an unskewed mean over calls.", _RECORDED
    ),
    Column(
        "mean_over_median",
        "real",
        "Mean of calls over their median; null where neither is known.",
        Formula(lambda of: of["tail_mean_ns"] / of["tail_median_ns"]),
        "median",
    ),
    Column("slow_share", "real", "Share of single calls that took more than twice their median.", _SAMPLES, "median"),
    Column(
        "peaks",
        "text",
        "Peaks of the samples, with the share around each; null below 100 samples.",
        Made("groma.analysis.samplerows:peaks_in"),
        alone=True,
    ),
    Column("elapsed_ns", "whole", "Wall time of the whole point, with set-up and warm-up.", _RECORDED),
    Column(
        "launch_s", "real", "Wall time of the launch, from the start of its launcher to its end.", OfLaunch("wall_s")
    ),
    Column(
        "launch_outside_s",
        "real",
        "Part of it before the engine's first record and after its last: launcher, MPI.",
        OfLaunch("outside_s"),
    ),
    Column("complete", "truth", "True where the launch ran to its end.", OfLaunch("complete")),
    Column("library", "text", "Name of the MPI library.", OfLaunch("start.library.name")),
    Column("library_version", "text", "Version of the MPI library.", OfLaunch("start.library.version")),
)

# What only analysis needs.
_INNER = (
    Column("settings_1", "whole", "Half of a key of the point's fields.", _RECORD, inner=True),
    Column("settings_2", "whole", "The other half.", _RECORD, inner=True),
    Column("member_1", "whole", "The first rank that took part.", Member("members.0"), inner=True),
    Column("member_2", "whole", "The second.", Member("members.1"), inner=True),
    Column("algorithm_bytes", "whole", "Size of the collective.", _RECORDED, "first", "bytes", inner=True),
    Column("bus_factor", "real", "Bus bandwidth over algorithm bandwidth.", _RECORDED, "first", inner=True),
    Column("clock_before_ns", "real", "Error of the global clock before.", Member("clock_error.before_ns"), inner=True),
    Column("clock_after_ns", "real", "Error of the global clock after.", Member("clock_error.after_ns"), inner=True),
    Column("rests_on_clock", "truth", "Whether the figure needs a global clock.", _RECORD, "first", inner=True),
    Column("calls_state", "text", "State of the single calls before the samples.", Member("calls.state"), inner=True),
    Column("revisited", "truth", "Whether there was a second visit.", _RECORD, inner=True),
    Column("revisit_agrees", "truth", "Whether it agrees with the samples.", _RECORD, inner=True),
    Column("has_phases", "truth", "Whether the operation has phases.", _RECORD, inner=True),
    Column("rounding", "real", "Half a printed step of another program over the figure.", _RECORD, "most", inner=True),
    Column("line_least_ns", "real", "Least reading of a cache line around it.", Member("line_ns.0"), inner=True),
    Column("line_most_ns", "real", "Most reading of a cache line around it.", Member("line_ns.1"), inner=True),
    Column("level_least_ns", "real", "Fastest level of the samples.", _RECORD, inner=True),
    Column("level_most_ns", "real", "Slowest level of the samples.", _RECORD, inner=True),
    Column("messages_seen", "whole", "Messages that one rank sent in the calls seen.", _RECORD, inner=True),
    Column("tenth_ns", "real", "10% quantile of the samples.", _SAMPLES, inner=True),
    Column("nine_tenths_ns", "real", "90% quantile of the samples.", _SAMPLES, inner=True),
    Column("tail_mean_ns", "real", "Mean of calls.", _SAMPLES, "median", inner=True),
    Column("tail_median_ns", "real", "Median of the same calls.", _SAMPLES, "median", inner=True),
    Column("tail_values", "whole", "Calls, or means of blocks, that these are of.", _SAMPLES, inner=True),
    Column(
        "sample_ns",
        "real",
        "Time between the stamps of a sample, by the figure.",
        Formula(formulas.sample_ns),
        "median of all",
        inner=True,
    ),
    Column("invalid_share", "real", "Invalid repetitions over all.", None, Formula(formulas.invalid_share), inner=True),
)

LAUNCHES = (*WHERE, *_SAMPLED, *RATES, *BESIDE, *_TOGETHER, *_HOW, FIRST_CALL, *_INNER)
