"""`python -m simulation`: Groma's figures beside the truth; exit code 0 when all hold, 1 when one does not."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from simulation import bisection, clocks, findings, report, scale, sick, truths
from simulation.simulator import SimulationError, missing

_SCALE_TITLE = "## Many ranks"


@click.command()
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here too.")
@click.option("--scale", "rank_counts", metavar="P,...", help="Measure instead what these numbers of ranks cost.")
def main(write: Path | None, rank_counts: str | None) -> None:
    """Compare what the engine reports on simulated networks with what is true there."""
    if reason := missing():
        raise click.ClickException(reason)
    try:
        holds = _scale(write, rank_counts) if rank_counts else _truth(write)
    except SimulationError as error:
        raise click.ClickException(str(error)) from error
    sys.exit(0 if holds else 1)


def _truth(write: Path | None) -> bool:
    claims, found, clocked = truths.times(), bisection.bisections() + findings.findings(), clocks.clocks()
    diagnosed = sick.diagnoses()
    text = report.page(claims, found, clocked) + report.sick_page(diagnosed)
    click.echo(text)
    if write:
        # What `--scale` found takes long, and is kept until it is made again.
        old = write.read_text() if write.exists() else ""
        kept = old[old.index(_SCALE_TITLE) :] if _SCALE_TITLE in old else ""
        write.write_text(text + (f"\n{kept}" if kept else ""))
    return all(one.holds for group in (claims, found, clocked, diagnosed) for one in group)


def _scale(write: Path | None, rank_counts: str) -> bool:
    costs = scale.costs([int(ranks) for ranks in rank_counts.split(",")])
    text = report.scale_page(costs)
    click.echo(text)
    if write:
        old = write.read_text() if write.exists() else ""
        write.write_text(old.split(f"\n{_SCALE_TITLE}")[0] + f"\n{text}")
        report.draw_scale(costs, write.with_name(f"{write.stem}-scale.svg"))
    return scale.grows_as_it_should(costs)


if __name__ == "__main__":
    main()
