"""The real programs: which of their tests a profile stands for, how each is started, and how its output is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# A figure of a test at a size in bytes as the program counts them (0: none): microseconds, or MB/s of a rate.
Figures = dict[tuple[str, int], float]


@dataclass(frozen=True)
class Test:
    """One test of a program: its name there, the operation that stands for it, and how the two count.

    `settings` choose among several ways in which the profile measures the operation. The program's size is that of
    the `whole` vector, or of one rank's message; its figure is a `rate`, or a time that holds so many Groma figures
    (`holds`: 2 where it is a round trip).
    """

    name: str
    operation: str
    settings: dict[str, object] = field(default_factory=dict)
    whole: bool = False
    rate: bool = False
    holds: int = 1

    def bytes_of(self, size: int, ranks: int) -> int:
        """Return the size of one rank's message where the program says `size`."""
        return size // ranks if self.whole else size


@dataclass(frozen=True)
class Start:
    """One launch of the program: the tests it runs, and the words after the launcher's."""

    tests: tuple[Test, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """One real program; `starts` gives its launches for some sizes, and `read` what one of them printed.

    `step` is that of the figures it prints, in microseconds or MB/s. Where tests are `together`, one launch has all of
    them, as the program is used: there the first test of a launch takes longer than the others.
    """

    name: str
    profile: str
    tests: tuple[Test, ...]
    find: Callable[[Path], bool]
    starts: Callable[[Path, Sequence[Test], Sequence[int], Path], Iterable[Start]]
    read: Callable[[str, Start], Figures]
    step: float
    together: bool = False


def _collectives(titles: Iterable[str]) -> list[tuple[str, str]]:
    return [(title, title.lower()) for title in titles]


_OSU = (
    Test("osu_latency", "pingpong"),
    Test("osu_multi_lat", "pingpong", {"pattern": "halves"}),
    Test("osu_bw", "stream", rate=True),
    Test("osu_bibw", "bistream", rate=True),
    Test("osu_mbw_mr", "message_rate", rate=True),
    *(
        Test(f"osu_{name}", name, whole=name.startswith("reduce_scatter"))
        for name in (
            *("bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "allgather", "allgatherv"),
            *("gather", "gatherv", "scatter", "scatterv", "alltoall", "alltoallv", "barrier"),
        )
    ),
)


def _osu_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], _: Path) -> Iterable[Start]:
    """Start every test on its own; it goes through all powers of two between the smallest and the largest size."""
    for test in tests:
        path = folder / test.name
        if path.exists():
            span = ("-m", f"{min(sizes)}:{max(sizes)}") if test.operation != "barrier" else ()
            yield Start((test,), (str(path), *span))


def read_osu(text: str, start: Start) -> Figures:
    """Return the figures of one OSU program: lines of a size and a figure, or a figure alone."""
    name, found = start.tests[0].name, Figures()
    for line in text.splitlines():
        words = line.split()
        if len(words) == 1 and _is_number(words[0]):
            found[name, 0] = float(words[0])
        elif len(words) > 1 and words[0].isdigit() and _is_number(words[1]):
            found[name, int(words[0])] = float(words[1])
    return found


_IMB = (
    Test("PingPong", "pingpong"),
    Test("PingPing", "pingping"),
    Test("Sendrecv", "sendrecv"),
    Test("Exchange", "exchange"),
    Test("Uniband", "message_rate", rate=True),
    Test("Biband", "bimessage_rate", rate=True),
    *(
        Test(title, operation)
        for title, operation in _collectives(
            (
                *("Bcast", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Allgather", "Allgatherv"),
                *("Gather", "Gatherv", "Scatter", "Scatterv", "Alltoall", "Alltoallv", "Barrier"),
            )
        )
    ),
)
_IMB_COLUMNS = ("t[usec]", "t_avg[usec]", "Mbytes/sec")


def _imb_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], scratch: Path) -> Iterable[Start]:
    """Start all tests at once, at exactly the sizes, on all ranks (no smaller process counts)."""
    lengths = scratch / "lengths"
    lengths.write_text("".join(f"{size}\n" for size in sizes))
    names = [test.name for test in tests]
    yield Start(tuple(tests), (str(folder / "IMB-MPI1"), *names, "-npmin", "1000000", "-msglen", str(lengths)))


def read_imb(text: str, _: Start) -> Figures:
    """Return the figures of IMB's blocks: t of a pair, else t_avg; Mbytes/sec where a block has no times."""
    found, name, column = Figures(), "", ""
    headings: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("# Benchmarking "):
            name, headings = words[2], []
        elif words and words[0] in ("#bytes", "#repetitions"):
            headings = words
            column = next(one for one in _IMB_COLUMNS if one in headings)
        elif headings and len(words) == len(headings) and words[0].isdigit():
            size = int(words[0]) if headings[0] == "#bytes" else 0
            found[name, size] = float(words[headings.index(column)])
        elif headings and not words:
            headings = []
    return found


_SKAMPI = (
    Test("Pingpong_Send_Recv", "pingpong", holds=2),
    Test("Pingpong_Ssend_Recv", "pingpong_synchronous", holds=2),
    *(
        Test(title, operation)
        for title, operation in _collectives(("Bcast", "Reduce", "Allreduce", "Alltoall", "Gather", "Allgather"))
    ),
    Test("Scatter", "scatter"),
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


def read_skampi(text: str, _: Start) -> Figures:
    """Return the times between `begin result` and `end result`: size, time, error, repetitions, times of ranks."""
    found, name = Figures(), ""
    for line in text.splitlines():
        begun = re.match(r'# begin result "(.*)"', line)
        words = line.split()
        if begun:
            name = begun[1]
        elif line.startswith("# end result"):
            name = ""
        elif name and len(words) > 3 and all(map(_is_number, words[:4])):
            found[name, int(words[0])] = float(words[1])
    return found


_REPROMPI = tuple(
    Test(f"MPI_{name}", name.lower())
    for name in ("Bcast", "Reduce", "Allreduce", "Allgather", "Gather", "Scatter", "Alltoall", "Barrier")
)


def _reprompi_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], _: Path) -> Iterable[Start]:
    """Start every test on its own, with the repetitions of the profile."""
    for test in tests:
        words = [f"--calls-list={test.name}", f"--msizes-list={','.join(map(str, sizes))}", "--nrep=1000"]
        yield Start((test,), (str(folder / "mpibenchmark"), *words, "--operation=MPI_BAND", "--summary=median"))


def read_reprompi(text: str, start: Start) -> Figures:
    """Return the medians of a summary: test, count of bytes, two numbers of repetitions, seconds."""
    found = Figures()
    for line in text.splitlines():
        words = line.split()
        if len(words) == 5 and words[0] == start.tests[0].name:
            found[words[0], 0 if "Barrier" in words[0] else int(words[1])] = 1e6 * float(words[4])
    return found


_MPPTEST = (Test("mpptest", "pingpong"),)


def _mpptest_starts(folder: Path, tests: Sequence[Test], sizes: Sequence[int], _: Path) -> Iterable[Start]:
    yield Start(tuple(tests), (str(folder / "mpptest"), "-cit", "-sizelist", ",".join(map(str, sizes))))


def read_mpptest(text: str, _: Start) -> Figures:
    """Return the times of lines with two ranks, their distance, a size, a time, and a rate."""
    found = Figures()
    for line in text.splitlines():
        words = line.split()
        if len(words) == 6 and all(word.isdigit() for word in words[:4]) and _is_number(words[4]):
            found["mpptest", int(words[3])] = float(words[4])
    return found


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _has(name: str) -> Callable[[Path], bool]:
    return lambda folder: any(folder.glob(name))


PROGRAMS = (
    Program("OSU Micro-Benchmarks", "osu", _OSU, _has("osu_*"), _osu_starts, read_osu, step=0.01),
    Program("IMB-MPI1", "imb", _IMB, _has("IMB-MPI1"), _imb_starts, read_imb, step=0.01),
    Program("SKaMPI", "skampi5", _SKAMPI, _has("skampi"), _skampi_starts, read_skampi, step=0.1, together=True),
    Program("ReproMPI", "reprompi", _REPROMPI, _has("mpibenchmark"), _reprompi_starts, read_reprompi, step=1e-4),
    Program("Mpptest", "mpptest", _MPPTEST, _has("mpptest"), _mpptest_starts, read_mpptest, step=1e-6),
)
