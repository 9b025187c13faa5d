"""Measures the blocking, the nonblocking and the persistent form of every collective, on several libraries in turns.

`groma run` measures all forms of the 17 collectives, and those that make a persistent request every time, with the
libraries as variants. Ratios are of medians of launches, form over blocking, launch by launch, with their 95 %
intervals. A form is faster or slower if its whole interval says so. A run that was interrupted goes on at the next
call with the same folder.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import numpy as np

from benchmarks.chart import Dot, strips
from benchmarks.host import processor
from benchmarks.page import Page, Study, written
from groma.analysis import PointSummary, summarise
from groma.analysis.grouping import meaning
from groma.analysis.order import median_interval
from groma.catalog import packaged
from groma.report.persistent import pays_after
from groma.results import Run, load_run
from groma.text.charts.axes import levels
from groma.text.numbers import DASH
from groma.text.sizes import format_size

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
BYTES = (8, 1 << 10, 1 << 16)
SLOT_S = 0.02
Form = Literal["nonblocking", "persistent"]
FORMS: tuple[Form, ...] = ("nonblocking", "persistent")
_FEWEST = 6
_AXIS = (0.25, 16.0)


@dataclass(frozen=True)
class Row:
    """One form of a collective beside the blocking one: the ratio of times, form over blocking, with its 95 % interval.

    `request_us` is what making and freeing a persistent request takes, `pays` after how many calls it pays.
    """

    library: str
    collective: str
    ranks: int
    bytes: int | None
    form: str
    blocking_us: float
    form_us: float
    ratio: float
    low: float
    high: float
    request_us: float | None
    pays: str
    launches: int
    machine: str

    @property
    def verdict(self) -> str:
        """Whether the form is shown faster or slower than the blocking one."""
        return "faster" if self.high < 1 else "slower" if self.low > 1 else "open"


def collectives() -> dict[str, dict[Form, str]]:
    """Return the names of the forms of every collective of a communicator's ranks."""
    operations = packaged().operations
    blocking = [one.name for one in operations if one.family == "collective" and not one.form_of]
    names = {one.name for one in operations}
    forms: dict[str, dict[Form, str]] = {
        name: {"nonblocking": f"i{name}", "persistent": f"{name}_init"} for name in blocking
    }
    return {name: own for name, own in forms.items() if set(own.values()) <= names and not name.startswith("neighbor")}


def measure(path: Path, libraries: str, ranks: int, launches: int) -> Run:
    """Return the run of a number of ranks, made as far as it is not there."""
    names = [name for own, forms in collectives().items() for name in (own, *forms.values(), f"fresh/{own}_init")]
    if (path / "run.json").exists():
        words = ["run", "--resume", str(path), "--launches", str(launches)]
    else:
        sizes = ",".join(map(str, BYTES))
        words = ["run", *names, "--bytes", sizes, "-n", str(ranks), "--launches", str(launches), "--mpi", libraries]
        words += ["--set", f"slot_s={SLOT_S}", "--set", "optional=true", "-o", str(path)]
    done = subprocess.run([*GROMA, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1: a library lacks a form
        raise click.ClickException(f"groma {' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    return load_run(path)


def rows_of(run: Run) -> Iterator[Row]:
    """Yield a row for every form that enough launches measured beside the blocking one."""
    points = {(str(point.variant), point.operation, point.bytes): point for point in summarise(run)}
    for (library, name, size), blocking in points.items():
        for form, own_name in collectives().get(name, {}).items():
            own, fresh = points.get((library, own_name, size)), points.get((library, f"fresh/{own_name}", size))
            row = own and _row(library, form, blocking, own, fresh if form == "persistent" else None)
            if row:
                yield row


def _row(library: str, form: Form, blocking: PointSummary, own: PointSummary, fresh: PointSummary | None) -> Row | None:
    """Return what the launches that have both say; None if they are too few for an interval."""
    before, after = map(_by_launch, (blocking, own))
    both = sorted(before.keys() & after.keys())
    ratios = np.array([after[number] / before[number] for number in both])
    if (interval := median_interval(ratios)) is None:
        return None
    made_ns = sum(float(fresh.value(f"request_{phase}_ns") or 0.0) for phase in ("init", "free")) if fresh else None
    times = np.median([[before[number], after[number]] for number in both], axis=0) / 1e3
    return Row(
        library=library,
        collective=meaning(blocking.point).name,
        ranks=blocking.ranks,
        bytes=blocking.bytes,
        form=form,
        blocking_us=float(times[0]),
        form_us=float(times[1]),
        ratio=float(np.median(ratios)),
        low=interval.low,
        high=interval.high,
        request_us=made_ns / 1e3 if made_ns else None,
        pays=pays_after(made_ns, [before[number] - after[number] for number in both]) if made_ns else "",
        launches=len(both),
        machine=processor(),
    )


def _by_launch(point: PointSummary) -> Mapping[int, float]:
    return dict(zip(point.rows.launch_numbers.tolist(), point.rows["figure_ns"].tolist(), strict=True))


def page(rows: Sequence[Row]) -> Page:
    """Return docs/forms.md."""
    counts = {form: Counter(row.verdict for row in rows if row.form == form) for form in FORMS}
    libraries, ranks = (dict.fromkeys(getattr(row, name) for row in rows) for name in ("library", "ranks"))
    there = {(row.library, row.ranks) for row in rows}
    absent = [
        f"{library} on {count} ranks" for count in ranks for library in libraries if (library, count) not in there
    ]
    return Page(
        chart=_chart(rows),
        headings=["library", "ranks", "form", "rows", "faster", "slower", "ratio", "init + free, us", "pays in"],
        rows=[_cells(own) for own in _groups(rows)],
        words=vars(rows[0])
        | {"count": len(rows), "collectives": len({row.collective for row in rows})}
        | {f"{form}_{word}": counts[form][word] for form in FORMS for word in ("faster", "slower", "open")}
        | {"absent": ", ".join(absent) or "none", "most": max(row.launches for row in rows)},
    )


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for key in dict.fromkeys((row.library, row.ranks, row.form) for row in rows):
        yield [row for row in rows if (row.library, row.ranks, row.form) == key]


def _cells(own: Sequence[Row]) -> list[str]:
    counts = Counter(row.verdict for row in own)
    middle = f"{np.median([row.ratio for row in own]):.2f}"
    requests = [row.request_us for row in own if row.request_us is not None]
    pays = sum(row.pays.endswith(("call", "calls")) for row in own)
    request, paid = (f"{np.median(requests):.2f}", f"{pays} of {len(requests)}") if requests else (DASH, DASH)
    first = own[0]
    heads = [first.library, str(first.ranks), first.form, str(len(own))]
    return [*heads, str(counts["faster"]), str(counts["slower"]), middle, request, paid]


def _chart(rows: Sequence[Row]) -> str:
    """Draw the smallest size on the fewest ranks, where the forms differ most."""
    ranks, least = min(row.ranks for row in rows), min(row.bytes or 0 for row in rows if row.bytes)
    dots = [
        Dot(row.collective, f"{row.library}, {row.form}", row.ratio, f"{row.ratio:.2f}", row.low, row.high)
        for row in rows
        if row.ranks == ranks and row.bytes in (None, least)
    ]
    x = levels("time over that of the blocking form", _AXIS)
    words = f"Ratio of times, form over blocking, of {format_size(least)} on {ranks} ranks, with 95% intervals"
    return strips(dots, x, words, (0.95, 1.05))


STUDY = Study("forms", {"forms": Row}, page)


@click.command(help=__doc__)
@click.option("--mpi", "libraries", required=True, help="Names of libraries that `groma mpi add` knows, by commas.")
@click.option("--ranks", default="2,4", show_default=True, help="Numbers of ranks.")
@click.option(
    "--launches", default=10, show_default=True, type=click.IntRange(min=_FEWEST), help="Launches of a library."
)
@click.option("--keep", type=click.Path(path_type=Path), default=Path("runs/forms"), show_default=True)
@written
def main(*, libraries: str, ranks: str, launches: int, keep: Path, docs: Path | None) -> None:
    """Measure what is left, print the page."""
    runs = [measure(keep / number, libraries, int(number), launches) for number in ranks.split(",")]
    STUDY.publish([[row for run in runs for row in rows_of(run)]], docs)


if __name__ == "__main__":
    main()
