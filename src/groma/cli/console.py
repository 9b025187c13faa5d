"""The two outputs: tables and results on one, progress and explanations on the other."""

from __future__ import annotations

from rich.console import Console


def out() -> Console:
    """Return the console for what was asked for."""
    return Console(highlight=False)


def err() -> Console:
    """Return the console for progress and explanations."""
    return Console(stderr=True, highlight=False)


def path_line(console: Console, path: object) -> None:
    """Print a path on a line of its own, never wrapped, so that scripts can take it."""
    console.print(str(path), soft_wrap=True, markup=False)
