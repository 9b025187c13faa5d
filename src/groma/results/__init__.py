"""Run directories: reading them, as they are. `groma.tables` turns them into tables."""

from groma.results.run import Launch, Run, load_run

__all__ = ["Launch", "Run", "load_run"]
