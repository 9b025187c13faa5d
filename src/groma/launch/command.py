"""The exact command and environment of one launch."""

from __future__ import annotations

import os
import shlex
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from groma.errors import InputError, LaunchError
from groma.launch.allocation import Allocation, allocation
from groma.launch.asking import is_program
from groma.launch.cores import Cores, allowed_cores
from groma.launch.engine import Engine, check_drift, files_with, library_with
from groma.launch.families import family_named
from groma.launch.families.base import ANYWHERE, Expected, LaunchRequest
from groma.launch.installing import get_library
from groma.launch.launcher import (
    OVERRIDE,
    Launcher,
    find_launchers,
    identify_launcher,
    launcher_at,
    programs,
    scheduler_launcher,
)
from groma.launch.placing import host_words, hosts_of_ranks, placing_words
from groma.plan.hosts import NO_HOSTS, Hosts, labels_apart, read_hosts, same_host
from groma.plan.placement import AS_LAUNCHED, Placement, read_placement
from groma.text.secret import shown_value

_RECORDED_PREFIXES = ("MPIR_CVAR_", "MPICH_", "OMPI_MCA_", "PRTE_MCA_", "I_MPI_", "FI_", "UCX_", "HYDRA_", "GROMA_")
INSTEAD = "starts the ranks instead"
_OF_LOADER = ("LD_LIBRARY_PATH", "LD_PRELOAD")
_RECORDED_NAMES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "OMP_NUM_THREADS", "SLURM_JOB_ID", "SLURM_JOB_NODELIST")


@dataclass(frozen=True)
class LaunchCommand:
    """What starts one launch: the words of the command and the variables set on top of the environment.

    `expected` is where its ranks should then be; `own` names the variables that Groma chose, and not its user.
    """

    words: tuple[str, ...]
    variables: dict[str, str]
    expected: Expected = ANYWHERE
    own: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """Return the whole environment the launcher gets."""
        return dict(os.environ) | self.variables

    def recorded_environment(self) -> dict[str, str]:
        """Return the variables that matter to a measurement, inherited ones too: this is what is recorded.

        Values that look secret are left out.
        """
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(_RECORDED_PREFIXES) or name in _RECORDED_NAMES
        }
        return {name: shown_value(name, value) for name, value in (inherited | self.variables).items()}

    def shell(self) -> str:
        """Return a line that a person can paste into a shell."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        return " ".join([*assignments, shlex.join(self.words)])


@dataclass(frozen=True)
class Setup:
    """An engine, the launcher that belongs to it, the hosts of its ranks, and the cores that they may use on each.

    `job` is the scheduler's allocation around this process; `note` says why its launcher does not start the ranks.
    If `unbound`, the launcher binds no rank.
    """

    engine: Engine
    launcher: Launcher
    cores: Cores = field(default_factory=allowed_cores)
    placement: Placement = AS_LAUNCHED
    hosts: Hosts = NO_HOSTS
    job: Allocation | None = None
    note: str = ""
    unbound: bool = False

    @property
    def nodes(self) -> int:
        """Hosts that there are: those named, else those of the Slurm allocation around this process, else 1."""
        return len(self.hosts.hosts) or int(os.environ.get("SLURM_JOB_NUM_NODES") or 1)

    @property
    def room(self) -> dict[str, int]:
        """The ranks that hosts of the job have processors for, if the scheduler says that."""
        return {host.name: host.room for host in self.job.nodes if host.room} if self.job else {}

    @property
    def cpus(self) -> int:
        """Processors of all hosts that there are."""
        hosts, room = self.hosts.hosts, self.room
        return sum(room.get(host.name, self.cores.cpus) for host in hosts) or self.cores.cpus * self.nodes

    def on(self, hosts: Hosts) -> Setup:
        """Return the setup with hosts that a person named; of an allocation, with this number of ranks on each.

        Raises InputError if ranks on each host are asked for and no host is known.
        """
        if hosts:
            return replace(self, hosts=hosts)
        if hosts.ppn is None:
            return self
        if not self.hosts:
            raise InputError(
                f"--ppn {hosts.ppn} says how many ranks a host takes, and no hosts are known; name them with --hosts "
                "or --hostfile"
            )
        return replace(self, hosts=replace(self.hosts, ppn=hosts.ppn))

    def check_engine(self) -> None:
        """Raise CatalogError if the engine is of another version, LaunchError if it cannot start."""
        check_drift(self.engine, self.engine_variables())

    def engine_variables(self) -> dict[str, str]:
        """Return the variables that lead the engine to its library, if its loader does not find that by itself."""
        return self._library_path()

    def library(self, env: Mapping[str, str]) -> Path | None:
        """Return the file of the MPI library that ranks with these variables use; None if this host has none."""
        if self.engine.library is None and not self.engine.abi:
            return None
        variables = self._of_loader(env)
        return library_with(self.engine.path, variables) if variables else self.engine.library

    def files(self, env: Mapping[str, str]) -> tuple[Path, ...] | None:
        """Return all files that the loader gives ranks with these variables, preloaded ones too; None if unknown."""
        inherited = {name: os.environ[name] for name in _OF_LOADER if name in os.environ}
        return files_with(self.engine.path, self._of_loader(inherited | dict(env)))

    def _of_loader(self, env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the variables of the loader among these, with those that lead the engine to its library."""
        of_loader = {name: value for name, value in env.items() if name in _OF_LOADER}
        return tuple(sorted((self._library_path() | of_loader).items()))

    def request(self, ranks: int, placement: Placement | None = None) -> LaunchRequest:
        """Return what a launch of `ranks` ranks asks of the launcher; without a placement, that of this setup."""
        chosen_placement = placement or self.placement
        own = (chosen_placement, self.launcher.arguments)
        unplaced = LaunchRequest(
            ranks, self.engine.family, self.cores, self.nodes, *own, room=self.room, unbound=self.unbound
        )
        equal_blocks = replace(self.hosts, ppn=-(-ranks // self.nodes))
        free = self.hosts.of_job and self.hosts.ppn is None
        for choice in (self.hosts, equal_blocks) if free else (self.hosts,):
            hosts = hosts_of_ranks(self.launcher, choice, chosen_placement, ranks)
            named = bool(hosts) and not self.hosts.of_job
            request = replace(unplaced, hosts=hosts, nodes=len(set(hosts)) or self.nodes, named=named)
            if not free:
                return request
            with suppress(InputError):  # nobody asked for just these shares: the launcher may have a way to others
                host_words(self.launcher, request)
                return request
        return unplaced  # the launcher spreads the ranks over its job

    def oversubscribed(self, ranks: int) -> bool:
        """Return whether more ranks than allowed processors are asked for; never true of placement given by hand."""
        return self.request(ranks).oversubscribed

    def command(
        self,
        ranks: int,
        engine_arguments: list[str],
        env: dict[str, str] | None = None,
        placement: str = "",
        hosts: str = "",
    ) -> LaunchCommand:
        """Return what starts `ranks` ranks of the engine with these arguments; `env` reaches ranks on every host.

        `hosts` take the place of the setup's own. Raises InputError if the launcher has no way to the placement or
        to the hosts.
        """
        if hosts:
            return self.on(Hosts(read_hosts(hosts))).command(ranks, engine_arguments, env, placement)
        placed, family = read_placement(placement), family_named(self.launcher.family)
        placing = placing_words(self.launcher, placed, ranks)
        request = self.request(ranks, placed)
        words, variables = family.words(request)
        words += host_words(self.launcher, request) + placing + family.passing_on(env or {})
        launcher = family.assembled(str(self.launcher.path), words, request, env or {})
        placing_variables = family.placing_variables(placed, ranks)
        own = {**variables, **placing_variables, **self._library_path()}
        every = own | (env or {})
        expected = Expected.of(request, aliases=self.job is not None and set(request.hosts) <= set(self.job.names))
        names = tuple(name for name in own if name not in (env or {}))
        return LaunchCommand((*launcher, str(self.engine.path), *engine_arguments), every, expected, names)

    def _library_path(self) -> dict[str, str]:
        """Let an ABI engine run on the library of its launcher, if that is not the one it was linked to."""
        if not self.engine.abi:
            return {}
        offered = self.launcher.abi_library
        if offered is None or (self.engine.library and offered.resolve() == self.engine.library.resolve()):
            return {}
        inherited = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": f"{offered.parent}:{inherited}" if inherited else str(offered.parent)}


def find_setup(engine: Engine, launcher: str | None = None, *, alone: bool = False) -> Setup:
    """Return the engine with a launcher: the one given, GROMA_MPIEXEC, the scheduler's in a job, or the library's own.

    With `alone` the engine is one of several in a run: GROMA_MPIEXEC and srun, which are for all, do not count. Raises
    LaunchError if none fits, or if the one given would start singletons.
    """
    launcher_text = launcher or (None if alone else os.environ.get(OVERRIDE))
    job = None if alone else allocation()
    if launcher_text:
        chosen = identify_launcher(launcher_text)
        _refuse_mismatch(engine, chosen)
        if not chosen.arguments and (lack := _lack(engine, chosen)):
            raise LaunchError(f"{lack}; name the mpiexec of that library (--launcher), which starts its ranks itself")
        return _in_job(Setup(engine, chosen), job)
    scheduled = scheduler_launcher(job.scheduler) if job else None
    lack = _lack(engine, scheduled) if scheduled else ""
    if scheduled is not None and not lack:
        return _in_job(Setup(engine, scheduled), job)
    fitting = next((candidate for candidate in _candidates(engine) if _fits(engine, candidate)), None)
    if fitting is None and engine.abi and engine.library is None:
        raise LaunchError(f"there is no MPI library for {engine.path}; {get_library()}")
    if fitting is None:
        raise LaunchError(
            f"{lack}{' and ' * bool(lack)}no launcher of {engine.family or 'any MPI library'} was found for "
            f"{engine.path}; install one, or name it with --launcher or {OVERRIDE}"
        )
    note = f"{lack}: {fitting.path} {INSTEAD}." if lack else ""
    return _in_job(Setup(engine, fitting, note=note), job)


def _in_job(setup: Setup, job: Allocation | None) -> Setup:
    """Return the setup with the hosts of a job and the processors that it has on each, not those of this host."""
    if job is None:
        return setup
    cores, cpus = setup.cores, max((host.room or 0 for host in job.nodes), default=0)
    if cpus:
        here, labels = socket.gethostname(), labels_apart(job.names)
        on_a_host_of_the_job = any(same_host(name, here, labels) for name in job.names)
        cores = Cores(cpus, min(cpus, cores.cores) if on_a_host_of_the_job else cpus)
    return replace(setup, hosts=job.hosts, cores=cores, job=job)


def _candidates(engine: Engine) -> Iterator[Launcher]:
    """Yield launchers, the likeliest first; each is identified only if those before it did not fit."""
    yield from _near(engine)
    yield from find_launchers()


def _near(engine: Engine) -> Iterator[Launcher]:
    """Yield the launchers installed beside the engine's own MPI library: in `bin` of a folder above it."""
    folders = list(engine.library.resolve().parents)[:-1] if engine.library else []  # never the root's own bin
    for folder in folders:
        for name in programs():
            path = folder / "bin" / name
            if is_program(path):
                yield launcher_at(path)


def _fits(engine: Engine, launcher: Launcher) -> bool:
    return family_named(launcher.family).fits(engine.family)


def _lack(engine: Engine, launcher: Launcher) -> str:
    return family_named(launcher.family).lacks(launcher.path, engine.family)


def _refuse_mismatch(engine: Engine, launcher: Launcher) -> None:
    own = launcher.own_library
    if engine.abi and launcher.abi_library is None and own is not None:
        raise LaunchError(
            f"{launcher.path} belongs to {own}, which does not have the standard ABI, so {engine.path} would measure "
            f"{engine.library or 'another library'} instead; build an engine for it (groma mpi add {launcher.path}), "
            "and measure with --mpi"
        )
    if not _fits(engine, launcher):
        raise LaunchError(
            f"{launcher.path} starts {launcher.family} programs, but {engine.path} was built for {engine.family}: "
            f"every rank would run alone; build an engine for its library (groma mpi add {launcher.path}) and measure "
            f"with --mpi, or leave it out (--launcher, {OVERRIDE}) to use the launcher of {engine.family}"
        )
