"""Test beds: what this machine has beyond a compiler and Python, and how to start the engine on each MPI library.

GROMA_REQUIRE_BEDS is a list of bed names, or `all`: a test that lacks one of them fails instead of being skipped.
GROMA_ENGINE names another engine than the one beside this Python, as it does for `groma`. The bed openmpi5 is there
if GROMA_TEST_OPENMPI_5 is the engine that `groma mpi add` built for tools/install-open-mpi-5.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import fuzzer
import hosts
import platformdirs
import pytest
import slurm

from simulation import simulator

ROOT = Path(__file__).resolve().parents[1]
INTEL_VERSION = "2021.18.1"
INTEL_PREFIX = Path(platformdirs.user_cache_dir("groma")) / f"impi-rt-{INTEL_VERSION}"
OPENMPI_5 = Path(platformdirs.user_cache_dir("groma")) / "openmpi-5.0.11"
REFRAME_VERSION = "4.10.4"
REFRAME = Path(platformdirs.user_cache_dir("groma")) / f"reframe-{REFRAME_VERSION}" / "bin" / "reframe"
HANG_S = 120.0  # far beyond any honest run: what takes longer hangs


@dataclass(frozen=True)
class Result:
    """How one launch ended; `output` is what it wrote to stdout, `errors` to stderr."""

    exit_code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Library:
    """An MPI library under test: the engine built for it, its launcher and C compiler, and what it needs here.

    A waiting rank leaves its processor to another, by itself or by these variables: there may be more ranks than
    processors.
    """

    name: str
    engine: Path
    mpiexec: str
    mpicc: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def command(self, ranks: int, *arguments: str | Path, engine: str | Path | None = None) -> list[str]:
        """Return the words that start `ranks` ranks of the engine, or of another program of the same library."""
        return [self.mpiexec, "-n", str(ranks), str(engine or self.engine), *map(str, arguments)]

    def environment(self, variables: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a launch, with `variables` on top."""
        return dict(os.environ) | dict(self.variables) | dict(variables or {})

    def preloads(self, first: Path) -> str:
        """Return the value of LD_PRELOAD for ranks that `first` stands before, and what the library needs after it."""
        return ":".join(filter(None, [str(first), self.variables.get("LD_PRELOAD")]))

    def run(
        self,
        ranks: int,
        *arguments: str | Path,
        variables: Mapping[str, str] | None = None,
        engine: str | Path | None = None,
        before: Sequence[str] = (),
        timeout_s: float = HANG_S,
    ) -> Result:
        """Start the ranks and wait; ranks that hang are ended, and the test fails. `before` precedes the launcher."""
        words = [*before, *self.command(ranks, *arguments, engine=engine)]
        return run(words, environment=self.environment(variables), timeout_s=timeout_s)


def run(command: list[str], environment: Mapping[str, str] | None = None, timeout_s: float = HANG_S) -> Result:
    """Run a command in a process group of its own, and end the whole group when it takes longer than `timeout_s`."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.terminate()  # a launcher that can still act ends its ranks, wherever they are
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            message = f"hung for {timeout_s:g} s: {' '.join(command)}\n{output}\n{errors}"
            raise AssertionError(message) from None
    return Result(process.returncode, output, errors)


_OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_osc": "^ucx",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # of Open MPI 5
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
_MPICH = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1",
}
_MPICH_4 = {"LD_PRELOAD": str(ROOT / "build" / "mpich" / "engine" / "tests" / "libgroma-yielding.so")}
_INTEL = {"I_MPI_FABRICS": "shm", "LD_LIBRARY_PATH": str(INTEL_PREFIX / "lib")}


def _own_engine() -> Path:
    return Path(os.environ.get("GROMA_ENGINE") or Path(sys.executable).parent / "groma-engine")


def _openmpi_5() -> list[Library]:
    engine = os.environ.get("GROMA_TEST_OPENMPI_5")
    launcher, compiler = (str(OPENMPI_5 / "bin" / name) for name in ("mpiexec", "mpicc"))
    return [Library("openmpi5", Path(engine), launcher, compiler, _OPENMPI)] if engine else []


@functools.cache
def libraries() -> dict[str, Library]:
    """Return every MPI library the engine is tested on, by the name of its bed, present or not."""
    own, beside = _own_engine(), Path(sys.executable).parent
    built = {name: ROOT / "build" / name / "engine" / "groma-engine" for name in ("openmpi", "mpich")}
    return {
        library.name: library
        for library in (
            Library("embedded", own, str(beside / "mpiexec"), str(beside / "mpicc_abi"), _MPICH),
            Library("intel", own, str(INTEL_PREFIX / "bin" / "mpiexec"), str(beside / "mpicc_abi"), _INTEL),
            Library("openmpi", built["openmpi"], "mpiexec.openmpi", "mpicc.openmpi", _OPENMPI),
            Library("mpich", built["mpich"], "mpiexec.mpich", "mpicc.mpich", _MPICH_4),
            *_openmpi_5(),
        )
    }


def engine_is_missing(name: str) -> str:
    """Return why nothing can be measured with this library, or an empty string."""
    library = libraries()[name]
    if not shutil.which(library.mpiexec):
        return f"{library.mpiexec} is not installed"
    return "" if library.engine.is_file() else f"no engine at {library.engine}"


def _library_is_missing(name: str) -> str:
    preload = libraries()[name].variables.get("LD_PRELOAD")
    lacking = preload and not Path(preload).is_file()
    return engine_is_missing(name) or (f"no {preload}, which GROMA_SLOW=1 tools/test builds" if lacking else "")


def _program_is_missing(*names: str) -> str:
    return "" if any(map(shutil.which, names)) else f"{' or '.join(names)} is not installed"


def _pvm_is_missing() -> str:
    built = _own_engine().with_name("lbw-pvm").is_file()
    return _program_is_missing("pvm") or ("" if built else "lbw-pvm was not built, since there was no pvm3.h")


def _reframe_is_missing() -> str:
    return "" if REFRAME.is_file() else f"no {REFRAME}, which tools/install-reframe makes"


_PROBES: dict[str, Callable[[], str]] = {
    **{name: functools.partial(_library_is_missing, name) for name in libraries()},
    "chromium": functools.partial(_program_is_missing, "chromium", "chromium-browser", "google-chrome"),
    "objdump": functools.partial(_program_is_missing, "objdump"),
    "simgrid": simulator.missing,
    "pvm": _pvm_is_missing,
    "hosts": hosts.missing,
    "slurm": slurm.missing,
    "fuzzer": fuzzer.missing,
    "reframe": _reframe_is_missing,
    "cmake": functools.partial(_program_is_missing, "cmake"),
}


@functools.cache
def missing(bed: str) -> str:
    """Return why this machine lacks a bed, or an empty string; KeyError if no bed has that name."""
    return _PROBES[bed]()


def required(bed: str) -> bool:
    """True if GROMA_REQUIRE_BEDS makes the lack of this bed a failure."""
    names = [name.strip() for name in os.environ.get("GROMA_REQUIRE_BEDS", "").split(",") if name.strip()]
    unknown = [name for name in names if name != "all" and name not in _PROBES]
    if unknown:
        message = f"GROMA_REQUIRE_BEDS: {', '.join(unknown)}: no such bed; there are {', '.join(_PROBES)} and all"
        raise ValueError(message)
    return "all" in names or bed in names


def need(bed: str) -> None:
    """Skip the running test if a bed is missing, or fail it if the bed is required."""
    reason = missing(bed)
    if not reason:
        return
    if required(bed):
        pytest.fail(f"test bed {bed} is required by GROMA_REQUIRE_BEDS, and missing: {reason}", pytrace=False)
    pytest.skip(f"test bed {bed} is missing: {reason}; see tools/install-test-beds and `make test`")
