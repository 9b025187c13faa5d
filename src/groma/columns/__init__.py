"""The columns of a run: every figure's name, unit and meaning, and where it comes from, declared once.

What reads, prints or exports figures reads this table. A figure that the engine records is a member of its record's
schema, the place where the engine sets it, and a column here. A figure that follows from others is a column with a
formula.
"""

from groma.columns.column import Column, Formula, Made, Member, OfLaunch
from groma.columns.launches import LAUNCHES, SAMPLES, WHERE
from groma.columns.points import FIGURES, POINTS

# By name; a name means the same per launch and over launches.
COLUMNS = {column.name: column for column in (*LAUNCHES, *POINTS)}
# Columns of the tables that are given away: one row per point and launch, or per point.
OF_LAUNCHES = tuple(column for column in LAUNCHES if not column.inner and column not in POINTS)
OF_POINTS = tuple(column for column in (*POINTS, *LAUNCHES) if not column.inner and column.point is not None)
# Columns of the printed tables, in their order; those that are not named here follow as they are declared.
_ORDER = (
    *("time_ns", "clock_share", "spread_within", "spread_across", "bandwidth_mb_s", "messages_per_s"),
    *("arrival_skew_ns", "limit_multiple", "tcp_multiple", "first_call_ratio"),
    *("minimum_ns", "p95_ns", "p99_ns", "maximum_ns", "algorithm_bandwidth_mb_s", "bus_bandwidth_mb_s"),
    *("launches", "samples"),
)
PRINTED = tuple(
    (column, column.printed)
    for column in [*map(COLUMNS.__getitem__, _ORDER), *(one for one in COLUMNS.values() if one.name not in _ORDER)]
    if column.printed is not None
)

__all__ = [
    "COLUMNS",
    "FIGURES",
    "OF_LAUNCHES",
    "OF_POINTS",
    "PRINTED",
    "SAMPLES",
    "WHERE",
    "Column",
    "Formula",
    "Made",
    "Member",
    "OfLaunch",
]
