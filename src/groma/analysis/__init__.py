"""Statistics of a run: figures with intervals, spreads, validity; nothing here measures."""

from groma.analysis.summary import PointSummary, summarise

__all__ = ["PointSummary", "summarise"]
