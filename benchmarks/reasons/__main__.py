"""Runs `groma explain` for every two of five programs, and puts what a comparison of them claimed beside what is found.

The operations are pingpong, bcast, barrier and alltoall, on 2 and 4 ranks. What is measured stays in a folder (--keep):
a later call goes on from there. If a program does not measure an operation, the row says so. Exit code 0 when every
pair was explained or refused for that reason, else 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import click

from benchmarks.host import processor
from benchmarks.page import written
from benchmarks.reasons.document import STUDY
from benchmarks.reasons.found import Explained, read, rows_of
from groma.text.sizes import parse_size

PROGRAMS = ("mpptest", "mpbench", "pmb", "skampi", "mpibench")
OPERATIONS = ("pingpong", "bcast", "barrier", "alltoall")
LONGEST_S = 600
REFUSED = 2


@dataclass(frozen=True)
class Effort:
    """What is measured of each pair, and the folder in which it stays."""

    counts: Sequence[int]
    size: str
    launches: int
    folder: Path


def explain(between: tuple[str, str], operation: str, ranks: int, effort: Effort) -> Explained:
    """Return what `groma explain` says, from the folder where it was measured before."""
    own = effort.folder / f"{operation}-{ranks}-{'-'.join(between)}"
    refusal, document = own.with_suffix(".refused"), own / "explain.json"
    if not refusal.exists() and not document.exists():
        words = [str(Path(sys.executable).with_name("groma")), "explain", "--between", *between]
        words += ["--operation", operation, "--bytes", effort.size, "-n", str(ranks)]
        words += ["--launches", str(effort.launches), "-o", str(own)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONGEST_S)
        if done.returncode == REFUSED:
            refusal.write_text(done.stderr.strip().splitlines()[-1].removeprefix("groma: ").split(" (see ")[0])
        elif not document.exists():
            raise click.ClickException(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    if refusal.exists():
        return Explained(between, operation, ranks, refused=refusal.read_text())
    return read(document, between, operation, ranks)


def all_pairs(effort: Effort) -> Iterator[Explained]:
    """Explain every pair, operation and number of ranks."""
    for ranks in effort.counts:
        for operation in OPERATIONS:
            for between in combinations(PROGRAMS, 2):
                yield explain(between, operation, ranks, effort)
                click.echo(f"{operation}, {ranks} ranks: {' and '.join(between)}", err=True)


def libraries(folder: Path) -> str:
    """Return the names and versions of the MPI libraries by which the runs in a folder were measured."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*/run.json"))]
    return ", ".join(sorted({f"{run['library']['name']} {run['library']['version']}" for run in runs}))


@click.command(help=__doc__)
@click.option("--keep", type=click.Path(path_type=Path), default=Path("runs/reasons"), show_default=True)
@click.option("--ranks", default="2,4", show_default=True, help="Numbers of ranks.")
@click.option("--bytes", "size", default="1K", show_default=True, help="Message size.")
@click.option(
    "--launches", default=6, show_default=True, help="Launches of each pair; 6 are the least for an interval."
)
@written
def main(keep: Path, ranks: str, size: str, launches: int, docs: Path | None) -> None:
    """Explain all pairs, print the page and write it."""
    keep.mkdir(parents=True, exist_ok=True)
    found = list(all_pairs(Effort([int(word) for word in ranks.split(",")], size, launches, keep)))
    machine = f"{libraries(keep)} on {processor()}"
    STUDY.publish([[row for one in found for row in rows_of(one, parse_size(size), machine)]], docs)


if __name__ == "__main__":
    main()
