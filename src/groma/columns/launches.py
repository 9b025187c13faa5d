"""The columns that a launch has, from its record or by a formula; many of them hold for a point over its launches."""

from __future__ import annotations

from collections.abc import Callable

from groma.columns import formulas
from groma.columns.column import Column, Formula, Made, Member, Of, OfLaunch, Printed, Values, real, text, truth, whole
from groma.columns.rates import BESIDE, FIRST_CALL, RATES

_RECORDED = Member()
_RECORD = Made("groma.analysis.recordrows:of_records")
_SAMPLES = Made("groma.analysis.samplerows:of_samples")

_PLACE = Made("groma.analysis.pointtable:places_of")


def _of_page(term: str) -> Printed:
    """Return how a quantile is printed; one definition serves all quantiles."""
    return Printed(term, term, "µs", "time", only="always", where="page", definition="")


WHERE = (
    text("run", "Name of the run's directory.", OfLaunch("path.parent.parent.name"), _PLACE),
    whole("launch", "Number of the launch, from 1.", OfLaunch("number")),
    whole("launched_ranks", "MPI ranks of the launch; member_count of them took part.", OfLaunch("ranks"), _PLACE),
    whole("index", "Place of the point in the plan, from 0.", _RECORDED),
)

_SAMPLED = (
    whole("sequence", "Place of the point in this launch's order, from 0.", _RECORDED),
    whole("hosts", "Distinct hosts among the ranks that took part.", _RECORDED, "first"),
    whole("member_count", "Ranks that took part.", _RECORDED, "first"),
    whole(
        "samples",
        "Samples taken after warm-up; of a point, those of all launches.",
        _SAMPLES,
        "total",
        printed=Printed("samples", "samples", "", "count", only="always", where="page", definition=""),
    ),
    whole("repetitions_per_sample", "Repetitions between the two stamps of one sample.", _RECORDED),
    whole("divisor", "Figures in one repetition: 2 for a round trip reported one way.", _RECORDED, "first"),
    real(
        "figure_ns",
        "Figure of this launch by the run's estimator (run.json, report).",
        _SAMPLES,
        "median of all",
    ),
    whole("dropped", "Samples that the outlier rule discarded for that figure only.", _SAMPLES, "total"),
    real(
        "median_ns", "Median time of one figure: sample / repetitions_per_sample / divisor.", _SAMPLES, "median of all"
    ),
    real(
        "mean_ns", "Mean time of one figure over all samples: beside the median, it shows a tail.", _SAMPLES, "median"
    ),
    real("interval_low_ns", "Lower end of the median's 95% interval within this launch.", _SAMPLES),
    real("interval_high_ns", "Upper end of the median's 95% interval within this launch.", _SAMPLES),
    real("effective_samples", "Independent samples that the series is worth: n (1 - rho) / (1 + rho).", _SAMPLES),
    real("spread", "Interquartile range over median, within this launch.", _SAMPLES),
    real("minimum_ns", "Smallest time of one figure.", _SAMPLES, "least", printed=_of_page("minimum")),
    real("p01_ns", "1% quantile; null below 100 samples.", _SAMPLES, "median of all"),
    real("p05_ns", "5% quantile; null below 20 samples.", _SAMPLES, "median of all"),
    real("p25_ns", "25% quantile; null below 4 samples.", _SAMPLES, "median of all"),
    real("p75_ns", "75% quantile; null below 4 samples.", _SAMPLES, "median of all"),
    real("p95_ns", "95% quantile; null below 20 samples.", _SAMPLES, "median of all", printed=_of_page("p95")),
    real("p99_ns", "99% quantile; null below 100 samples.", _SAMPLES, "median of all", printed=_of_page("p99")),
    real("maximum_ns", "Largest time of one figure.", _SAMPLES, "most", printed=_of_page("maximum")),
    real("first_call_ns", "Time of one figure in the very first call, before warm-up.", _RECORD, "median"),
)

_COMPLETIONS = {
    "first": "From the first entry to the first rank's exit; median over samples.",
    "p25": "From the first entry until a quarter of the ranks has left.",
    "median": "From the first entry until half of the ranks have left.",
    "p75": "From the first entry until three quarters of the ranks have left.",
    "last": "From the first entry until the last rank has left.",
}
_TOGETHER = (
    whole("invalid", "Repetitions in which a rank was late or overran its window; discarded.", _RECORDED, "total"),
    whole("window_ns", "Length of the windows under sync=window.", _RECORDED),
    whole("lead_ns", "From the announcement of a start to that start, under sync=roundtime.", _RECORDED),
    whole(
        "arrival_skew_ns",
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
    whole("arrival_skew_maximum_ns", "The largest arrival skew of a sample.", Member("skew_ns.arrival.4")),
    *(
        whole(f"completion_{name}_ns", meaning, Member(f"skew_ns.completion.{place}"), "median")
        for place, (name, meaning) in enumerate(_COMPLETIONS.items())
    ),
    real(
        "clock_error_ns",
        "Measured error of the global clock, before or after the point: the larger.",
        Formula(formulas.clock_error),
    ),
    real(
        "clock_bound_ns",
        "Error bound of the global clock, with undetected asymmetry of paths.",
        Member("clock_error.bound_ns"),
        "median",
    ),
    real(
        "clock_limit_ns",
        "max_clock_error_us, or a tenth of the window if that is more.",
        Member("clock_error.limit_ns"),
    ),
    truth(
        "clock_valid",
        "True if the error is within the limit; null without a global clock.",
        Member("clock_error.valid"),
    ),
    real(
        "clock_share",
        "clock_bound_ns (twice that with more than two ranks) over the time between the stamps of a sample, if the "
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


def _overlapped(name: str, meaning: str, formula: Callable[[Of], Values], printed: Printed | None = None) -> Column:
    return real(name, meaning, Formula(formula), "median", printed=printed)


_OVERLAP = (
    real(
        "pure_ns",
        "Time of the exchange alone, in operations with work inside it; median over the samples.",
        _RECORD,
        "median",
        printed=Printed("alone", "alone µs", "µs", "time", only="known"),
    ),
    real(
        "compute_ns",
        "Time of the work alone; median over the samples.",
        _RECORD,
        "median",
        printed=Printed("work", "work µs", "µs", "time", only="known"),
    ),
    real(
        "together_ns",
        "Time of the exchange with the work inside it; median over the samples.",
        _RECORD,
        "median",
        printed=Printed("both", "both µs", "µs", "time", only="known"),
    ),
    _overlapped(
        "overlap",
        "Share of the exchange that the work hides: (pure + compute - together) / pure. It may be below 0 or above 1.",
        formulas.overlap,
        Printed("overlap", "overlap", "%", "share", only="known"),
    ),
    _overlapped("overlap_osu", "The same, 0 if it is below, as OSU Micro-Benchmarks have it.", formulas.overlap_osu),
    _overlapped(
        "overlap_imb",
        "(pure + compute - together) / max(pure, compute), from 0 to 1, as the Intel MPI Benchmarks have it.",
        formulas.overlap_imb,
    ),
    _overlapped(
        "cpu_left",
        "Share of the exchange alone in which the CPU was in no MPI call when work was inside it; below 0 if the calls "
        "took longer than the exchange alone.",
        formulas.cpu_left,
        Printed("CPU left", "CPU left", "%", "share", only="known"),
    ),
    real("in_calls_ns", "Time in MPI calls of the exchange with work inside it.", _RECORD, "median", inner=True),
)

_REQUEST = tuple(
    real(
        f"request_{name}_ns",
        f"Time of {call} of a persistent request, in operations that make one every time; median over the samples.",
        _RECORD,
        "median",
        printed=Printed(name, f"{name} \N{MICRO SIGN}s", "\N{MICRO SIGN}s", "time", only="known"),
    )
    for name, call in [
        ("init", "the call that makes it,"),
        ("start", "MPI_Start"),
        ("wait", "MPI_Wait"),
        ("free", "MPI_Request_free"),
    ]
)

_EPOCH = tuple(
    real(
        f"epoch_{name}_ns",
        f"Time of {call}, in operations that time the parts of a one-sided epoch; median over the samples.",
        _RECORD,
        "median",
        printed=Printed(f"epoch {name}", f"{name} \N{MICRO SIGN}s", "\N{MICRO SIGN}s", "time", only="known"),
    )
    for name, call in [
        ("open", "what opens an epoch"),
        ("calls", "the calls of an epoch"),
        ("late", "the wait before it is closed"),
        ("close", "what completes an epoch"),
    ]
)

_HOW = (
    text("replaced", "Settings that could not be kept, and why, in JSON; null if all were.", _RECORD),
    text("missing", "Why the point has no figure in this launch; null if it has one."),
    truth("oversubscribed", "True if a host had more ranks than CPUs.", OfLaunch("start.oversubscribed")),
    truth(
        "threads_share",
        "True if threads of ranks shared a CPU; null without threads.",
        Member("threads.shared"),
        "most",
    ),
    text("file_system", "Kind of the file system of the file; null without one.", Member("file.system")),
    real(
        "file_cached",
        "With file_cold, the share of the file that the system kept in its cache all the same; above 0: warm reads.",
        Member("file.cached_share"),
        "most",
    ),
    truth("validated", "True if the received data were checked before timing.", _RECORDED, "all"),
    text("stopped_by", "What ended sampling: precision, repetitions, slot or retries.", _RECORDED),
    text("state", "State of the samples: steady, warmup, slowdown, unsteady, or unknown (too few).", _RECORDED),
    whole(
        "discarded",
        "Samples before the steady part: recorded as discarded_ns, in no figure.",
        Member("discarded_ns.size"),
        "total",
    ),
    whole("calls_seen", "Calls made until the last sample; a slow start that lasts longer is unseen.", _RECORD),
    whole("bytes_seen", "Bytes that these calls moved.", _RECORD, unit="bytes"),
    truth("verified", "True if calls and samples stayed at a level that was reached from slower ones.", _RECORDED),
    real("revisit_ratio", "Median of a second visit at the end of the launch over that of the first visit.", _RECORD),
    truth("block_short", "True if blocks are shorter than block_s, or slow calls skew their means.", _RECORDED),
    real(
        "mean_over_median",
        "Mean of calls over their median; null if neither is known.",
        Formula(lambda of: of["tail_mean_ns"] / of["tail_median_ns"]),
        "median",
    ),
    real("slow_share", "Share of single calls that took more than twice their median.", _SAMPLES, "median"),
    text(
        "peaks",
        "Peaks of the samples, with the share around each; null below 100 samples.",
        Made("groma.analysis.samplerows:peaks_in"),
        alone=True,
    ),
    whole("elapsed_ns", "Wall time of the whole point, with set-up and warm-up.", _RECORDED),
    real("launch_s", "Wall time of the launch, from the start of its launcher to its end.", OfLaunch("wall_s")),
    real(
        "launch_outside_s",
        "Part of launch_s before the engine's first record and after its last: launcher, MPI.",
        OfLaunch("outside_s"),
    ),
    truth("complete", "True if the launch ran to its end.", OfLaunch("complete")),
    text("library", "Name of the MPI library.", OfLaunch("start.library.name")),
    text("library_version", "Version of the MPI library.", OfLaunch("start.library.version")),
)

# What only analysis needs.
_INNER = (
    whole("settings_1", "Half of a key of the point's fields.", _RECORD, inner=True),
    whole("settings_2", "The other half.", _RECORD, inner=True),
    whole("member_1", "The first rank that took part.", Member("members.0"), inner=True),
    whole("member_2", "The second.", Member("members.1"), inner=True),
    whole("algorithm_bytes", "Size of the collective.", _RECORDED, "first", "bytes", inner=True),
    real("bus_factor", "Bus bandwidth over algorithm bandwidth.", _RECORDED, "first", inner=True),
    real("clock_before_ns", "Error of the global clock before.", Member("clock_error.before_ns"), inner=True),
    real("clock_after_ns", "Error of the global clock after.", Member("clock_error.after_ns"), inner=True),
    truth("rests_on_clock", "True if the figure needs a global clock.", _RECORD, "first", inner=True),
    text("calls_state", "State of the single calls before the samples.", Member("calls.state"), inner=True),
    truth("revisited", "True if there was a second visit.", _RECORD, inner=True),
    truth("revisit_agrees", "True if it agrees with the samples.", _RECORD, inner=True),
    truth("has_phases", "True if the operation has phases.", _RECORD, inner=True),
    real("rounding", "Half a printed step of another program over the figure.", _RECORD, "most", inner=True),
    real("line_least_ns", "Least reading of a cache line around it.", Member("line_ns.0"), inner=True),
    real("line_most_ns", "Most reading of a cache line around it.", Member("line_ns.1"), inner=True),
    real("level_least_ns", "Fastest level of the samples.", _RECORD, inner=True),
    real("level_most_ns", "Slowest level of the samples.", _RECORD, inner=True),
    whole("messages_seen", "Messages that one rank sent in calls_seen.", _RECORD, inner=True),
    real("tenth_ns", "10% quantile of the samples.", _SAMPLES, inner=True),
    real("nine_tenths_ns", "90% quantile of the samples.", _SAMPLES, inner=True),
    real("tail_mean_ns", "Mean of calls.", _SAMPLES, "median", inner=True),
    real("tail_median_ns", "Median of the same calls.", _SAMPLES, "median", inner=True),
    whole("tail_values", "Number of calls, or of means of blocks, in these.", _SAMPLES, inner=True),
    real(
        "sample_ns",
        "Time between the stamps of a sample, by the figure.",
        Formula(formulas.sample_ns),
        "median of all",
        inner=True,
    ),
    real("invalid_share", "Invalid repetitions over all.", None, Formula(formulas.invalid_share), inner=True),
)

_TOUCH = tuple(
    real(
        f"touch_{way}_ns",
        f"Time in which a rank {does} in a block; of two ranks the longer.",
        Member(f"touch_{way}_ns.2"),
        "median",
        printed=Printed(f"touch {way}", f"{way} µs", "µs", "time"),
    )
    for way, does in (("write", "changes its message"), ("read", "reads what arrived"))
)

LAUNCHES = (
    *(*WHERE, *_SAMPLED, *RATES, *BESIDE, *_TOGETHER, *_OVERLAP, *_REQUEST, *_EPOCH),
    *(*_TOUCH, *_HOW, FIRST_CALL, *_INNER),
)

# The columns of a table with one row per sample.
SAMPLES = (
    *WHERE,
    text("operation", "Name of the operation."),
    whole("bytes", "Message size; null if the operation has none.", unit="bytes"),
    text("phase", "warmup, discarded (before the steady part) or sample; only samples are in statistics."),
    whole("number", "Place in time order within the phase, from 0."),
    whole("sample_ns", "Time between the two stamps, after the reduction over ranks."),
    real("time_ns", "Time of one figure: sample_ns / repetitions / divisor; a warm-up is one repetition."),
)
