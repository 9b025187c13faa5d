"""The columns that a point has over its launches, beside those of `launches` that hold over launches too."""

from __future__ import annotations

from groma.columns.column import Column, Formula, Made, Printed, real, text, whole

_FIGURE = Made("groma.analysis.headline:figures_of")
_INTERVAL = Made("groma.analysis.uncertainty:intervals_of")
_SPREAD = Made("groma.tables.points:spreads_of")
_WITHIN_ACROSS = Made("groma.analysis.pointtable:spreads_of")
_PLACE = Made("groma.analysis.pointtable:places_of")

# In the table of points, and in every row of an exported table.
FIGURES = (
    real("figure", "Median over launches of each launch's figure, in `unit`.", None, _FIGURE),
    text("unit", "\N{MICRO SIGN}s for a time, MB/s (10^6 bytes) or 1/s if messages overlap.", None, _FIGURE),
    real("interval_low", "Lower end of the interval, in `unit`; null without one.", None, _FIGURE),
    real("interval_high", "Upper end of the interval, in `unit`; null without one.", None, _FIGURE),
    text(
        "interval_kind",
        "launches: 95% over launches; range: smallest and largest of few launches; samples: in the only launch; none.",
        None,
        _INTERVAL,
    ),
    text("estimator", "The statistic of the samples that is a launch's figure: median, mean, p95, ...", None, _PLACE),
    text("outliers", "The rule by which samples are discarded for it; keep: none.", None, _PLACE),
    real(
        "spread_within",
        "Interquartile range over median within a launch; median over launches.",
        None,
        _WITHIN_ACROSS,
        printed=Printed(
            "within",
            "within",
            "%",
            "share",
            only="always",
            definition=(
                "Spread within a launch: interquartile range of the samples over their median; the median of it over "
                "launches."
            ),
        ),
    ),
    real(
        "spread_across",
        "Interquartile range over median of the launches' figures; null below four.",
        None,
        _WITHIN_ACROSS,
        printed=Printed(
            "between",
            "across",
            "%",
            "share",
            only="always",
            definition=(
                "Spread across launches: interquartile range of the launches' figures over their median. It needs 4 "
                "launches."
            ),
        ),
    ),
    real(
        "spread_samples", "Standard deviation of the logarithm of a launch's figure, from its samples.", None, _SPREAD
    ),
    real(
        "spread_launches", "Additional standard deviation between launches; null if it cannot be known.", None, _SPREAD
    ),
    real(
        "spread_runs",
        "Additional standard deviation between 3 or more runs of the plan in one folder, or between rounds of a run "
        "at an interval (if spread_launches is null, with that of launches). Null for fewer.",
        None,
        _SPREAD,
    ),
    real("next_run_low", "Lower end of the 95% interval of another run's figure, in `unit`; or null.", None, _SPREAD),
    real("next_run_high", "Upper end of the 95% interval of another run's figure, in `unit`; or null.", None, _SPREAD),
    Column(
        "checks",
        "Checks that this point does not pass, as `name: sentence`.",
        None,
        Made("groma.tables.points:checks_of"),
        kind="texts",
    ),
)

POINTS = (
    text("variant", "The variant of the plan; null if it has none.", None, _PLACE),
    *FIGURES,
    real(
        "time_ns",
        "Time of one figure, whatever `unit` is.",
        None,
        Formula(lambda of: of["figure_ns"]),
        printed=Printed(
            "time",
            "µs",
            "µs",
            "time",
            only="always",
            definition=(
                "Median over launches of each launch's figure. A launch's figure is the median of its samples, unless "
                "the plan's [report] table names another estimator or outlier rule: then the table says so, with the "
                "number of samples discarded. A sample is the time between two stamps, divided by the repetitions "
                "between them and by the operation's divisor (2 for a round trip reported one way). With blocks, a "
                "sample is a mean over many calls, and the figure is a median of such means. No figure contains "
                "warm-up calls."
            ),
        ),
    ),
    whole(
        "launches",
        "Launches that measured the point.",
        None,
        _PLACE,
        printed=Printed("launches", "launches", "", "count", only="always", where="page", definition=""),
    ),
    real("overhead_ns", "Measuring overhead that the figure contains at most.", None, _INTERVAL, inner=True),
    real("step_ns", "Error that the clock's steps may cause.", None, _INTERVAL, inner=True),
    real("sampling_low_ns", "Lower end from the spread of launches.", None, _INTERVAL, inner=True),
    real("sampling_high_ns", "Upper end from the spread of launches.", None, _INTERVAL, inner=True),
    real("time_low_ns", "Lower end of the interval of the time.", None, _INTERVAL, inner=True),
    real("time_high_ns", "Upper end of the interval of the time.", None, _INTERVAL, inner=True),
)
