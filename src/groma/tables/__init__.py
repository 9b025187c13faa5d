"""A run as tables for other programs: one row per point, per point and launch, or per sample."""

from groma.tables.columns import COLUMNS, FIGURE_COLUMNS, SAMPLE_COLUMNS, SUMMARY_COLUMNS
from groma.tables.launches import export, load, samples
from groma.tables.summaries import summary

__all__ = [
    "COLUMNS",
    "FIGURE_COLUMNS",
    "SAMPLE_COLUMNS",
    "SUMMARY_COLUMNS",
    "export",
    "load",
    "samples",
    "summary",
]
