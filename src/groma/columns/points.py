"""The columns that a point has over its launches, beside those of `launches` that hold over launches too."""

from __future__ import annotations

from groma.columns.column import Column, Formula, Made, Printed

_FIGURE = Made("groma.analysis.headline:figures_of")
_INTERVAL = Made("groma.analysis.uncertainty:intervals_of")
_SPREAD = Made("groma.tables.points:spreads_of")
_WITHIN_ACROSS = Made("groma.analysis.pointtable:spreads_of")
_PLACE = Made("groma.analysis.pointtable:places_of")

# In the table of points, and in every row of an exported table.
FIGURES = (
    Column("figure", "real", "Median over launches of each launch's figure, in `unit`.", None, _FIGURE),
    Column(
        "unit", "text", "\N{MICRO SIGN}s for a time, MB/s (10^6 bytes) or 1/s where messages overlap.", None, _FIGURE
    ),
    Column("interval_low", "real", "Lower end of the interval, in `unit`; null without one.", None, _FIGURE),
    Column("interval_high", "real", "Upper end of the interval, in `unit`; null without one.", None, _FIGURE),
    Column(
        "interval_kind",
        "text",
        "launches: 95% over launches; range: smallest and largest of few launches; samples: in the only launch; none.",
        None,
        _INTERVAL,
    ),
    Column(
        "estimator",
        "text",
        "The statistic of the samples that is a launch's figure: median, mean, p95, ...",
        None,
        _PLACE,
    ),
    Column("outliers", "text", "The rule by which samples are discarded for it; keep: none.", None, _PLACE),
    Column(
        "spread_within",
        "real",
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
    Column(
        "spread_across",
        "real",
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
    Column(
        "spread_samples",
        "real",
        "Standard deviation of the logarithm, of a launch's figure by its samples.",
        None,
        _SPREAD,
    ),
    Column(
        "spread_launches",
        "real",
        "The same from launch to launch, on top; null where launches cannot tell it.",
        None,
        _SPREAD,
    ),
    Column(
        "spread_runs",
        "real",
        "The same from run to run, on top, by 3 runs of the plan or more in one folder; or from round to round of one "
        "that repeats at an interval, with the launches' part where spread_launches is null. Null for fewer.",
        None,
        _SPREAD,
    ),
    Column(
        "next_run_low",
        "real",
        "Lower end of where another run's figure lies with 95%, in `unit`; or null.",
        None,
        _SPREAD,
    ),
    Column(
        "next_run_high",
        "real",
        "Upper end of where another run's figure lies with 95%, in `unit`; or null.",
        None,
        _SPREAD,
    ),
    Column(
        "checks",
        "texts",
        "Every check that is not passed for this point, as `name: sentence`.",
        None,
        Made("groma.tables.points:checks_of"),
    ),
)

POINTS = (
    Column("variant", "text", "The variant of the plan; null where it has none.", None, _PLACE),
    *FIGURES,
    Column(
        "time_ns",
        "real",
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
    Column(
        "launches",
        "whole",
        "Launches that measured the point.",
        None,
        _PLACE,
        printed=Printed("launches", "launches", "", "count", only="always", where="page", definition=""),
    ),
    Column("overhead_ns", "real", "Measuring overhead that the figure contains at most.", None, _INTERVAL, inner=True),
    Column("step_ns", "real", "By how much it may be off since the clock has steps.", None, _INTERVAL, inner=True),
    Column("sampling_low_ns", "real", "Lower end by how launches differ.", None, _INTERVAL, inner=True),
    Column("sampling_high_ns", "real", "Upper end by how launches differ.", None, _INTERVAL, inner=True),
    Column("time_low_ns", "real", "Lower end of the interval of the time.", None, _INTERVAL, inner=True),
    Column("time_high_ns", "real", "Upper end of the interval of the time.", None, _INTERVAL, inner=True),
)
