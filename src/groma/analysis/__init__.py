"""Statistics of a run: figures with intervals, spreads, validity; nothing here measures."""

from groma.analysis.headline import Headline, headlines
from groma.analysis.series import Series, common_settings, series
from groma.analysis.summary import PointSummary, summarise
from groma.analysis.validity import Light, lights, verdict

__all__ = [
    "Headline",
    "Light",
    "PointSummary",
    "Series",
    "common_settings",
    "headlines",
    "lights",
    "series",
    "summarise",
    "verdict",
]
