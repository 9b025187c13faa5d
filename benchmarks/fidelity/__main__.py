"""Compares the profiles of programs of today with the real programs, in turns, on the same library and binding.

Programs: those in the folder that GROMA_REAL_PROGRAMS names (copies of osu_latency and the others, IMB-MPI1, skampi,
ReproMPI's mpibenchmark, mpptest), and IMB-MPI1 and IMB-NBC of the Intel MPI that tools/install-intel-mpi installs, with
its IMB-MPI1-GPU where a driver of CUDA is installed (never tried on a device).
A folder's engine is found by the library that its programs are linked with: build/openmpi or build/mpich, or the one of
this installation.
Exit code 0 when there is a row for every program found, else 1; rows that are off are explained, or said to be unknown.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import platformdirs

from benchmarks.fidelity.calls import Both
from benchmarks.fidelity.document import STUDY, measured_again, said_of
from benchmarks.fidelity.launches import Bench
from benchmarks.fidelity.line import in_one_state
from benchmarks.fidelity.programs import PROGRAMS, Figures, Program
from benchmarks.fidelity.rows import Kept, Measured, Row, rows_of, with_means
from benchmarks.host import processor
from benchmarks.page import written
from groma.catalog import packaged
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from groma.machine.drivers import has_driver
from groma.plan import expand, part_of_profile
from groma.text.sizes import parse_sizes

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "GROMA_REAL_PROGRAMS"
INTEL = platformdirs.user_cache_path("groma")
_ABI_COMPILER = str(Path(sys.executable).with_name("mpicc_abi"))
_LINKED = {"Open MPI": "openmpi", "MPICH": "mpich"}


@dataclass(frozen=True)
class Wanted:
    """What to compare, and for how long."""

    tests: frozenset[str]
    sizes: list[int]
    rounds: int
    budget_s: float
    calls: bool


def benches(scratch: Path) -> Iterator[Bench]:
    """Yield every library that there are real programs for."""
    folder = os.environ.get(FOLDER)
    if folder:
        path = Path(folder).expanduser().resolve()
        if not path.is_dir():
            raise click.ClickException(
                f"{FOLDER} names {folder}, which is not a folder; name that of the built programs"
            )
        engine, compiler = _engine_of(path)
        yield _bench(path, engine, None, scratch, compiler)
    for prefix in sorted(INTEL.glob("impi-rt-*")):
        if (prefix / "bin" / "IMB-MPI1").exists():
            # Its programs have MPICH's binary interface, and so need a compiler of MPICH.
            yield _bench(prefix / "bin", None, str(prefix / "bin" / "mpiexec"), scratch, "mpicc.mpich")


def _bench(folder: Path, engine: Path | None, launcher: str | None, scratch: Path, compiler: str) -> Bench:
    own = os.environ.get("GROMA_ENGINE")
    if engine is not None and own is None:
        os.environ["GROMA_ENGINE"] = str(engine)
    try:
        setup = find_setup(find_engine(), launcher)
    finally:
        if own is None:
            os.environ.pop("GROMA_ENGINE", None)
    own_compiler = _ABI_COMPILER if setup.engine.abi else compiler
    return Bench(f"{setup.launcher.family} {setup.launcher.version}", folder, setup, scratch, (compiler, own_compiler))


def _engine_of(folder: Path) -> tuple[Path | None, str]:
    """Return the engine built for the library that the folder's programs are linked with, and the library's C compiler.

    The engine is None if it is this installation's.
    """
    program = next((path for path in sorted(folder.iterdir()) if os.access(path, os.X_OK) and path.is_file()), None)
    if program is None:
        raise click.ClickException(f"{folder} has no programs; build OSU, IMB or SKaMPI and copy the programs there")
    os.environ["GROMA_ENGINE"], before = str(program), os.environ.get("GROMA_ENGINE")
    try:
        linked = find_engine()
    finally:
        os.environ.pop("GROMA_ENGINE")
        if before is not None:
            os.environ["GROMA_ENGINE"] = before
    if linked.abi:
        return None, _ABI_COMPILER
    preset = _LINKED.get(linked.family)
    compiler = f"mpicc.{preset}" if preset else "mpicc"
    if before is not None:
        return None, compiler
    built = ROOT / "build" / str(preset) / "engine" / "groma-engine"
    if not built.exists():
        raise click.ClickException(
            f"{program} needs an engine for {linked.family or 'its library'}; build it with: cmake --preset {preset} "
            f"-DGROMA_TESTS=OFF && cmake --build --preset {preset}, or name one with GROMA_ENGINE"
        )
    return built, compiler


def compare(bench: Bench, program: Program, ranks: int, wanted: Wanted, kept: Kept) -> list[Measured]:
    """Return the rows of one program: rounds of each test's two launches, which change places from round to round.

    Both launches of a pair are in one state of the machine, or the round has no figures of the test.
    Rounds that are kept from before count too.
    """
    catalog = packaged()
    tests = [test for test in program.tests if test.name in wanted.tests or not wanted.tests]
    if not tests:
        return []
    names = list(dict.fromkeys(test.operation for test in tests))
    plan = expand(part_of_profile(program.profile, names, catalog), catalog)
    made = Both(bench, program, plan, ranks).differences(tests, wanted.sizes) if wanted.calls else {}
    # By default a launch each: what are compared follow each other within a second.
    parts = [tests] if program.together else [[test] for test in tests]
    starts = [one for part in parts for one in program.starts(bench.programs, part, wanted.sizes, bench.scratch)]
    rounds = kept.rounds(program, bench.library, ranks)
    before, until = len(rounds), time.monotonic() + wanted.budget_s
    while len(rounds) < wanted.rounds and (len(rounds) == before or time.monotonic() < until):
        real: Figures = {}
        own: Figures = {}
        for start in starts:
            pair = in_one_state(
                partial(bench.real, program, start, ranks),
                partial(bench.emulated, plan, start, wanted.sizes, ranks),
                bench.compilers,
                bench.scratch,
                real_first=len(rounds) % 2 == 0,
            )
            if pair is not None:
                real |= pair[0]
                own |= pair[1]
        rounds.append((real, own))
        kept.add(program, bench.library, ranks, (real, own))
        click.echo(f"{program.name} on {bench.library}, {ranks} ranks: round {len(rounds)}", err=True)
    crowded = " (more ranks than CPUs)" if ranks > len(os.sched_getaffinity(0)) else ""
    return rows_of(program, bench.library, ranks, rounds, calls=made, machine=processor() + crowded)


def programs_of(folder: Path, chosen: str) -> Iterator[Program]:
    """Yield the programs in a folder, those of these profiles if some are named; say which need a device."""
    for program in PROGRAMS:
        if not program.find(folder) or (chosen and program.profile not in chosen.split(",")):
            continue
        if program.on_device and not has_driver("cuda"):
            click.echo(f"{program.name} is left out: it needs a device, and libcuda.so.1 can't be opened", err=True)
            continue
        yield program


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word]


@click.command(help=__doc__)
@click.option("--ranks", default="", help="Numbers of ranks, such as 2,4 (default: 2, and 4 with 4 CPUs).")
@click.option("--bytes", "sizes", default="8,1K,64K,1M", show_default=True, help="Sizes in bytes, as the program says.")
@click.option("--rounds", default=12, type=click.IntRange(min=1), show_default=True, help="Most rounds of a program.")
@click.option(
    "--budget", "budget_s", default=600.0, show_default=True, help="Seconds for all of it; two rounds at least."
)
@click.option("--only", default="", help="Tests by their names, separated by commas: osu_latency,PingPong.")
@click.option(
    "--program", "chosen", default="", help="Programs by their profiles, separated by commas: osu,imb,skampi5."
)
@click.option("--calls/--no-calls", "with_calls", default=True, help="Compare the MPI calls of both too.")
@click.option("--keep", type=click.Path(path_type=Path), help="A file for the rounds; those in it count too.")
@written
def main(
    *,
    ranks: str,
    sizes: str,
    rounds: int,
    budget_s: float,
    only: str,
    chosen: str,
    with_calls: bool,
    keep: Path | None,
    docs: Path | None,
) -> None:
    """Run all comparisons, print what is not the same and write the page; what is not measured again stays there."""
    cpus = len(os.sched_getaffinity(0))
    counts = _numbers(ranks) or ([2, 4] if cpus >= 4 else [2])
    with tempfile.TemporaryDirectory() as name:
        work = [
            (bench, program, processes)
            for bench in benches(Path(name))
            for program in programs_of(bench.programs, chosen)
            for processes in counts
        ]
        if not work:
            raise click.ClickException(
                f"there is no real program; set {FOLDER} to a folder of built ones, or run tools/install-intel-mpi"
            )
        tests = frozenset(filter(None, only.split(",")))
        wanted = Wanted(tests, parse_sizes(sizes), rounds, budget_s / len(work), with_calls)
        kept, made, empty = Kept(keep), list[Row](), False
        for bench, program, processes in work:
            part = compare(bench, program, processes, wanted, kept)
            empty = empty or (not part and any(test.name in wanted.tests for test in program.tests))
            if part:
                section = with_means(part)
                made += section
                click.echo("\n".join(["", *said_of(section)]))
    if made:
        before = [] if docs is None or not STUDY.exists(docs) else STUDY.rows(docs)[0]
        STUDY.publish([measured_again(before, made)], docs)
    sys.exit(1 if empty or not made else 0)


if __name__ == "__main__":
    main()
