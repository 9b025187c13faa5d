"""Counts how often `groma gate` alarms although nothing changed, and how often it finds a slowdown that was planted.

One collective (allreduce 32 KiB) of what is gated takes longer, by a busy wait before the library's own call
(tests/engine/interpose/phases.c) on every rank, by 5 or 10 % of its time in a run just before.

*In turns*: `groma gate PLAN --variant base --variant head`, one gate after another, all of them real.
*Apart*: against stored baselines of 1, 6, 12 and 20 runs. One series of runs over one to two hours has in each slot a
run without a plant and one of each slowdown. Baselines and the five runs of a gate are drawn from it at random, of
slots of their own, and decided as `groma gate --over` decides. Then one real gate of each baseline.
*At once*: `groma gate` against a baseline of six of these runs.

What was measured stays in the folder, and a later call goes on. Exit code 0 if, by the exact 95 % interval, at most 5 %
of the gates of each kind alarm without a change.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from benchmarks.csvrows import read_rows, write_rows
from benchmarks.gates_page import APART, AT_ONCE, IN_TURNS, PLANTED, STUDY, Ended, judge
from benchmarks.host import processor
from benchmarks.libraries import beds, preloaded
from benchmarks.page import written
from benchmarks.short_plan import short_plan
from groma.analysis import summarise
from groma.cli.options import read_duration, reading
from groma.decide import Side
from groma.decide.gating import CONFIRMATIONS, Code
from groma.decide.visits import is_last, look
from groma.results import Run, load_run

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
SLOWED = ("allreduce", 32768)  # the only point of this size: the interposer slows messages by their length
BASELINES = (1, 6, 12, 20)
RULE = 1.10
RUNS = 1 + CONFIRMATIONS

Figures = dict[tuple[str, int | None], float]


class Came(NamedTuple):
    """What came of a command: its exit code, its output, and the minutes that it took."""

    code: int
    said: str
    minutes: float


class Bed:
    """The library with the interposer before it, a plan, and where runs go."""

    def __init__(self, folder: Path, launches: int) -> None:
        """Build the interposer; `folder` keeps everything that is measured."""
        self.folder, self.library, self.launches = folder.absolute(), beds.libraries()["embedded"], launches
        self._shared = self.folder / "shared"
        self._shared.mkdir(parents=True, exist_ok=True)
        self.plan = self.folder / "gated.toml"
        self.plan.write_text(short_plan("gated", launches, ("allreduce", "8, 32K"), ("bcast", "8, 64K")))

    def groma(self, *arguments: str | Path, delay_us: float | None = 0.0, fine: Sequence[int] = (0,)) -> Came:
        """Run a command; raises ClickException if its exit code is not one of `fine`. No delay: variants plant."""
        planted = {"GROMA_PLANTS_ON": "all"}
        if delay_us is not None:  # the launcher's variable would replace that of a variant
            planted["GROMA_PLANTS"] = plants(delay_us)
        environment = preloaded.environment(self.library, "phases", self._shared, planted)
        environment["GROMA_CONFIG"] = str(self.folder / "config")
        began_s = time.monotonic()
        command = [*GROMA, *map(str, arguments)]
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in fine:
            raise click.ClickException(f"groma {arguments[0]} ended with {done.returncode}:\n{done.stderr}")
        return Came(done.returncode, done.stdout, (time.monotonic() - began_s) / 60)

    def run(self, slot: int, planted: float, base_ns: float = 0.0) -> Path:
        """Return a run of the series; it is made if it is not there, slowed by a share of `base_ns`."""
        path = self.folder / "series" / f"{slot:03d}-{planted:.2f}" / "run"  # no other run lies beside it
        if not (path / "run.json").exists():
            self.groma("run", self.plan, "-o", path, delay_us=planted * base_ns / 1e3)
        return path

    def slot(self, number: int) -> None:
        """Make all runs of a slot of the series."""
        base_ns = figures(load_run(self.run(number, 0.0)))[SLOWED]
        for share in PLANTED:
            self.run(number, share, base_ns)

    def just_before(self, path: Path) -> float:
        """Return the time of the slowed point, in ns, in a run beside `path` made now: states of the machine differ."""
        before = path.with_name("before")
        self.groma("run", self.plan, "-o", before)
        return figures(load_run(before))[SLOWED]

    def gate(self, *arguments: str | Path, path: Path, delay_us: float | None = 0.0) -> Came:
        """Run a gate into a directory."""
        return self.groma(
            "gate", *arguments, "-o", path, delay_us=delay_us, fine=(0, Code.REGRESSION, Code.NOT_DECIDED)
        )

    def row(self, way: str, baseline: int, planted: float, path: Path, came: Came, *, by_rule: bool) -> Ended:
        """Return the row of a real gate by its directory and what came of its command."""
        launches, advisory = len(list(path.glob("**/launches/*"))), came.said.startswith("Advisory")
        effort = (launches, came.minutes, self.launches, processor())
        return Ended(way, baseline, False, planted, came.code, advisory, by_rule, *effort)


def plants(delay_us: float) -> str:
    """Return the interposer's words for a delay of the slowed point."""
    return f"{SLOWED[1]}:after:0:{delay_us:.3f}"


def figures(run: Run) -> Figures:
    """Return the figure of every point of a run in nanoseconds, by operation and size."""
    return {(point.operation, point.bytes): point.time_ns for point in summarise(run)}


def alarms_by_rule(before: Figures, after: Figures) -> bool:
    """Return whether a point takes 10 % longer than before."""
    return any(after[name] > RULE * figure for name, figure in before.items() if name in after)


def in_turns(bed: Bed, number: int, planted: float) -> Ended:
    """Make one gate in turns; the rule compares its slowed variant with the other one of the gate before."""
    runs = [load_run(one.parent) for one in sorted((bed.folder / "turns").glob("*/run/run.json"))[-2:]]
    earlier = [run for run in runs if run.meta.state == "complete"]
    before = figures(earlier[-1].by_variant()["base"] if earlier else load_run(bed.run(0, 0.0)))
    path = bed.folder / "turns" / f"{number:04d}-{time.time_ns()}" / "run"
    delays = {"base": 0.0, "head": planted * bed.just_before(path) / 1e3 if planted else 0.0}
    options = [word for name, delay in delays.items() for word in ("--variant", f"{name}:GROMA_PLANTS={plants(delay)}")]
    came = bed.gate(bed.plan, *options, path=path, delay_us=None)
    by_rule = alarms_by_rule(before, figures(load_run(path).by_variant()["head"]))
    return bed.row(IN_TURNS, 0, planted, path, came, by_rule=by_rule)


def at_once(bed: Bed, number: int, planted: float) -> Ended:
    """Make one gate against a baseline of six, whose runs follow each other."""
    return stored(bed, 6, AT_ONCE, planted, bed.folder / "at-once" / f"{number:04d}-{time.time_ns()}" / "run")


def stored(bed: Bed, baseline: int, way: str, planted: float, path: Path, *options: str) -> Ended:
    """Make one real gate of a stored baseline: runs of the series at equal distances."""
    slots = sorted(int(one.name[:3]) for one in (bed.folder / "series").glob("*-0.00"))
    places = np.linspace(0, len(slots) - 1, baseline).round().astype(int).tolist()
    runs = [bed.run(slots[place], 0.0) for place in places]
    bed.groma("baseline", "set", f"base-{baseline}", *runs, "--force")
    before, delay_us = figures(load_run(runs[0])), planted * bed.just_before(path) / 1e3 if planted else 0.0
    came = bed.gate(f"base-{baseline}", *options, path=path, delay_us=delay_us)
    return bed.row(way, baseline, planted, path, came, by_rule=alarms_by_rule(before, figures(load_run(path))))


class Drawing:
    """Gates whose baselines and runs are drawn from a series."""

    def __init__(self, bed: Bed, series: int) -> None:
        """Take the runs of `series` slots."""
        self._bed, self._runs = (
            bed,
            {share: [load_run(bed.run(slot, share)) for slot in range(series)] for share in (0.0, *PLANTED)},
        )

    @cached_property
    def _minutes(self) -> float:
        """Minutes that a run takes, on the average."""
        return float(np.mean([_wall_s(run) for run in self._runs[0.0]])) / 60

    def gate(self, baseline: int, planted: float, random: np.random.Generator) -> Ended:
        """Draw a baseline and the runs of a gate, each of a slot of its own, and decide look after look."""
        drawn = random.permutation(len(self._runs[0.0]))[: baseline + RUNS].tolist()
        base = Side("base", [self._runs[0.0][slot] for slot in sorted(drawn[:baseline])])
        now = [self._runs[planted][slot] for slot in sorted(drawn[baseline:])]
        used = 1
        while not is_last(ended := look(base, now[:used], RUNS), used, RUNS):
            used += 1
        by_rule = alarms_by_rule(figures(base.run), figures(now[0]))
        advisory, launches = ended.sentence.startswith("Advisory"), self._bed.launches
        effort = (used * launches, used * self._minutes, launches, processor())
        return Ended(APART, baseline, True, planted, int(ended.code), advisory, by_rule, *effort)


def _wall_s(run: Run) -> float:
    return sum((launch.meta.wall_s or 0.0) for launch in run.launches if launch.meta)


def order(left: Mapping[float, int]) -> Iterable[float]:
    """Yield what is planted in each gate that is left, kinds mixed: a budget that ends early leaves some of all."""
    most = max(left.values())
    for turn in range(most):
        for share, count in left.items():
            if turn * count // most < (turn + 1) * count // most:
                yield share


@dataclass(frozen=True)
class Asked:
    """What is to be made: gates without a change and of each slowdown, slots of the series and the time of a slot."""

    gates: int
    planted: int
    series: int
    slot_s: float
    over: str
    end_s: float

    @property
    def is_over(self) -> bool:
        """Whether nothing more may begin."""
        return time.monotonic() > self.end_s

    @property
    def counts(self) -> dict[float, int]:
        """How many gates of each plant."""
        return {0.0: self.gates} | dict.fromkeys(PLANTED, self.planted)


def make_gates(bed: Bed, asked: Asked, part: str, make: Callable[[Bed, int, float], Ended]) -> list[Ended]:
    """Make the real gates of a part that are left, and return all of them."""
    file = bed.folder / f"made-{part}.csv"
    ended = read_rows(file, Ended) if file.exists() else []
    left = {share: max(0, count - sum(one.planted == share for one in ended)) for share, count in asked.counts.items()}
    for planted in order(left) if any(left.values()) else ():
        if asked.is_over:
            break
        ended.append(make(bed, len(ended), planted))
        write_rows(file, Ended, ended)
        click.echo(f"gate {len(ended)}, {part}: planted {planted:.0%}, exit code {ended[-1].code}", err=True)
    return ended


def make_baselines(bed: Bed, asked: Asked) -> list[Ended]:
    """Make the series and the real gates, as far as they are left, and draw gates of a whole series."""
    for number in range(asked.series):
        began_s, is_there = time.monotonic(), (bed.folder / "series" / f"{number:03d}-{PLANTED[-1]:.2f}").exists()
        if asked.is_over:
            return []
        bed.slot(number)
        if not is_there:
            click.echo(f"slot {number + 1} of {asked.series}", err=True)
            time.sleep(max(0.0, asked.slot_s - (time.monotonic() - began_s)) if number < asked.series - 1 else 0.0)
    file = bed.folder / "real.csv"
    real = read_rows(file, Ended) if file.exists() else []
    possible = [baseline for baseline in BASELINES if baseline + RUNS <= asked.series]
    for baseline in possible:
        if baseline not in {one.baseline for one in real} and not asked.is_over:
            path = bed.folder / f"real-{baseline}" / "run"
            real.append(stored(bed, baseline, APART, 0.0, path, "--over", asked.over))
            write_rows(file, Ended, real)
            click.echo(f"real gate of {baseline}: exit code {real[-1].code}", err=True)
    drawing, random = Drawing(bed, asked.series), np.random.default_rng(1)
    drawn = [
        drawing.gate(baseline, planted, random)
        for baseline in possible
        for planted, count in asked.counts.items()
        for _ in range(count)
    ]
    return [*drawn, *real]


@click.command(help=__doc__)
@click.option(
    "--only", type=click.Choice(["turns", "baselines"]), help="Make one part; of the other, take what there is."
)
@click.option("--gates", default=100, show_default=True, type=click.IntRange(min=1), help="Gates without a change.")
@click.option("--planted", default=40, show_default=True, type=click.IntRange(min=1), help="Gates of each slowdown.")
@click.option("--series", default=60, show_default=True, type=click.IntRange(min=6), help="Slots of the series.")
@click.option("--slot", default="90s", show_default=True, callback=reading(read_duration), help="Time of a slot.")
@click.option("--over", default="6m", show_default=True, metavar="TIME", help="Time of a real gate.")
@click.option("--launches", default=10, show_default=True, type=click.IntRange(min=6), help="Launches of a run.")
@click.option("--budget", callback=reading(read_duration), metavar="TIME", help="Begin nothing after this time.")
@click.option("--keep", type=click.Path(path_type=Path), default=Path("runs/gates"), show_default=True)
@written
def main(
    *, only: str | None, gates: int, planted: int, series: int, slot: float, over: str, launches: int,
    budget: float | None, keep: Path, docs: Path | None,
) -> None:  # fmt: skip
    """Make what is left, print the page, judge."""
    bed, end_s = Bed(keep, launches), time.monotonic() + (budget or float("inf"))
    asked = Asked(gates, planted, series, slot, over, end_s)
    parts: dict[str, Callable[[], list[Ended]]] = {
        "turns": lambda: make_gates(bed, asked, "turns", in_turns),
        "baselines": lambda: make_baselines(bed, asked),
        "at-once": lambda: make_gates(bed, asked, "at-once", at_once),
    }
    made = []
    for part, make in parts.items():
        file = bed.folder / f"made-{part}.csv"
        if only in (None, part):
            write_rows(file, Ended, make())
        made += read_rows(file, Ended) if file.exists() else []
    before = STUDY.rows(docs)[0] if docs and STUDY.exists(docs) else []
    ended = [*made, *(one for one in before if one.way not in {own.way for own in made})]
    if not ended:
        sys.exit("no gate has ended yet; call again to go on")
    STUDY.publish([ended], docs)
    sys.exit(0 if judge(made) else 1)


if __name__ == "__main__":
    main()
