"""A run for people: tables in the terminal and one offline page."""

from groma.report.terminal import print_answer, print_run

__all__ = ["print_answer", "print_run"]
