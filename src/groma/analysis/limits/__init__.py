"""Limits of a site: a file that says what figures a healthy system has, and the verdict on runs by it."""

from groma.analysis.limits.judging import Judgement, Line, judged
from groma.analysis.limits.reading import Limit, Limits, default_limits, read_limits

__all__ = ["Judgement", "Limit", "Limits", "Line", "default_limits", "judged", "read_limits"]
