"""The exact command and environment of one launch."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.errors import LaunchError
from groma.launch.cores import Cores, allowed_cores
from groma.launch.engine import GET_LIBRARY, Engine, check_drift
from groma.launch.families import family_named
from groma.launch.families.base import Asked
from groma.launch.launcher import (
    OVERRIDE,
    Launcher,
    find_launchers,
    identify_launcher,
    launcher_at,
    programs,
    slurm_launcher,
)
from groma.launch.placing import placing_words
from groma.plan.placement import AS_LAUNCHED, Placement, read_placement

if TYPE_CHECKING:
    from collections.abc import Iterator

_RECORDED_PREFIXES = ("MPIR_CVAR_", "MPICH_", "OMPI_MCA_", "PRTE_MCA_", "I_MPI_", "FI_", "UCX_", "HYDRA_", "GROMA_")
_RECORDED_NAMES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "OMP_NUM_THREADS", "SLURM_JOB_ID", "SLURM_JOB_NODELIST")


@dataclass(frozen=True)
class LaunchCommand:
    """What starts one launch: the words of the command and the variables set on top of the environment."""

    words: tuple[str, ...]
    variables: dict[str, str]

    def environment(self) -> dict[str, str]:
        """Return the whole environment the launcher gets."""
        return dict(os.environ) | self.variables

    def recorded_environment(self) -> dict[str, str]:
        """Return the variables that matter to a measurement, inherited ones too: this is what is recorded."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(_RECORDED_PREFIXES) or name in _RECORDED_NAMES
        }
        return kept | self.variables

    def shell(self) -> str:
        """Return a line that a person can paste into a shell."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in self.variables.items()]
        return " ".join([*assignments, shlex.join(self.words)])


@dataclass(frozen=True)
class Setup:
    """An engine, the launcher that belongs to it, and the cores its ranks may use."""

    engine: Engine
    launcher: Launcher
    cores: Cores = field(default_factory=allowed_cores)
    placement: Placement = AS_LAUNCHED

    @property
    def nodes(self) -> int:
        """Hosts of the Slurm allocation around this process; 1 outside of one."""
        return int(os.environ.get("SLURM_JOB_NUM_NODES") or 1)

    def check_engine(self) -> None:
        """Raise CatalogError where the engine is of another version, LaunchError where it cannot start."""
        check_drift(self.engine, self.engine_variables())

    def engine_variables(self) -> dict[str, str]:
        """Return the variables that lead the engine to its library, where its loader does not find that by itself."""
        return self._library_path()

    def asked(self, ranks: int, placement: Placement | None = None) -> Asked:
        """Return what so many ranks ask of the launcher, placed as given or as it places them by itself."""
        placed = placement or self.placement
        return Asked(ranks, self.engine.family, self.cores, self.nodes, placed, self.launcher.arguments)

    def oversubscribed(self, ranks: int) -> bool:
        """Tell whether more ranks than allowed processors are asked for; never true of placement given by hand."""
        return self.asked(ranks).oversubscribed

    def command(
        self, ranks: int, engine_arguments: list[str], env: dict[str, str] | None = None, placement: str = ""
    ) -> LaunchCommand:
        """Return what starts `ranks` ranks of the engine with these arguments; `env` reaches ranks on every host.

        Raises InputError where the launcher has no way to the placement.
        """
        placed, family = read_placement(placement), family_named(self.launcher.family)
        placing = placing_words(self.launcher, placed, ranks)
        words, variables = family.words(self.asked(ranks, placed))
        words += placing + family.passing_on(env or {})
        launcher = [str(self.launcher.path), *words, *self.launcher.arguments]
        placing_variables = family.placing_variables(placed, ranks)
        every = {**variables, **placing_variables, **self._library_path(), **(env or {})}
        return LaunchCommand((*launcher, str(self.engine.path), *engine_arguments), every)

    def _library_path(self) -> dict[str, str]:
        """Let an ABI engine run on the library its launcher belongs to, where that is not the one it was linked to."""
        if not self.engine.abi:
            return {}
        offered = self.launcher.abi_library
        if offered is None or (self.engine.library and offered.resolve() == self.engine.library.resolve()):
            return {}
        inherited = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": f"{offered.parent}:{inherited}" if inherited else str(offered.parent)}


def find_setup(engine: Engine, launcher: str | None = None, *, alone: bool = False) -> Setup:
    """Return the engine with a launcher: the one given, GROMA_MPIEXEC, srun in an allocation, or the library's own.

    With `alone` the engine is one of several in a run: GROMA_MPIEXEC and srun, which are for all, do not count. Raises
    LaunchError where none fits, or where the one given would start singletons.
    """
    given = launcher or (None if alone else os.environ.get(OVERRIDE))
    if given:
        chosen = identify_launcher(given)
        _refuse_mismatch(engine, chosen)
        return Setup(engine, chosen)
    chosen_slurm = None if alone else slurm_launcher()
    if chosen_slurm is not None:
        return Setup(engine, chosen_slurm)
    fitting = next((found for found in _candidates(engine) if _fits(engine, found)), None)
    if fitting is None and engine.abi and engine.library is None:
        raise LaunchError(f"there is no MPI library for {engine.path}; {GET_LIBRARY}")
    if fitting is None:
        raise LaunchError(
            f"no launcher of {engine.family or 'any MPI library'} was found for {engine.path}; "
            f"install one, or name it with --launcher or {OVERRIDE}"
        )
    return Setup(engine, fitting)


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
            if path.is_file() and os.access(path, os.X_OK):
                yield launcher_at(path)


def _fits(engine: Engine, launcher: Launcher) -> bool:
    return family_named(launcher.family).fits(engine.family)


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
            f"every rank would run alone; use the launcher of {engine.family}"
        )
