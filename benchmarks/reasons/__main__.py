"""Runs `groma explain` for the claims of a comparison of five programs, and puts what is found beside what was claimed.

Every claim names its programs, operation and sizes (reasons.toml). What is measured stays in a folder (--keep): a later
call goes on from there. If SimGrid is installed, claims on networks are tried on 8 simulated ranks too, and so is what
the comparison could not explain; else these rows stay as they are. Exit code 0 when every case was explained, or
refused because a program does not measure the operation, else 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchmarks.host import processor
from benchmarks.page import DOCS, written
from benchmarks.reasons import simulated
from benchmarks.reasons.document import STUDY, claims
from benchmarks.reasons.found import SIMULATED, Case, Explained, explained_of, read, rows_of
from simulation import definitions, simulator

LONGEST_S = 600
REFUSED, LACKING = 2, "does not measure"


@dataclass(frozen=True)
class Effort:
    """How many launches each case has, and the folder in which they stay."""

    launches: int
    folder: Path


def cases(counts: Sequence[int], machine: str) -> list[Case]:
    """Return what the claims speak of on so many ranks, each case once."""
    return list(
        dict.fromkeys(
            Case(_in_order(pair), claim.operation, size, ranks, machine)
            for claim in claims()
            if claim.simulated or machine != SIMULATED
            for ranks in counts
            if not claim.ranks or ranks in claim.ranks
            for pair in claim.pairs
            for size in claim.sizes
        )
    )


def _in_order(pair: tuple[str, str]) -> tuple[str, str]:
    """Return two programs in the same order, whichever comes first in a claim."""
    first, second = sorted(pair)
    return first, second


def explain(case: Case, effort: Effort) -> Explained:
    """Return what `groma explain` says, from the folder where it was measured before."""
    own = effort.folder / "-".join([case.operation, str(case.ranks), str(case.bytes), *case.between])
    refusal, document = own.with_suffix(".refused"), own / "explain.json"
    if not refusal.exists() and not document.exists():
        words = [str(Path(sys.executable).with_name("groma")), "explain", "--between", *case.between]
        words += ["--operation", case.operation, "--bytes", str(case.bytes), "-n", str(case.ranks)]
        words += ["--launches", str(effort.launches), "-o", str(own)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONGEST_S)
        if done.returncode == REFUSED and LACKING in done.stderr:
            refusal.write_text(done.stderr.strip().splitlines()[-1].removeprefix("groma: ").split(" (see ")[0])
        elif not document.exists():
            raise click.ClickException(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    if refusal.exists():
        return Explained(case, refused=refusal.read_text())
    return read(document, case)


def measured(counts: Sequence[int], effort: Effort) -> Iterator[Explained]:
    """Explain every case on real ranks; the machine is known when they ran."""
    for case in cases(counts, ""):
        yield explain(case, effort)
        click.echo(f"{case.operation}, {case.bytes} B, {case.ranks} ranks: {' and '.join(case.between)}", err=True)


def on_networks(docs: Path) -> tuple[Iterable[Explained], list[definitions.Compared]]:
    """Return the cases on simulated ranks and what was left open; without SimGrid, those of the rows that are there."""
    if lacking := simulator.missing():
        click.echo(f"The simulated rows stay as they are: {lacking}", err=True)
        rows, left_open = STUDY.rows(docs)
        return [one for one in explained_of(rows) if one.case.machine == SIMULATED], left_open
    return map(simulated.explained, cases((simulated.RANKS,), SIMULATED)), definitions.compared()


def libraries(folder: Path) -> str:
    """Return the names and versions of the MPI libraries by which the runs in a folder were measured."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*/run.json"))]
    return ", ".join(sorted({f"{run['library']['name']} {run['library']['version']}" for run in runs}))


@click.command(help=__doc__)
@click.option("--keep", type=click.Path(path_type=Path), default=Path("runs/reasons"), show_default=True)
@click.option("--ranks", default="2,4", show_default=True, help="Numbers of ranks.")
@click.option(
    "--launches", default=6, show_default=True, help="Launches of each case; 6 are the least for an interval."
)
@written
def main(keep: Path, ranks: str, launches: int, docs: Path | None) -> None:
    """Explain all cases, print the page and write it."""
    keep.mkdir(parents=True, exist_ok=True)
    real = list(measured([int(word) for word in ranks.split(",")], Effort(launches, keep)))
    machine = f"{libraries(keep)} on {processor()}"
    networks, left_open = on_networks(docs or DOCS)
    found = [*(replace(one, case=replace(one.case, machine=machine)) for one in real), *networks]
    STUDY.publish([[row for one in found for row in rows_of(one)], left_open], docs)


if __name__ == "__main__":
    main()
