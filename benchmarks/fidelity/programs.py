"""The real programs: which of their tests a profile stands for, how each is started, and how its output is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from groma.programs.files import as_file
from groma.programs.imb.printed import IMPORTER as IMB
from groma.programs.imb_rma.printed import IMPORTER as IMB_RMA
from groma.programs.mpptest.printed import IMPORTER as MPPTEST
from groma.programs.osu.printed import IMPORTER as OSU
from groma.programs.printed import Importer, Test
from groma.programs.reprompi.printed import IMPORTER as REPROMPI
from groma.programs.skampi5.printed import IMPORTER as SKAMPI
from groma.programs.tables import read_tables

# A figure of a test at a size in bytes as the program counts them (0: none): microseconds, or MB/s of a rate.
Figures = dict[tuple[str, int], float]


@dataclass(frozen=True)
class Start:
    """One launch of the program: the tests it runs, and the words after the launcher's.

    `settings` are fields that the profile's points need beside their own, and `variables` those of both sides' ranks
    that the environment does not set.
    """

    tests: tuple[Test, ...]
    words: tuple[str, ...]
    settings: Mapping[str, object] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """One real program; `starts` gives its launches for some sizes, and `read` what one of them printed.

    `step` is that of the figures it prints, in microseconds or MB/s. Where tests are `together`, one launch has all of
    them, as the program is used: there the first test of a launch takes longer than the others. A program `on_device`
    is left out where no driver of one is installed.
    """

    name: str
    profile: str
    tests: tuple[Test, ...]
    find: Callable[[Path], bool]
    starts: Callable[[Path, Sequence[Test], Sequence[int], Path], Iterable[Start]]
    read: Callable[[str, Start], Figures]
    step: float
    together: bool = False
    on_device: bool = False


def _read_by(importer: Importer) -> Callable[[str, Start], Figures]:
    """Return how `groma import` reads the program, as figures of its tests."""

    def read(text: str, _: Start) -> Figures:
        lines = read_tables(as_file(importer.told.title, text), importer).lines
        return {(line.test, line.size): line.figure for line in lines if line.failure is None}

    return read


# Tests of one length, in bytes, whichever are asked for.
_LENGTHS = {"osu_fop_latency": 1, "osu_cas_latency": 1}


def sizes_of(test: Test, sizes: Sequence[int]) -> Sequence[int]:
    """Return the sizes that a test is compared at."""
    if "barrier" in test.operation:
        return [0]
    return [_LENGTHS[test.name]] if test.name in _LENGTHS else sizes


def _osu_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], _: Path) -> Iterable[Start]:
    """Start every test on its own; it goes through all powers of two between the smallest and the largest size."""
    for test in tests:
        path = folder / test.name
        if path.exists():
            span = ("-m", f"{min(sizes)}:{max(sizes)}") if sizes_of(test, sizes) == sizes else ()
            yield Start((test,), (str(path), *span))


def _imb_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], scratch: Path) -> Iterable[Start]:
    """Start all tests at once, at exactly the sizes, on all ranks (no smaller process counts)."""
    lengths = scratch / "lengths"
    lengths.write_text("".join(f"{size}\n" for size in sizes))
    names, program = [test.name for test in tests], _IMB_PARTS[tests[0].part]
    yield Start(tuple(tests), (str(folder / program), *names, "-npmin", "1000000", "-msglen", str(lengths)))


def _imb_gpu_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], scratch: Path) -> Iterable[Start]:
    """Start all tests at once as `_imb_starts`, with messages of both sides in the memory of a device."""
    for start in _imb_starts(folder, tests, sizes, scratch):
        words = (str(folder / _IMB_GPU), *start.words[1:], "-mem_alloc_type", "device")
        yield replace(start, words=words, settings=_ON_DEVICE, variables=_OFFLOADING)


# The operations of which `_skampi_call` knows the arguments.
_SKAMPI = tuple(
    test
    for test in SKAMPI.told.tests
    if test.name.startswith(("Pingpong_Send_Recv", "Pingpong_Ssend"))
    or test.operation in ("bcast", "reduce", "allreduce", "alltoall", "gather", "allgather", "scatter")
)
_SKAMPI_POOLS = {True: ("64kb", 64 << 10, 16), False: ("4MB", 4 << 20, 32)}


def _skampi_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], scratch: Path) -> Iterable[Start]:
    """Start all tests at once, from a measurement file with the settings of those that SKaMPI comes with."""
    lines = ["set_min_repetitions(8)", "set_max_relative_standard_error(0.03)", "datatype = MPI_INT"]
    lines += ["comm_pt2pt = comm2_max_latency_with_root()", "num_procs = get_np()", "comm_all = comm(num_procs)"]
    for test in tests:
        pool, room, most = _SKAMPI_POOLS[test.holds == 2]
        lines += [f"set_skampi_buffer({pool})", f"set_max_repetitions({most})", f'begin measurement "{test.name}"']
        fitting = [size for size in sizes if 2 * size * (1 if test.holds == 2 else 2) <= room]
        lines += [_skampi_call(test, size // 4) for size in fitting]
        lines.append("end measurement")
    path = scratch / f"{tests[0].name}.ski"
    path.write_text("\n".join(lines) + "\n")
    yield Start(tuple(tests), (str(folder / "skampi"), "-i", str(path)))


def _skampi_call(test: Test, count: int) -> str:
    one, both = f"{count}, datatype", f"{count}, datatype, {count}, datatype"
    arguments = {
        "Bcast": f"{one}, 0",
        "Reduce": f"{one}, MPI_SUM, 0",
        "Allreduce": f"{one}, MPI_SUM",
        "Gather": f"{both}, 0",
        "Scatter": f"{both}, 0",
        "Allgather": both,
        "Alltoall": both,
    }
    if test.name in arguments:
        return f"measure comm_all : {test.name}({arguments[test.name]})"
    return f"measure comm_pt2pt : {test.name}({one}, 0, 1)"


def _reprompi_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], _: Path) -> Iterable[Start]:
    """Start every test on its own, with the repetitions of the profile."""
    for test in tests:
        words = [f"--calls-list={test.name}", f"--msizes-list={','.join(map(str, sizes))}", "--nrep=1000"]
        yield Start((test,), (str(folder / "mpibenchmark"), *words, "--operation=MPI_BAND", "--summary=median"))


def _mpptest_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], _: Path) -> Iterable[Start]:
    yield Start(tuple(tests), (str(folder / "mpptest"), "-cit", "-sizelist", ",".join(map(str, sizes))))


def _has(name: str) -> Callable[[Path], bool]:
    return lambda folder: any(folder.glob(name))


def _has_any(tests: Iterable[Test]) -> Callable[[Path], bool]:
    """Return whether a folder has one of the programs that are called as these tests."""
    return lambda folder: any((folder / test.name).exists() for test in tests)


_IMB_MPI1, _IMB_NBC, _IMB_RMA, _IMB_GPU = "IMB-MPI1", "IMB-NBC", "IMB-RMA", "IMB-MPI1-GPU"
_IMB_PARTS = {"": _IMB_MPI1, "MPI-NBC": _IMB_NBC, "MPI-RMA": _IMB_RMA}
# The profile's MPI_Alloc_mem is of host memory.
_ON_DEVICE = {"memory": "cuda", "allocation": "pages"}
_OFFLOADING = {"I_MPI_OFFLOAD": "1", "I_MPI_OFFLOAD_MODE": "cuda"}
_IMB = tuple(test for test in IMB.told.tests if not test.part)
_OSU_ONE_SIDED = tuple(test for test in OSU.told.tests if "epoch_calls" in test.settings)
_OSU = tuple(test for test in OSU.told.tests if test not in _OSU_ONE_SIDED)
_NONBLOCKING = tuple(test for test in IMB.told.tests if test.part == "MPI-NBC" and test.name.endswith("_pure"))

PROGRAMS = (
    Program("OSU Micro-Benchmarks", "osu", _OSU, _has_any(_OSU), _osu_starts, _read_by(OSU), step=0.01),
    Program("OSU one-sided", "osu", _OSU_ONE_SIDED, _has_any(_OSU_ONE_SIDED), _osu_starts, _read_by(OSU), step=0.01),
    Program(_IMB_MPI1, "imb", _IMB, _has(_IMB_MPI1), _imb_starts, _read_by(IMB), step=0.01),
    Program(_IMB_NBC, "imb", _NONBLOCKING, _has(_IMB_NBC), _imb_starts, _read_by(IMB), step=0.01),
    Program(_IMB_RMA, "imb_rma", IMB_RMA.told.tests, _has(_IMB_RMA), _imb_starts, _read_by(IMB_RMA), step=0.01),
    Program(_IMB_GPU, "imb", _IMB, _has(_IMB_GPU), _imb_gpu_starts, _read_by(IMB), step=0.01, on_device=True),
    Program("SKaMPI", "skampi5", _SKAMPI, _has("skampi"), _skampi_starts, _read_by(SKAMPI), step=0.1, together=True),
    Program(
        "ReproMPI",
        "reprompi",
        REPROMPI.told.tests,
        _has("mpibenchmark"),
        _reprompi_starts,
        _read_by(REPROMPI),
        step=1e-4,
    ),
    Program("Mpptest", "mpptest", MPPTEST.told.tests, _has("mpptest"), _mpptest_starts, _read_by(MPPTEST), step=1e-6),
)
