"""The front end on runs of many points and launches: CPU time, memory and output of the verbs that read them.

Run directories are made (benchmarks/made_run.py), not measured. The first command that reads one also makes what is
kept beside its records, which a campaign does after each launch; the others read that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.chart import curves
from benchmarks.made_run import make_run
from benchmarks.page import Page, Study, written
from groma.text.charts.axes import levels
from groma.text.sizes import format_size

_SIZES = ((100, 10), (1_000, 10), (10_000, 10), (10_000, 100))
_LIMIT_S, _LIMIT_BYTES, _LIMIT_PAGE = 10.0, 1 << 30, 2_000_000
_BESIDE = 3  # runs of the same plan beside the two that are compared
_MOST_COMPARED = 100_000  # records of a run: a comparison of a million keeps two runs and those beside in memory
# By verb its words, `made` standing for the run and `other` for another run of its plan, and the file it writes.
_VERBS = {
    "show, first reading": ("show made", None),
    "show": ("show made", None),
    "report": ("report made -o page.html", "page.html"),
    "export, first": ("export made --to parquet -o table.parquet", "table.parquet"),
    "export to Parquet": ("export made --to parquet -o table.parquet", "table.parquet"),
    "export to CSV": ("export made --to csv -o table.csv", "table.csv"),
    "bundle": ("bundle made -o made.tar.gz", "made.tar.gz"),
}
_COMPARING = {
    "show of the other, first reading": ("show other", None),
    "compare, alone": ("compare made other", None),
    f"compare, {_BESIDE} runs beside, first": ("compare runs/made runs/other", None),
    f"compare, {_BESIDE} runs beside": ("compare runs/made runs/other", None),
    f"gate, {_BESIDE} runs beside": ("gate runs/made runs/other", None),
    "history, first reading": ("history runs", None),
    "history": ("history runs", None),
}
_MAY_END_WITH = {"gate": (0, 4, 125)}
_CLI = "import sys; from groma.cli.main import main; sys.argv[0] = 'groma'; sys.exit(main())"


@dataclass(frozen=True)
class Cost:
    """What one command took: user and system time of its processors in seconds, and bytes."""

    points: int
    launches: int
    verb: str
    cpu_s: float
    memory_bytes: int
    output_bytes: int
    samples: int

    @property
    def kept(self) -> bool:
        """True if it is within the limits; those that read for the first time, or runs beside, have none."""
        page = self.verb != "report" or self.output_bytes <= _LIMIT_PAGE
        within = self.cpu_s <= _LIMIT_S and self.memory_bytes <= _LIMIT_BYTES
        return (within and page) or not self.limited

    @property
    def limited(self) -> bool:
        """True if limits hold for it: a bundle compresses every sample."""
        return "first" not in self.verb and "beside" not in self.verb and self.verb != "bundle"


@click.command(help=__doc__)
@click.option("--samples", default=30, show_default=True, help="Samples of a record.")
@click.option("--largest", default=1_000_000, show_default=True, help="Most records of a run.")
@written
def main(samples: int, largest: int, docs: Path | None) -> None:
    """Print the page, or write it; exit code 1 if a limit is missed."""
    costs = [
        cost
        for points, launches in _SIZES
        if points * launches <= largest
        for cost in measure(points, launches, samples)
    ]
    STUDY.publish([costs], docs)
    sys.exit(0 if all(cost.kept for cost in costs) else 1)


def measure(points: int, launches: int, samples: int) -> list[Cost]:
    """Make runs and return what each command takes with them."""
    with tempfile.TemporaryDirectory(prefix="groma-scale-") as name:
        folder = Path(name)
        make_run(folder / "made", points, launches, samples)
        costs = [_cost(points, launches, samples, verb, folder) for verb in _VERBS]
        if points * launches > _MOST_COMPARED:
            return costs
        make_run(folder / "other", points, launches, samples, seed=8)
        for verb, (words, _) in _COMPARING.items():
            if "runs" in words and not (folder / "runs").exists():
                for number in range(_BESIDE):
                    make_run(folder / "runs" / f"beside-{number}", points, launches, samples, seed=9 + number)
                for own in ("made", "other"):
                    (folder / own).rename(folder / "runs" / own)
            costs.append(_cost(points, launches, samples, verb, folder))
        return costs


def _cost(points: int, launches: int, samples: int, verb: str, folder: Path) -> Cost:
    words, target = (_VERBS | _COMPARING)[verb]
    output = folder / (target or "shown.txt")
    variables = os.environ | {"COLUMNS": "120", "GROMA_CONFIG": str(folder / "configuration")}
    with (folder / "shown.txt").open("wb") as shown:
        process = subprocess.Popen(
            [sys.executable, "-c", _CLI, *words.split()], stdout=shown, env=variables, cwd=folder
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in _MAY_END_WITH.get(words.split(maxsplit=1)[0], (0,)):
        raise SystemExit(f"groma {words} ended with exit code {process.returncode}")
    cpu_s, memory_bytes = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    return Cost(points, launches, verb, cpu_s, memory_bytes, output.stat().st_size, samples)


def page(costs: Sequence[Cost]) -> Page:
    """Return docs/scale.md."""
    missed = [f"{cost.verb} of {cost.points} x {cost.launches}" for cost in costs if not cost.kept]
    records = max(cost.points * cost.launches for cost in costs)
    largest = [cost for cost in costs if cost.points * cost.launches == records]
    slowest = max((cost for cost in largest if cost.limited), key=lambda cost: cost.cpu_s)
    return Page(
        chart=_chart(costs),
        headings=[
            f"{largest[0].points} points x {largest[0].launches} launches",
            "CPU s",
            "memory",
            "output",
            "within",
        ],
        rows=[_cells(cost) for cost in largest],
        words=vars(slowest)
        | {"missed": f" but {', '.join(missed)}" if missed else "", "records": records, "limit_s": _LIMIT_S}
        | {"limit_memory": format_size(_LIMIT_BYTES), "limit_page": _LIMIT_PAGE // 1_000_000},
    )


def _cells(cost: Cost) -> list[str]:
    within = "" if not cost.limited else "yes" if cost.kept else "no"
    return [cost.verb, f"{cost.cpu_s:.1f}", format_size(cost.memory_bytes), format_size(cost.output_bytes), within]


def _chart(costs: Sequence[Cost]) -> str:
    lines: dict[str, list[tuple[float, float]]] = {}
    for cost in costs:
        if "first" not in cost.verb:
            lines.setdefault(cost.verb, []).append((cost.points * cost.launches, cost.cpu_s))
    x = levels("records (points x launches)", [at for line in lines.values() for at, _ in line])
    y = levels("CPU s", [seconds for line in lines.values() for _, seconds in line])
    return curves(lines, x, y, "CPU time of each command over the records of a run")


STUDY = Study("scale", {"scale": Cost}, page)


if __name__ == "__main__":
    main()
