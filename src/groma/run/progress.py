"""The progress line: updated at most once a second on a terminal, once a minute in a file."""

from __future__ import annotations

import datetime as dt
import math
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from groma.text.counts import counted, plain_duration

REFRESH_S = 1.0
PIPED_S = 60.0
WORTH_SAYING_S = 20.0  # what a person should know of beforehand


class Progress:
    """One line on a terminal, which changes; on anything else a line for a finished launch, one a minute at most."""

    def __init__(
        self, console: Console, forecast_from_s: float = math.inf, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Write to `console`, which should be the standard error output: records and tables go elsewhere.

        A forecast of so many seconds is printed as soon as launches show how long the others take.
        """
        self._forecast_from_s = forecast_from_s
        self._console, self._clock = console, clock
        self._said_s = clock()
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None
        self._waiting = ""

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, launch: str, point: str, left_s: float | None) -> None:
        """Show the progress of the campaign on a terminal."""
        if self._live is not None:
            self._live.update(
                Text(f"{launch}, {point}, {_left(left_s)}", no_wrap=True, overflow="ellipsis"), refresh=True
            )

    def waiting(self, launch: str, due_s: float) -> None:
        """Show when the next launch starts: repeatedly on a terminal, else once."""
        text = f"{launch} starts {dt.datetime.fromtimestamp(due_s).astimezone():at %H:%M:%S on %d %B}"
        if self._live is not None:
            self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)
        elif text != self._waiting:
            self._console.print(text, highlight=False, soft_wrap=True)
        self._waiting = text

    @property
    def awaits_forecast(self) -> bool:
        """True if it was not told yet how long the launches take."""
        return math.isfinite(self._forecast_from_s)

    def forecast(self, launches: int, left_s: float) -> None:
        """Print the remaining time once, by the finished launches."""
        if left_s and left_s >= self._forecast_from_s:
            text = f"By {counted(launches, 'launch')} so far: {_left(left_s)}."
            self._console.print(text, highlight=False, soft_wrap=True)
        self._forecast_from_s = math.inf

    def launch_over(self, launch: str, left_s: float) -> None:
        """Report a finished launch, without a terminal and at most once a minute."""
        if self._live is None and self._clock() - self._said_s >= PIPED_S:
            self._said_s = self._clock()
            remaining = "" if left_s < 1 else f", {_left(left_s)}"
            self._console.print(f"{launch} done{remaining}", highlight=False, soft_wrap=True)


def _left(left_s: float | None) -> str:
    if left_s is None:
        return "estimating the time left"
    return f"about {plain_duration(left_s)} left" if left_s >= 1 else "almost done"
