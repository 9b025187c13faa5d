"""`python -m simulation`: Groma's figures beside the truth; exit code 0 when all hold, 1 when one does not."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from benchmarks.page import written
from simulation import bisection, clocks, findings, report, sick, truths
from simulation.simulator import SimulationError, missing


@click.command()
@written
def main(docs: Path | None) -> None:
    """Compare what the engine reports on simulated networks with what is true there."""
    if reason := missing():
        raise click.ClickException(reason)
    try:
        claims, found, clocked = truths.times(), bisection.bisections() + findings.findings(), clocks.clocks()
        diagnosed = sick.diagnoses()
    except SimulationError as error:
        raise click.ClickException(str(error)) from error
    rows = claims, found, [report.clock_row(one) for one in clocked], [report.slow_row(one) for one in diagnosed]
    report.STUDY.publish(rows, docs)
    sys.exit(0 if all(one.holds for group in rows for one in group) else 1)


if __name__ == "__main__":
    main()
