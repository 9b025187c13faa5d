"""The exact command and environment of one launch."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from groma.errors import LaunchError
from groma.launch.cores import Cores, allowed_cores
from groma.launch.engine import GET_LIBRARY, Engine, check_drift
from groma.launch.engine import OVERRIDE as ENGINE_OVERRIDE
from groma.launch.launcher import OVERRIDE, Launcher, find_launchers, identify_launcher, launcher_at, slurm_launcher
from groma.launch.placing import placing_variables, placing_words
from groma.plan.placement import AS_LAUNCHED, Placement, read_placement

if TYPE_CHECKING:
    from collections.abc import Iterator

# With more ranks than cores MPICH spins in its progress loop while the rank it waits for is not running
# (4 ranks on 2 cores: 8 ms per small allreduce instead of 7 us).
_THROTTLE = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1",
}
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

    @property
    def placed_by_hand(self) -> bool:
        """True where the person gave a list, or launcher arguments of their own: Groma adds no placement to them."""
        return bool(self.placement.places or self.launcher.arguments)

    def check_engine(self) -> None:
        """Raise CatalogError where the engine is of another version, LaunchError where it cannot start."""
        check_drift(self.engine, self.engine_variables())

    def engine_variables(self) -> dict[str, str]:
        """Return the variables that lead the engine to its library, where its loader does not find that by itself."""
        return self._library_path()

    def oversubscribed(self, ranks: int) -> bool:
        """Tell whether more ranks than allowed processors are asked for; never true of placement given by hand."""
        return not self.placed_by_hand and ranks > self.cores.cpus * self.nodes

    def command(
        self, ranks: int, engine_arguments: list[str], env: dict[str, str] | None = None, placement: str = ""
    ) -> LaunchCommand:
        """Return what starts `ranks` ranks of the engine with these arguments; `env` reaches ranks on every host.

        Raises InputError where the launcher has no way to the placement.
        """
        asked = read_placement(placement)
        placing = placing_words(self.launcher, asked, ranks)
        words, variables = _FAMILIES.get(self.launcher.family, _plain)(replace(self, placement=asked), ranks)
        words += placing + _passing_on(self.launcher.family, env or {})
        launcher = [str(self.launcher.path), *words, *self.launcher.arguments]
        placed = placing_variables(self.launcher, asked, ranks)
        every = {**variables, **placed, **self._library_path(), **(env or {})}
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


def find_setup(engine: Engine, launcher: str | None = None) -> Setup:
    """Return the engine with a launcher: the one given, GROMA_MPIEXEC, srun in an allocation, or the library's own.

    Raises LaunchError where none fits, or where the one given would start singletons.
    """
    given = launcher or os.environ.get(OVERRIDE)
    if given:
        chosen = identify_launcher(given)
        _refuse_mismatch(engine, chosen)
        return Setup(engine, chosen)
    chosen_slurm = slurm_launcher()
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
        for name in ("mpiexec", "mpiexec.mpich", "mpiexec.openmpi", "mpiexec.hydra"):
            path = folder / "bin" / name
            if path.is_file() and os.access(path, os.X_OK):
                yield launcher_at(path)


def _fits(engine: Engine, launcher: Launcher) -> bool:
    """Whether this launcher's ranks would find each other; unknown families are accepted."""
    if not engine.family or launcher.family in ("", "Slurm"):
        return True
    if engine.family == "Open MPI":
        return launcher.family == "Open MPI"
    return launcher.family in ("MPICH", "Intel MPI")


def _refuse_mismatch(engine: Engine, launcher: Launcher) -> None:
    own = launcher.own_library
    if engine.abi and launcher.abi_library is None and own is not None:
        raise LaunchError(
            f"{launcher.path} belongs to {own}, which does not have the standard ABI, so {engine.path} would measure "
            f"{engine.library or 'another library'} instead; build an engine for it (cmake -B build/site "
            f"-DMPI_CXX_COMPILER=..., cmake --build build/site) and name that with {ENGINE_OVERRIDE}"
        )
    if not _fits(engine, launcher):
        raise LaunchError(
            f"{launcher.path} starts {launcher.family} programs, but {engine.path} was built for {engine.family}: "
            f"every rank would run alone; use the launcher of {engine.family}"
        )


def _passing_on(family: str, env: dict[str, str]) -> list[str]:
    """Return what makes a launcher set these variables for its ranks on other hosts too; srun passes all of its own."""
    if family in ("MPICH", "Intel MPI"):
        return [word for name, value in env.items() for word in ("-genv", name, value)]
    if family == "Open MPI":  # which passes OMPI_MCA_ on by itself, and complains where it is told to
        return [word for name in env if not name.startswith("OMPI_MCA_") for word in ("-x", name)]
    return []


def _binding(setup: Setup, ranks: int) -> str:
    """Return the unit each rank gets to itself: a core, a hardware thread, or none when there are too few."""
    if ranks <= setup.cores.cores * setup.nodes:
        return "core"
    return "hwthread" if not setup.oversubscribed(ranks) else "none"


def _mpich(setup: Setup, ranks: int) -> tuple[list[str], dict[str, str]]:
    words = ["-n", str(ranks)]
    if setup.placed_by_hand:
        return words, _THROTTLE if setup.placement.shares_cpus(ranks) else {}
    binding = _binding(setup, ranks)
    return words + (["-bind-to", binding] if binding != "none" else []), _THROTTLE if binding == "none" else {}


def _open_mpi(setup: Setup, ranks: int) -> tuple[list[str], dict[str, str]]:
    words = ["-n", str(ranks)] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    if setup.placed_by_hand:
        return words, {}
    binding = _binding(setup, ranks)
    extra = {"core": [], "hwthread": ["--use-hwthread-cpus"], "none": ["--oversubscribe"]}[binding]
    return [*words, *extra, "--bind-to", binding], {}


def _intel(setup: Setup, ranks: int) -> tuple[list[str], dict[str, str]]:
    one_host = setup.nodes == 1 and not setup.launcher.arguments and setup.placement.way != "hosts"
    fabrics = {"I_MPI_FABRICS": "shm"} if one_host and "I_MPI_FABRICS" not in os.environ else {}
    return ["-n", str(ranks)], fabrics


def _slurm(setup: Setup, ranks: int) -> tuple[list[str], dict[str, str]]:
    if setup.placed_by_hand:
        return ["-n", str(ranks)], {}
    interface = "pmix" if setup.engine.family == "Open MPI" else "pmi2"
    binding = "--cpu-bind=none" if setup.oversubscribed(ranks) else "--cpu-bind=cores"
    words = ["-n", str(ranks), f"--mpi={interface}", binding]
    throttled = setup.oversubscribed(ranks) and setup.engine.family != "Open MPI"
    return words + (["--overcommit"] if setup.oversubscribed(ranks) else []), _THROTTLE if throttled else {}


def _plain(setup: Setup, ranks: int) -> tuple[list[str], dict[str, str]]:
    throttled = setup.oversubscribed(ranks) and setup.engine.family == "MPICH"
    return ["-n", str(ranks)], _THROTTLE if throttled else {}


_FAMILIES = {"MPICH": _mpich, "Open MPI": _open_mpi, "Intel MPI": _intel, "Slurm": _slurm}
