"""`groma check`: what this machine means for a measurement."""

from __future__ import annotations

import click
from rich.console import Console

from groma.cli.options import launcher_option, ranks_option
from groma.errors import LaunchError, MachineError
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from groma.launch.launcher import find_launchers
from groma.machine.examine import Examination, examine
from groma.machine.facts import read_facts
from groma.machine.findings import host_findings, libraries_finding
from groma.plan.draft import DEFAULT_RANKS
from groma.run.preparing import refuse_under_launcher
from groma.text.console import err, out
from groma.text.lines import Styled
from groma.text.printing import print_list


@click.command()
@ranks_option
@launcher_option
def check(ranks: tuple[int, ...] | None, launcher: str | None) -> int:
    """Examine this machine, and say what each finding means for a measurement.

    Exit code 0 even with warnings, 1 if nothing can be measured at all.
    """
    refuse_under_launcher()
    most = max(ranks or (DEFAULT_RANKS,))
    try:
        engine = find_engine()
        setup = find_setup(engine, launcher)
        setup.check_engine()
    except LaunchError as error:
        print_findings(Examination([libraries_finding(find_launchers()), *host_findings(read_facts(), most)]), out())
        raise MachineError(str(error)) from None
    examination = examine(setup, most)
    print_findings(examination, out())
    if examination.failure is not None:
        raise MachineError(examination.failure)
    err().print(
        "This machine can measure." if _clean(examination) else "This machine can measure; see the warnings above."
    )
    return 0


def _clean(examination: Examination) -> bool:
    return all(finding.state in ("good", "unknown") for finding in examination.findings)


def print_findings(examination: Examination, console: Console) -> None:
    """Print an examination as a table: state, name, value and what it means."""
    signs = {"good": ("ok", "green"), "warn": ("!", "yellow"), "bad": ("BAD", "bold red"), "unknown": ("?", "cyan")}
    rows: list[tuple[str, str, str]] = []
    for finding in examination.findings:
        rows.append((Styled(*signs[finding.state]), Styled(finding.name, "bold"), finding.value))
        rows.append(("", "", Styled(finding.text, "dim")))
    print_list(console, rows, indent=1)
