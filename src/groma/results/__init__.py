"""Run directories: reading them, as they are, and turning them into tables."""

from groma.results.columns import COLUMNS, SAMPLE_COLUMNS
from groma.results.run import Launch, Run, load_run
from groma.results.table import export, load, samples

__all__ = ["COLUMNS", "SAMPLE_COLUMNS", "Launch", "Run", "export", "load", "load_run", "samples"]
