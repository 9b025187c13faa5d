"""Statistics of a run: figures with intervals, spreads, validity; nothing here measures."""

from groma.analysis.headline import Headline, headlines
from groma.analysis.series import Series, common_settings, series
from groma.analysis.summary import PointSummary, summarise
from groma.analysis.validity import Light, lights, verdict
from groma.analysis.variants import SideBySide, side_by_side

__all__ = [
    "Headline",
    "Light",
    "PointSummary",
    "Series",
    "SideBySide",
    "common_settings",
    "headlines",
    "lights",
    "series",
    "side_by_side",
    "summarise",
    "verdict",
]
