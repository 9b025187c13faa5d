"""`groma run --resume`: continues a run that ended early, or adds launches."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from groma.catalog import Catalog
from groma.errors import InputError, LaunchError, RunError
from groma.launch.allocation import array_index
from groma.launch.command import Setup, find_setup
from groma.launch.engine import Engine, engine_at, find_engine
from groma.plan.hosts import NO_HOSTS, Hosts, read_hosts
from groma.results.documents import Extension, LibraryDocument, RunDocument
from groma.results.fields import meanings_in
from groma.run.builds import WHAT_TO_DO, Builds
from groma.run.directory import PARENT, RunDirectory, now_iso, owner_is_alive
from groma.run.earlier import all_measured
from groma.run.measuring import plan_document
from groma.run.prepared import Prepared, visited
from groma.run.preparing import check_commands, refused_points
from groma.run.stages import check_staged, go_on, measure_stages, plan_of, stages_left
from groma.text.console import err, out

# Variables of the loader, of launchers and of libraries by which other programs and libraries are run.
_CAN_NAME_A_PROGRAM = re.compile(r"^LD_|^PATH$|EXEC|AGENT|RSH|_PATH$|_DIR$|LAUNCHER|BOOTSTRAP", re.IGNORECASE)


@dataclass(frozen=True)
class Again:
    """Options of a resume that override the run's first command."""

    launcher: str | None = None
    budget_s: float | None = None
    hosts: Hosts = NO_HOSTS
    any_placement: bool = False
    pause_after: int | None = None
    any_build: bool = False
    launches: int | None = None

    def hosts_for(self, document: RunDocument) -> Hosts:
        """Return the hosts that are named now, else those that the run's first command named."""
        named = self.hosts.hosts or (read_hosts(document.hosts) if document.hosts else ())
        return Hosts(named, self.hosts.ppn or (None if self.hosts.hosts else document.ppn))


def resume_run(path: Path, catalog: Catalog, again: Again) -> tuple[RunDirectory, str]:
    """Make the launches that a run lacks, or additional ones, with its own plan and seeds.

    Launches that ended early or with an error are set aside.

    Raises InputError if the run is still going, has nothing left to do, or would mix two libraries.
    """
    directory = RunDirectory(path)
    directory.read()  # without one, nothing is written
    with directory.claimed():
        return directory, _resumed(directory, catalog, again)


def _resumed(directory: RunDirectory, catalog: Catalog, again: Again) -> str:
    """Do the same for a locked run, and return its state."""
    path, document = directory.path, directory.read()
    if owner_is_alive(document):
        raise InputError(f"{path} is still being measured; wait for it, or interrupt that process first")
    if again.launcher is None:
        _refuse_unasked(directory, document)
    hosts = again.hosts_for(document)
    here = _programs_here() if document.libraries else set()
    setups = {
        name: _same(path, library, here, again.launcher).on(hosts) for name, library in document.libraries.items()
    }
    if document.variants and len(setups) == len(document.variants):
        setup = next(iter(setups.values()))
    else:
        setup = _setup(path, document, again.launcher).on(hosts)
    if again.launches is not None:
        extend(document, directory.launch_numbers(), again.launches)
    plan = plan_of(directory, document, catalog)
    prepared = Prepared(plan, catalog, setup, setups, refused_points(plan, setups), pause_after=again.pause_after)
    check_staged(plan, pauses=again.pause_after is not None, adds=again.launches is not None)
    check_commands(prepared)
    document.any_build = document.any_build or again.any_build
    if not document.any_build:
        _refuse_other_builds(directory, prepared)
    try:
        meanings_in(path)
    except RunError:  # the engine is the one that described itself in it
        directory.write_catalog(catalog)
    if again.budget_s is None and nothing_left(directory, document):
        text = f"Nothing was measured: {path} is complete since {document.finished}; these are its figures."
        out().print(text, markup=False, soft_wrap=True)
        return document.state
    prepared = visited(prepared)
    document.hosts, document.ppn = "" if setup.hosts.of_job else str(setup.hosts), setup.hosts.ppn
    document.any_placement = document.any_placement or again.any_placement
    state = go_on(directory, document, prepared, again.budget_s)
    return measure_stages(directory, prepared, state)


def _refuse_other_builds(directory: RunDirectory, prepared: Prepared) -> None:
    """Raise InputError if the engine or a library was replaced since the launches that are kept."""
    builds = Builds(directory)
    for variant in prepared.plan.variants or (None,):
        if other := builds.other(variant, prepared.setup_of(variant)):
            raise InputError(f"{directory.path}: {other}; {WHAT_TO_DO}")


def _setup(path: Path, document: RunDocument, launcher: str | None) -> Setup:
    """Return engine and launcher of the run; raises InputError if they are others than it was begun with."""
    if not document.library.engine_path:
        raise InputError(f"{path} was imported from another program's output; import it again with the new files too")
    if not document.library.launcher:
        raise InputError(f"{RunDirectory(path).document} names no launcher, so nothing can be added; start a new run")
    engine = find_engine()
    setup = find_setup(engine, launcher) if launcher else _found_here(path, engine, document.library.launcher)
    setup.check_engine()
    if str(engine.path) != document.library.engine_path:
        raise InputError(
            f"{path} was measured with {document.library.engine_path}; set GROMA_ENGINE to it, or start a new run"
        )
    if str(setup.launcher) != document.library.launcher:
        raise InputError(
            f"{path} was measured with {document.library.launcher}; a run cannot mix two of them; start a new run"
        )
    return setup


def _refuse_unasked(directory: RunDirectory, document: RunDocument) -> None:
    """Raise InputError if a run could start programs that the user has not confirmed.

    It can come from anywhere: its launcher is compared with that of this machine later.
    """
    own = os.geteuid()
    reason = next(
        (
            f"its variant {variant.name} sets {name}, which can name a program"
            for variant in document.variants
            for name in variant.env
            if _CAN_NAME_A_PROGRAM.search(name)
        ),
        "",
    )
    if any(file.stat().st_uid != own for file in (directory.path, directory.document)):
        reason = "it belongs to another account"
    if reason:
        raise InputError(
            f"{directory.path}: {reason}, and a resume starts what the run names; look at its run.json, and give "
            f"--launcher {shlex.quote(document.library.launcher)} if you trust it"
        )


def _found_here(path: Path, engine: Engine, recorded: str) -> Setup:
    """Return the setup that this machine gives the engine; raises InputError if the run's launcher is another.

    What the run names is not started before a person has named it too: a run directory can come from anywhere.
    """
    try:
        setup = find_setup(engine)
    except LaunchError:
        setup = None
    if setup is None or str(setup.launcher) != recorded:
        instead = f"the launcher found here is {setup.launcher}" if setup else "no launcher was found here"
        raise InputError(
            f"{path} was measured with {recorded}, and {instead}: if you trust it, give --launcher "
            f"{shlex.quote(recorded)}"
        )
    return setup


def _programs_here() -> set[tuple[str, str]]:
    """Return engine and launcher of each MPI library of this machine, as run.json names them."""
    from groma.libraries.engines import state_of  # noqa: PLC0415 - only runs of several libraries need it
    from groma.libraries.find import installed  # noqa: PLC0415

    return {(str(state_of(library).engine), str(library.launcher)) for library in installed() if library.launcher}


def _same(path: Path, library: LibraryDocument, here: set[tuple[str, str]], named: str | None) -> Setup:
    """Return engine and launcher of a variant as the run was begun.

    Raises InputError if one is gone, or they are neither of a library of this machine nor named now.
    """
    engine = Path(library.engine_path)
    if not engine.is_file():
        raise InputError(f"{path} was measured with {engine}, which is gone; build it again, or start a new run")
    if (library.engine_path, library.launcher) not in here and library.launcher != named:
        raise InputError(
            f"{path} was measured with {library.launcher}, which is of no library known here (groma mpi list): if you "
            f"trust it, keep it under a name (groma mpi add {library.launcher} --name NAME), and resume again"
        )
    return find_setup(engine_at(engine), library.launcher)


def extend(document: RunDocument, present: Collection[int], launches: int) -> None:
    """Let a run ask for `launches` launches of each rank count and variant; run.json keeps what it asked before.

    `present` are the numbers of the launches that it has. The further rounds come after all of these, so that they are
    whole rounds beside launches of a budget too. A budget is forgotten: it was for the launches before.

    Raises InputError if the run has asked for more already.
    """
    if launches < document.launches:
        raise InputError(
            f"--launches {launches} is less than the {document.launches} that the run has; give the total number of "
            "launches of each rank count and variant"
        )
    if launches == document.launches:
        return
    last, length = max({0, *document.asked_numbers, *present}), document.round_length
    first = -(-last // length) * length + 1
    document.extensions.append(Extension(now_iso(), document.launches, first, document.budget_s))
    document.launches, document.budget_s = launches, None


def to_go_on_with(prepared: Prepared, output: Path | None) -> RunDirectory | None:
    """Return the last run of this name if it is to be resumed, None if a new run begins.

    It ended early and has this plan, or it is complete and this is a later job of an array, which has nothing to do.
    Says so if a run ended early and is not continued.
    """
    directory = _last(output.parent if output else PARENT, output.name if output else prepared.plan.name)
    if directory is None:
        return None
    document = directory.read()
    if nothing_left(directory, document):
        return directory if prepared.pause_after and array_index() > 1 else None
    if not (reason := _reason_to_leave(directory, document, prepared)):
        return directory
    how = f"groma run --resume {directory.path}"
    text = f"{directory.path} ended early, but {reason}: a new run starts; {how} continues the old one."
    err().print(text, markup=False, soft_wrap=True)
    return None


def nothing_left(directory: RunDirectory, document: RunDocument) -> bool:
    """Return whether all that a run asks for was measured, its stages too."""
    complete = document.state == "complete" and all_measured(directory, document)
    return complete and not stages_left(directory.path, document.profile)


def _last(folder: Path, name: str) -> RunDirectory | None:
    """Return the newest of the runs that `RunDirectory.create` gave this name and a date."""
    dated = re.compile(re.escape(name) + r"-\d{8}-\d{6}(-\d+)?")
    paths = sorted(path for path in folder.glob("*") if dated.fullmatch(path.name) and (path / "run.json").exists())
    return RunDirectory(paths[-1]) if paths else None


def _reason_to_leave(directory: RunDirectory, document: RunDocument, prepared: Prepared) -> str:
    """Return why a run that ended early is not continued by this plan, empty if it is."""
    plan = prepared.plan
    points = document.plan.points[: len(plan.points)]  # refinement adds others behind them
    asked = (document.profile, document.launches, document.rank_counts, document.variants, document.program, points)
    own = plan_document(plan, prepared.catalog)
    wanted = (plan.profile, plan.launches, list(plan.rank_counts), list(plan.variants), dict(plan.program), own.points)
    if asked != wanted or (document.plan.order, document.plan.settings) != (own.order, own.settings):
        return "its plan or its number of ranks differs"
    setup = prepared.setup
    if (document.library.engine_path, document.library.launcher) != (str(setup.engine.path), str(setup.launcher)):
        return "it was measured with another engine or launcher"
    if not (document.any_build or prepared.any_build):
        builds = Builds(directory)
        others = (builds.other(variant, prepared.setup_of(variant)) for variant in plan.variants or (None,))
        if other := next(filter(None, others), ""):
            return other
    try:
        with directory.claimed():
            return ""
    except (InputError, RunError):
        return "another groma process is measuring it"
