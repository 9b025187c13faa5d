"""Numbers of things, in the singular or the plural, and durations, as people say them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return `1 launch`, `2 launches`."""
    plural = f"{noun}es" if noun.endswith(("ch", "ss")) else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def all_of(number: int, noun: str) -> str:
    """Return `the launch`, `all 2 launches`."""
    return f"the {noun}" if number == 1 else f"all {counted(number, noun)}"


def first_names(names: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`: not more names than `most`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def cpus(number: float) -> str:
    """Return `1 CPU`, `1.5 CPUs`: CPUs' worth of time."""
    return f"{number:g} CPU{'' if number == 1 else 's'}"


def plain_duration(seconds: float) -> str:
    """Return a duration no more exact than an estimate is: `8 s`, `40 s`, `3 min`, `5.5 h`."""
    if seconds < 20:
        return f"{max(1, round(seconds))} s"
    if seconds < 120:
        return f"{round(seconds / 5) * 5} s"
    return f"{round(seconds / 60)} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
