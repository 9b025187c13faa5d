"""`groma show`: the figures of a run, and what is missing."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.console import err, out
from groma.cli.options import run_argument
from groma.run import RunDirectory, owner_is_alive


@click.command()
@run_argument
@click.option("--define", is_flag=True, help="Say what every printed figure means.")
def show(directory: Path, define: bool) -> int:
    """Print a run's figures; exit code 1 and a sentence for everything that is missing.

    The files decide, not what run.json says: a run that was killed is told from one that is still going.
    """
    from groma.report import print_run  # noqa: PLC0415 - takes a second to import
    from groma.results import load_run  # noqa: PLC0415

    run = load_run(directory)
    print_run(run, out(), define=define)
    missing = run.missing()
    if run.meta.state == "running":
        alive = owner_is_alive(RunDirectory(directory).read())
        words = {
            True: "is still being measured",
            False: "was killed, or could not write any more",
            None: "is being measured on another host, or was killed there",
        }
        missing = [f"The run {words[alive]}.", *missing[1:]]
    for sentence in missing:
        err().print(sentence, markup=False, soft_wrap=True)
    return 1 if missing else 0
