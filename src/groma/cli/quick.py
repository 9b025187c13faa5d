"""`groma quick`: the health check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from groma.cli.check import print_findings
from groma.cli.limiting import judged_by, limits_of_plan, limits_options
from groma.cli.options import hosts_options, measuring, read_where
from groma.cli.settings import override, settings_option
from groma.errors import MachineError
from groma.launch.engine import catalog_in_use
from groma.machine.examine import examine
from groma.plan import read_profile
from groma.run.directory import RunDirectory
from groma.run.measuring import measure, new_run
from groma.run.prepared import visited
from groma.run.preparing import prepare, refuse_under_launcher, set_ranks
from groma.text.console import err, out, path_line


@click.command()
@settings_option
@limits_options
@hosts_options
@measuring
def quick(
    *,
    settings: list[tuple[str, str]],
    limits: Path | None,
    system: str,
    ranks: tuple[int, ...] | None,
    launches: int | None,
    output: Path | None,
    launcher: str | None,
    hosts: str | None,
    hostfile: Path | None,
    ppn: int | None,
    any_placement: bool,
) -> int:
    """Check this machine's MPI communication in about a minute.

    Looks at placement and noise, measures latency, bandwidth, message rate and four collectives in ten launches, prints
    tables and leaves a run directory with a report; its path is the last line.

    With --limits, or limits of this system in ~/.config/groma/limits.toml, it says whether they are kept; exit code 4:
    one is not, 125: not decided.
    """
    refuse_under_launcher()
    catalog = catalog_in_use()
    draft = read_profile("quick", catalog)
    override(draft, catalog, None, settings)
    where = read_where(hosts, hostfile, ppn)
    own_limits = limits_of_plan(draft, catalog, limits, system, where)
    draft.launches = launches or draft.launches
    set_ranks(draft, ranks, where)
    prepared = visited(replace(prepare(draft, catalog, launcher, where), any_placement=any_placement))
    directory = RunDirectory.create(draft.name, output)
    examination = examine(prepared.setup, max(draft.rank_counts))
    if examination.failure is not None:
        directory.remove_unmeasured()
        raise MachineError(examination.failure)
    print_findings(examination, err())
    outcome = measure(new_run(prepared, directory, examination), directory, prepared)
    if outcome.state == "interrupted":
        return 1
    from groma.report import print_answer, print_run  # noqa: PLC0415 - these take a second to import
    from groma.report.page import write_report  # noqa: PLC0415
    from groma.results import load_run  # noqa: PLC0415

    run = load_run(directory.path)
    limited = judged_by(run, own_limits, system) if own_limits else None
    beside = [limited.check] if limited else []
    answer = print_run(run, out(), beside=beside)
    out().print()
    for one in (answer, *beside):
        print_answer(one, out())
    path_line(out(), write_report(run, directory.path / "report.html", beside=beside))
    code = int(limited.code) if limited else 0
    return code if outcome.state == "complete" and not run.missing() else 1
