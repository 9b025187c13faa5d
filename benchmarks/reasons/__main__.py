"""Runs `groma explain` for every two of five programs, and puts what a comparison of them claimed beside what is found.

The operations are pingpong, bcast, barrier and alltoall, on 2 and 4 ranks. What is measured stays in a folder (--keep):
a later call goes on from there. Where a program does not measure an operation, the row says so. Exit code 0 when every
pair was explained or refused for that reason, else 1.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import click

from benchmarks.host import processor
from benchmarks.reasons.found import Claim, Explained, Factor, judge, read
from groma.sizes import format_size, parse_size

PROGRAMS = ("mpptest", "mpbench", "pmb", "skampi", "mpibench")
OPERATIONS = ("pingpong", "bcast", "barrier", "alltoall")
CLAIMS = Path(__file__).with_name("reasons.toml")
LONGEST_S = 600
REFUSED = 2

_HEAD = """# Why five programs disagree: what was claimed, and what is measured here

Written by `make reasons`. The claims are those of N. A. W. Abdul Hamid, P. Coddington and F. Vaughan, *Comparison of
MPI Benchmark Programs on an SGI Altix ccNUMA Shared Memory Machine*, in our words. `groma explain` measures two
programs in all mixtures of their methods and shares the ratio of their times out among the factors in which they
differ. A claim is **shown** where the 95 % interval of its factor holds it, and **the contrary is shown** where it
holds the opposite. The claims are about an Altix with 8 processes and more: what is not shown here may be true there.
Messages have {size}. Measured with {libraries} on {machine}.
"""


def claims() -> list[Claim]:
    """Return the claims in the order of the paper."""
    written = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["reason"]
    return [Claim(**one | {"pairs": [tuple(pair) for pair in one["pairs"]]}) for one in written]


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


def _ratio(factor: Factor | None) -> str:
    if factor is None:
        return ""
    ends = f" ({factor.interval[0]:.3g} to {factor.interval[1]:.3g})" if factor.interval else ""
    return f"{factor.ratio:.3g}{ends}"


def claims_table(found: Sequence[Explained]) -> Iterator[str]:
    """Yield a section for each claim: its pairs, and what is found of each."""
    known = {(one.between, one.operation, one.ranks): one for one in found}
    known |= {(one.between[::-1], one.operation, one.ranks): one.turned() for one in found}
    for claim in claims():
        yield from (f"## {claim.claim}", "", f"Section {claim.section}; `{claim.operation}`.", "")
        yield "| first → second | ranks | factor | second / first (95 %) | |"
        yield "|---|--:|---|--:|---|"
        for pair in claim.pairs:
            for ranks in sorted({one.ranks for one in found}):
                one = known[pair, claim.operation, ranks]
                factor = one.by(claim.field)
                words = one.refused or (factor.words() if factor and factor.fields else claim.field)
                yield f"| {' → '.join(pair)} | {ranks} | {words} | {_ratio(factor)} | {judge(claim, one)} |"
        yield ""


def whole_table(found: Sequence[Explained]) -> Iterator[str]:
    """Yield every ratio with its factors."""
    yield from ("## All pairs", "", "| operation | ranks | first → second | factor | second / first (95 %) |")
    yield "|---|--:|---|---|--:|"
    for one in found:
        start = f"| {one.operation} | {one.ranks} | {' → '.join(one.between)} |"
        if one.refused:
            yield f"{start} {one.refused} | |"
            continue
        yield f"{start} **together** | {_ratio(one.total)} |"
        for factor in sorted(one.factors, key=lambda factor: -max(factor.ratio, 1 / factor.ratio)):
            yield f"| | | | {factor.words()} | {_ratio(factor)} |"


@click.command(help=__doc__)
@click.option("--keep", type=click.Path(path_type=Path), default=Path("runs/reasons"), show_default=True)
@click.option("--ranks", default="2,4", show_default=True, help="Numbers of ranks.")
@click.option("--bytes", "size", default="1K", show_default=True, help="Message size.")
@click.option(
    "--launches", default=6, show_default=True, help="Launches of each pair; 6 are the least for an interval."
)
@click.option("--write", "to", type=click.Path(path_type=Path), help="Write the page here too.")
def main(keep: Path, ranks: str, size: str, launches: int, to: Path | None) -> None:
    """Explain all pairs, print the page and write it."""
    keep.mkdir(parents=True, exist_ok=True)
    counts = [int(word) for word in ranks.split(",")]
    found = list(all_pairs(Effort(counts, size, launches, keep)))
    crowded = [count for count in counts if count > len(os.sched_getaffinity(0))]
    said = (
        f"On {crowded[0]} ranks there are more ranks than CPUs: those are times of the scheduler too.\n"
        if crowded
        else ""
    )
    head = _HEAD.format(
        size=format_size(parse_size(size)),
        libraries=libraries(keep),
        machine=f"{processor()}, {platform.system()}",
    )
    text = "\n".join([head, said, *claims_table(found), *whole_table(found)]) + "\n"
    click.echo(text)
    if to:
        to.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
