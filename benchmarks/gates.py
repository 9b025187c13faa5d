"""Counts how often `groma gate` alarms although nothing changed, and how often it finds a slowdown that was planted.

An A/A gate measures the plan of a baseline again on the same library. In a planted gate one collective (allreduce
32 KiB) takes longer by a busy wait before the library's own call (tests/engine/interpose/phases.c): by 3, 5, 10 or 25 %
of its time in the first run of the baseline. Every ten gates have a new baseline of six runs, which were measured
between the gates before, since runs that follow each other at once are alike. Exit code 0 if at most 5 % of the A/A
gates alarmed. It takes hours on a quiet machine; a later call goes on with the gates that are left.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.chart import curves
from benchmarks.csvrows import read_rows, write_rows
from benchmarks.host import processor
from benchmarks.libraries import beds, preloaded
from benchmarks.page import Page, Study, written
from benchmarks.short_plan import short_plan
from groma.analysis import summarise
from groma.cli.options import read_duration, reading
from groma.results import load_run
from groma.text.charts.axes import even

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
SLOWED = ("allreduce", 32768)  # the only point of this size: the interposer slows messages by their length
PLANTED = (0.0, 0.03, 0.05, 0.10, 0.25)
RULE = 1.10
ALARM, UNDECIDED = 4, 125  # exit codes of groma gate
RENEWED = 10  # gates of one baseline
BASELINE_RUNS = 6
PAUSE_S = 20  # between runs of the first baseline


@dataclass(frozen=True)
class Ended:
    """How one gate ended: what was planted, its exit code, whether it was advisory, what the rule said, its effort.

    `launches` are those of the gate, and `launches_a_run` those of each of its runs.
    """

    planted: float
    code: int
    advisory: bool
    by_rule: bool
    launches: int
    minutes: float
    launches_a_run: int
    machine: str


class Bed:
    """The library with the interposer before it, a plan, and where runs go."""

    def __init__(self, folder: Path, launches: int) -> None:
        """Build the interposer; `folder` keeps everything that is measured."""
        self.folder, self.library, self._launches = folder.absolute(), beds.libraries()["embedded"], launches
        self.folder.mkdir(parents=True, exist_ok=True)
        self._shared = self.folder / "shared"
        self._shared.mkdir(exist_ok=True)
        self._plan = self.folder / "gated.toml"
        self._plan.write_text(short_plan("gated", launches, ("allreduce", "8, 32K"), ("bcast", "8, 64K")))

    def baseline(self, number: int) -> list[Path]:
        """Return the runs of a baseline, which is kept as `base-NUMBER`; those that are missing are made."""
        runs = [self._base_run(number, run) for run in range(BASELINE_RUNS)]
        self._groma("baseline", "set", f"base-{number}", *runs, "--force")
        return runs

    def _base_run(self, number: int, run: int, pause_s: float = PAUSE_S) -> Path:
        """Return a run of a baseline; it is made after a pause if it is not there."""
        path = self.folder / f"base-{number}" / str(run + 1)
        if not (path / "run.json").exists():
            time.sleep(pause_s)
            self._groma("run", self._plan, "-o", path)
        return path

    def gate(self, number: int, share: float, path: Path) -> Ended:
        """Make one gate against a baseline, with one collective slowed by a share of its time."""
        base = self.baseline(number // RENEWED)
        delay_us = share * figures(base[0])[SLOWED] / 1e3
        began_s = time.monotonic()
        done = self._groma(
            "gate", f"base-{number // RENEWED}", "-o", path, delay_us=delay_us, fine=(0, ALARM, UNDECIDED)
        )
        minutes = (time.monotonic() - began_s) / 60
        launches = len(list(path.glob("launches/*"))) + len(list(path.glob("confirm-*/launches/*")))
        by_rule = alarms_by_rule(figures(base[0]), figures(path))
        if number % RENEWED < BASELINE_RUNS:
            self._base_run(number // RENEWED + 1, number % RENEWED, pause_s=0)
        advisory = done.stdout.startswith("Advisory")
        return Ended(share, done.returncode, advisory, by_rule, launches, minutes, self._launches, processor())

    def _groma(
        self, *arguments: str | Path, delay_us: float = 0.0, fine: Sequence[int] = (0,)
    ) -> subprocess.CompletedProcess[str]:
        plants = f"{SLOWED[1]}:after:0:{delay_us:.3f}"
        environment = preloaded.environment(self.library, "phases", self._shared, {"GROMA_PLANTS": plants})
        environment["GROMA_CONFIG"] = str(self.folder / "config")
        command = [*GROMA, *map(str, arguments)]
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in fine:
            raise click.ClickException(f"groma {arguments[0]} ended with {done.returncode}:\n{done.stderr}")
        return done


def figures(run: Path) -> dict[tuple[str, int | None], float]:
    """Return the figure of every point of a run in nanoseconds, by operation and size."""
    return {(point.operation, point.bytes): point.time_ns for point in summarise(load_run(run))}


def alarms_by_rule(before: dict[tuple[str, int | None], float], after: dict[tuple[str, int | None], float]) -> bool:
    """Return whether a point takes 10 % longer than before."""
    return any(after[name] > RULE * figure for name, figure in before.items() if name in after)


def order(left: Mapping[float, int]) -> Iterator[float]:
    """Yield what is planted in each gate that is left, kinds mixed: a budget that ends early leaves some of all."""
    most = max(left.values())
    for turn in range(most):
        for share, count in left.items():
            if turn * count // most < (turn + 1) * count // most:
                yield share


def page(ended: Sequence[Ended]) -> Page:
    """Return docs/gates.md."""
    by_share = {share: own for share in PLANTED if (own := [gate for gate in ended if gate.planted == share])}
    equal, most = by_share[0.0], max(by_share)
    return Page(
        chart=_chart(by_share),
        headings=["planted", "gates", "alarms", "advisory", "not decided", "10% rule alarms", "launches", "minutes"],
        rows=[_row(share, gates) for share, gates in by_share.items()],
        words=vars(ended[0])
        | {
            "alarms": _share(_alarms(equal)),
            "gates": len(equal),
            "rule": _share(one.by_rule for one in equal),
            "planted": most,
            "planted_gates": len(by_share[most]),
            "found": _share(_alarms(by_share[most])),
        },
    )


def _chart(by_share: Mapping[float, Sequence[Ended]]) -> str:
    alarms = {share: [one.code == ALARM for one in gates] for share, gates in by_share.items()}
    rule = {share: [one.by_rule for one in gates] for share, gates in by_share.items()}
    lines = {
        name: [(100 * share, 100 * sum(cases) / len(cases)) for share, cases in found.items()]
        for name, found in (("groma gate", alarms), ("rule of 10%", rule))
    }
    x = even("planted slowdown, %", 0, 100 * max(by_share))
    return curves(lines, x, even("gates that alarm, %", 0, 100), "Gates that alarm over the planted slowdown")


def _row(share: float, own: Sequence[Ended]) -> list[str]:
    return [
        f"{share:.0%}" if share else "nothing",
        str(len(own)),
        _share(_alarms(own)),
        _share(one.advisory for one in own),
        _share(one.code == UNDECIDED and not one.advisory for one in own),
        _share(one.by_rule for one in own),
        f"{sum(one.launches for one in own) / len(own):.0f}",
        f"{sum(one.minutes for one in own) / len(own):.1f}",
    ]


def _alarms(gates: Sequence[Ended]) -> Iterator[bool]:
    return (one.code == ALARM for one in gates)


def _share(cases: Iterable[bool]) -> str:
    known = list(cases)
    return f"{sum(known)} ({sum(known) / len(known):.0%})"


STUDY = Study("gates", {"gates": Ended}, page)


@click.command(help=__doc__)
@click.option("--gates", default=100, show_default=True, type=click.IntRange(min=0), help="A/A gates.")
@click.option("--planted", default=20, show_default=True, type=click.IntRange(min=0), help="Gates of each slowdown.")
@click.option("--launches", default=10, show_default=True, type=click.IntRange(min=6), help="Launches of a run.")
@click.option("--budget", callback=reading(read_duration), metavar="TIME", help="Start no gate after this time.")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("runs/gates"), show_default=True)
@written
def main(*, gates: int, planted: int, launches: int, budget: float | None, folder: Path, docs: Path | None) -> None:
    """Make the gates that are not known yet, print the page, judge."""
    bed, began_s = Bed(folder, launches), time.monotonic()
    file = (bed.folder if docs is None else docs / "data") / "gates.csv"
    ended = read_rows(file, Ended) if file.exists() else []
    made = Counter(gate.planted for gate in ended)
    left = {share: max(0, (planted if share else gates) - made[share]) for share in PLANTED}
    for number, share in enumerate(order(left), start=len(ended)):
        if budget is not None and time.monotonic() - began_s > budget:
            break
        ended.append(bed.gate(number, share, bed.folder / f"gate-{number:04d}" / f"run-{time.time_ns()}"))
        write_rows(file, Ended, ended)
        click.echo(f"gate {number + 1}: planted {share:.0%}, exit code {ended[-1].code}", err=True)
    STUDY.publish([ended], docs)
    equal = [one for one in ended if not one.planted]
    sys.exit(1 if 20 * sum(_alarms(equal)) > len(equal) else 0)


if __name__ == "__main__":
    main()
