"""Statistics of a run: figures with intervals, spreads and checks."""

from groma.analysis.headline import Headline, headlines
from groma.analysis.series import Series, common_settings, series
from groma.analysis.summary import PointSummary, summarise
from groma.analysis.validity import checks, verdict
from groma.analysis.variants import SideBySide, programs_of, runs_side_by_side, side_by_side
from groma.text.checks import Check

__all__ = [
    "Check",
    "Headline",
    "PointSummary",
    "Series",
    "SideBySide",
    "checks",
    "common_settings",
    "headlines",
    "programs_of",
    "runs_side_by_side",
    "series",
    "side_by_side",
    "summarise",
    "verdict",
]
