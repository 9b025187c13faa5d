"""A gate whose runs lie apart in time: `--over TIME` waits between them, `--visit FOLDER` makes one a call.

Every run is a look. A gate without suspects has passed; points that are none are not measured again. An alarm is
corrected for the looks after Bonferroni: the last has 4 of the 5 %, those from the second on share 1 %, and one run
alone never raises one. So at most 5 % of gates without a regression alarm, whenever they end (docs/adr/0024).

The first run's directory is the gate's: gate.json says what is decided, further runs are confirm-N in it.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from pathlib import Path
from statistics import median

import msgspec

from groma.analysis.compare import MARGIN
from groma.decide.comparing import Compared, compare_sides
from groma.decide.gating import CONFIRMATIONS, Code, Gate, confirmed, decide, listed, places, suspects
from groma.decide.remeasuring import Wishes, measured_run, only, prepared_for
from groma.decide.sides import Side
from groma.errors import InputError, RunError
from groma.launch.process import Interrupts
from groma.results import Run, load_run
from groma.results.conditions import same_software, settings
from groma.results.documents import readable
from groma.run.directory import PARENT, RunDirectory, now_iso
from groma.run.prepared import Prepared
from groma.text.console import err, path_line
from groma.text.counts import counted, plain_duration

_FILE = "gate.json"
_LAST_LOOK = 0.8  # the last look's share of the 5 %
VISIT_S = 3600.0  # runs so far apart do not share a visit, if the baseline does not show what does


class GateDocument(msgspec.Struct, frozen=True):
    """gate.json: what an open gate is about (identities of the baseline's runs, margin, runs), and how it ended."""

    baseline: str
    runs: list[str]
    margin: float
    visits: int
    closed: str | None = None
    code: int | None = None
    sentence: str = ""


@dataclass(frozen=True)
class OpenGate:
    """A gate that has begun, and its complete runs, the oldest first."""

    directory: RunDirectory
    document: GateDocument
    runs: tuple[Run, ...]

    @property
    def left(self) -> int:
        """How many runs it has left."""
        return self.document.visits - len(self.runs)

    def write(self, **ended: object) -> None:
        """Write gate.json; with `ended`, how the gate ended: a later visit opens another."""
        document = msgspec.structs.replace(self.document, **ended)
        self.directory.write_json(self.directory.path / _FILE, document)


def look(base: Side, runs: Sequence[Run], visits: int, margin: float = MARGIN, *, strict: bool = False) -> Gate:
    """Decide by the first runs of a gate that has so many `visits`, look after look: what was cleared stays so."""
    compared = compare_sides(base, Side("now", runs[:1]), margin)
    apart = lie_apart(runs, base.runs)
    for visit in range(2, len(runs) + 1):
        if suspects(compared):
            now = Side("now", runs[:visit], in_succession=not apart)
            compared = confirmed(compared, base, now, family_at(visit, visits, len(compared.rows)))
    if len(runs) > 1 and not apart:
        compared = replace(compared, remarks=[*compared.remarks, _in_common(runs, base.runs)])
    return decide(compared, runs, strict=strict)


def is_last(gate: Gate, runs: int, visits: int) -> bool:
    """Return whether a look is the last one: a pass, an alarm of several runs, or no runs left."""
    alarms = gate.code is Code.REGRESSION and runs > 1
    return gate.code is Code.NO_REGRESSION or alarms or runs >= visits


def family_at(visit: int, visits: int, points: int) -> int:
    """Return for how many tests an alarm is corrected at a look, so that all looks together have 5 %.

    The first look never alarms. Of two, the last has it all.
    """
    if visits <= 2:
        return points
    return math.ceil(points / (_LAST_LOOK if visit >= visits else (1 - _LAST_LOOK) / (visits - 2)))


def visited(
    base: Side,
    wishes: Wishes,
    margin: float | None,
    *,
    strict: bool,
    over_s: float | None = None,
    folder: Path | None = None,
) -> Gate:
    """Make one run of the baseline's open gate, or with `over_s` all that are left, and decide as soon as possible.

    With `folder` open gates and new ones lie in it; without, the gate is the run of `wishes`, or lies under runs/.
    Raises InputError if that cannot be measured, RunError if a run fails or the wait is interrupted.
    """
    prepared = prepared_for(base, wishes)
    if prepared.plan.every_s:
        raise InputError("the baseline's rounds start at an interval and stand for runs; leave out --over and --visit")
    found = _found(base, [wishes.output] if wishes.output else sorted((folder or PARENT).glob("*")))
    asked = _asked(base, wishes, margin, found)
    gate = found or _begun(prepared, asked, wishes.output, folder)
    path_line(err(), gate.directory.path)
    to_make = gate.left if over_s is not None else int(found is not None)
    with gate.directory.claimed():
        while True:
            seen = look(base, gate.runs, asked.visits, asked.margin, strict=strict)
            if is_last(seen, len(gate.runs), asked.visits):
                gate.write(closed=now_iso(), code=int(seen.code), sentence=seen.sentence)
                return seen
            if not to_make:
                break
            if over_s is not None:
                _wait(gate, seen.compared, over_s / (asked.visits - 1))
            gate, to_make = _with_another(gate, prepared, seen.compared, wishes), to_make - 1
    more = f"at most {counted(gate.left, 'more run')} {'decides' if gate.left == 1 else 'decide'}"
    return Gate(Code.NOT_DECIDED, f"Not decided yet: {_so_far(gate, seen.compared)}; {more}.", seen.compared)


def lie_apart(runs: Sequence[Run], others: Sequence[Run]) -> bool:
    """Return whether runs lie at least half as far apart as others, by the median; beside a single one, an hour."""
    gap_s, other_s = _gap_s(runs), _gap_s(others)
    return gap_s is not None and gap_s >= (VISIT_S if other_s is None else other_s / 2)


def _gap_s(runs: Sequence[Run]) -> float | None:
    """Return the median time from one run's start to the next's; None for a single run, or without dates."""
    try:
        starts = sorted(dt.datetime.fromisoformat(run.meta.created).timestamp() for run in runs)
    except (ValueError, OverflowError):
        return None
    return median(after - before for before, after in pairwise(starts)) if len(starts) > 1 else None


def _in_common(runs: Sequence[Run], others: Sequence[Run]) -> str:
    """Say that the runs count as those of one visit."""
    own, other = (plain_duration(gap_s or 0.0) for gap_s in (_gap_s(runs), _gap_s(others)))
    beside = f", those of the baseline {other}" if len(others) > 1 else ""
    return f"The gate's runs began {own} apart{beside}: what they have in common counts as drift."


def _found(base: Side, folders: Sequence[Path]) -> OpenGate | None:
    """Return the newest open gate of the baseline's runs among these folders."""
    identities = sorted(base.identities)
    for path in reversed(folders):
        document = readable(path / _FILE, GateDocument)
        if document is not None and document.closed is None and document.runs == identities:
            further = [load_run(one.parent) for one in path.glob("confirm-*/run.json")]
            whole = [run for run in further if run.meta.state == "complete" and not run.missing()]
            whole.sort(key=lambda run: run.meta.created)
            return OpenGate(RunDirectory(path), document, (load_run(path), *whole))
    return None


def _asked(base: Side, wishes: Wishes, margin: float | None, found: OpenGate | None) -> GateDocument:
    """Return what the gate is about; raises InputError if the open one is about something else."""
    if found is None:
        visits = 1 + (wishes.confirm or CONFIRMATIONS)
        return GateDocument(base.name, sorted(base.identities), margin or MARGIN, visits)
    own = found.document
    if margin not in (None, own.margin) or wishes.confirm not in (None, own.visits - 1):
        raise InputError(
            f"the open gate {found.directory.path} has a margin of {100 * own.margin:g} % and {own.visits} runs; leave "
            "out --margin and --confirm, or remove its gate.json to open another"
        )
    return own


def _begun(prepared: Prepared, asked: GateDocument, output: Path | None, folder: Path | None) -> OpenGate:
    """Make the first run, of all points, and open its gate."""
    run = measured_run(prepared, output or (folder or PARENT) / prepared.plan.name, dated=output is None)
    gate = OpenGate(RunDirectory(run.path), asked, (run,))
    gate.write()
    return gate


def _with_another(gate: OpenGate, prepared: Prepared, compared: Compared, wishes: Wishes) -> OpenGate:
    """Measure the suspects in another run.

    Raises RunError, and closes the gate undecided, if other files or settings of MPI measured it.
    """
    first = gate.runs[0]
    again = only(prepared, places(first, suspects(compared)), wishes.later_budget_s(gate.document.visits - 1))
    paths = (first.path / f"confirm-{number}" for number in count(1))
    run = measured_run(again, next(path for path in paths if not path.exists()))
    if same_software(first, run) is False or settings(first) != settings(run):
        what = f"other files or settings of MPI measured {run.path} than {first.path}"
        gate.write(closed=now_iso(), code=int(Code.NOT_DECIDED), sentence=what)
        raise RunError(f"{what}, so their gate is closed undecided; the next call opens another")
    return replace(gate, runs=(*gate.runs, run))


def _wait(gate: OpenGate, compared: Compared, interval_s: float) -> None:
    """Wait until an interval after the last run's start, and say what is known; raises RunError at a signal."""
    now = dt.datetime.now().astimezone()
    due = max(now, dt.datetime.fromisoformat(gate.runs[-1].meta.created) + dt.timedelta(seconds=interval_s))
    err().print(f"So far {_so_far(gate, compared)}; next run at {due:%H:%M}.", markup=False, soft_wrap=True)
    with Interrupts() as interrupts:
        interrupts.wait((due - now).total_seconds())
        if interrupts.received is not None:
            raise RunError(
                f"interrupted with {len(gate.runs)} of {gate.document.visits} runs; the gate {gate.directory.path} is "
                "open, and the same command goes on with it"
            )


def _so_far(gate: OpenGate, compared: Compared) -> str:
    """Return what can be seen before the gate has ended."""
    rows = suspects(compared)
    seen = [
        f"{row.label} ({row.ratio:.2f} times, {row.interval.low:.2f} to {row.interval.high:.2f})"
        if row.interval
        else f"{row.label}, {row.words}"
        for row in rows
    ]
    points = f"{len(rows)} of {counted(len(compared.rows), 'point')}"
    return (
        f"{len(gate.runs)} of {gate.document.visits} runs: {points} may be slower than {compared.names[0]} by "
        f"more than {100 * compared.margin:g} %: {listed(seen)}"
    )
