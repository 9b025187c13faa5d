"""A run for people: tables in the terminal and one offline page."""

from groma.report.terminal import print_run

__all__ = ["print_run"]
