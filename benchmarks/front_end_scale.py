"""The front end on runs of many points and launches: CPU time, memory and output of the verbs that read them.

Run directories are made (benchmarks/made_run.py), not measured. The first command that reads one also makes what is
kept beside its records, which a campaign does after each launch; the others read that.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import polars as pl
import vl_convert

from benchmarks.made_run import make_run
from groma.sizes import format_size

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

    @property
    def kept(self) -> bool:
        """Whether it is within the limits; those that read for the first time, or runs beside, have none."""
        page = self.verb != "report" or self.output_bytes <= _LIMIT_PAGE
        within = self.cpu_s <= _LIMIT_S and self.memory_bytes <= _LIMIT_BYTES
        return (within and page) or not self.limited

    @property
    def limited(self) -> bool:
        """Whether limits hold for it."""
        return "first" not in self.verb and "beside" not in self.verb


def main() -> int:
    """Print the table, or write it with a plot; exit code 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=30, help="samples of a record")
    parser.add_argument("--largest", type=int, default=1_000_000, help="most records of a run")
    parser.add_argument("--write", type=Path, help="file for the table; the plot stands beside it")
    options = parser.parse_args()
    costs = [
        cost
        for points, launches in _SIZES
        if points * launches <= options.largest
        for cost in measure(points, launches, options.samples)
    ]
    page = _page(costs, options.samples)
    if options.write:
        options.write.write_text(page, encoding="utf-8")
        _draw(costs, options.write.with_suffix(".svg"))
    else:
        print(page)
    return 0 if all(cost.kept for cost in costs) else 1


def measure(points: int, launches: int, samples: int) -> list[Cost]:
    """Make runs and return what each command takes with them."""
    with tempfile.TemporaryDirectory(prefix="groma-scale-") as name:
        folder = Path(name)
        make_run(folder / "made", points, launches, samples)
        costs = [_cost(points, launches, verb, folder) for verb in _VERBS]
        if points * launches > _MOST_COMPARED:
            return costs
        make_run(folder / "other", points, launches, samples, seed=8)
        for verb, (words, _) in _COMPARING.items():
            if "runs" in words and not (folder / "runs").exists():
                for number in range(_BESIDE):
                    make_run(folder / "runs" / f"beside-{number}", points, launches, samples, seed=9 + number)
                for own in ("made", "other"):
                    (folder / own).rename(folder / "runs" / own)
            costs.append(_cost(points, launches, verb, folder))
        return costs


def _cost(points: int, launches: int, verb: str, folder: Path) -> Cost:
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
    return Cost(points, launches, verb, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, output.stat().st_size)


def _page(costs: list[Cost], samples: int) -> str:
    rows = [
        f"| {cost.points} x {cost.launches} | {cost.verb} | {cost.cpu_s:.1f} | {format_size(cost.memory_bytes)} | "
        f"{format_size(cost.output_bytes)} | {'' if not cost.limited else 'yes' if cost.kept else 'no'} |"
        for cost in costs
    ]
    return _PAGE.format(samples=samples, limit_s=_LIMIT_S, rows="\n".join(rows))


def _draw(costs: list[Cost], path: Path) -> None:
    """Write CPU time over the number of records, a line for each command, as an SVG picture."""
    rows = [{"records": cost.points * cost.launches, "command": cost.verb, "CPU s": cost.cpu_s} for cost in costs]
    chart = (
        alt.Chart(pl.DataFrame(rows), width=480, height=260)
        .mark_line(point=True)
        .encode(
            x=alt.X("records:Q", scale=alt.Scale(type="log"), title="records (points x launches)"),
            y=alt.Y("CPU s:Q", scale=alt.Scale(type="log")),
            color=alt.Color("command:N", title=None),
        )
    )
    path.write_text(vl_convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")


_PAGE = """# How the front end grows

Written by `make scale`: runs of so many points and launches, {samples} samples a record, that are made and not
measured. Seconds are user and system time of all processors, memory is the largest resident size. The limits are
{limit_s:g} s, 1 GiB, and 2 MB for the page. The first reading of a run also makes what is kept beside its records; a
campaign does that after each launch ([ADR 32](adr/0032-figures-are-kept-beside-records.md)). A comparison reads every
run of the folder once: its time is linear in their number, and has no limit here.

| points x launches | command | CPU s | memory | output | within limits |
| --: | --- | --: | --: | --: | --- |
{rows}

![CPU time over records](scale.svg)

Of a run with more than 200 points, `groma show` prints tables of the first curves, and says how many there are; `--all`
prints all. A page has tables and charts of at most 600 points, of curves evenly spread over the plan. Checks, key
figures and exported tables are of all points. `export --to json` writes all rows as text and is not limited.
"""


if __name__ == "__main__":
    sys.exit(main())
