"""When the rounds of a campaign start that repeats at an interval (`--every`): a fixed grid from its beginning on."""

from __future__ import annotations

import datetime as dt
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from groma.launch.process import Interrupts
from groma.results.documents import RunDocument
from groma.run.directory import RunDirectory
from groma.run.earlier import started
from groma.run.schedule import Step

# A waiting line is refreshed so often; a signal ends the wait at once.
_REFRESH_S = 30.0


@dataclass
class Timetable:
    """The times at which rounds may start: `begin_s` (Unix time), then every `every_s` seconds.

    One round starts at each of them at most, also over a resume: a time that was missed is not made up for, so that
    what is measured stays apart by the interval. `last_s` is when a launch of the run was last started.
    """

    begin_s: float
    every_s: float
    last_s: float | None = None
    clock: Callable[[], float] = time.time
    sleep: Callable[[Interrupts, float], None] = Interrupts.wait

    def due_s(self) -> float:
        """Return the Unix time at which the next round may start: now where nothing was started yet."""
        now_s = self.clock()
        if self.last_s is None:
            return now_s
        place = math.ceil((now_s - self.begin_s) / self.every_s)
        after_last = math.floor((self.last_s - self.begin_s) / self.every_s) + 1
        return self.begin_s + max(place, after_last) * self.every_s

    def wait(self, interrupts: Interrupts, tell: Callable[[float], None]) -> bool:
        """Sleep until the next round is due; `tell` gets that time now and then. False if a signal came first."""
        due_s = self.due_s()
        while interrupts.received is None and (left_s := due_s - self.clock()) > 0:
            tell(due_s)
            self.sleep(interrupts, min(left_s, _REFRESH_S))
        self.last_s = self.clock()
        return interrupts.received is None


def timetable_of(document: RunDocument, directory: RunDirectory) -> Timetable | None:
    """Return the timetable of a run, with what was started before a resume; None if its launches just follow."""
    if document.every_s is None:
        return None
    starts = map(dt.datetime.fromisoformat, started(directory))
    begin = dt.datetime.fromisoformat(document.created).timestamp()
    return Timetable(begin, document.every_s, max((start.timestamp() for start in starts), default=None))


def begins_a_round(step: Step, before: Step | None, round_length: int) -> bool:
    """Return whether a launch is the first of its round that this process makes."""
    return before is None or (step.number - 1) // round_length != (before.number - 1) // round_length
