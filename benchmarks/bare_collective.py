"""Times a bare loop of one collective on two ranks, after even and after odd numbers of messages in one direction.

On Open MPI two short messages from one rank to another share a cache line. Where both ranks' messages begin a line
together, the ranks wait for a line in every second call; after one message more in one direction, in every call. What
a program sent before it measured so decides what it finds. The libraries are those of the engine's tests, and Intel
MPI's libmpi.so.12 besides, which is another build than the libmpi_abi.so.1 that Groma uses.
Ratios are medians over launches of odd over even, with their 95 % intervals.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from benchmarks.libraries import beds
from benchmarks.page import table
from groma.analysis.order import median_interval
from groma.text.sizes import parse_size

HERE = Path(__file__).resolve().parent


OPERATIONS = ("barrier", "allreduce", "reduce_scatter_block")
SOURCE = HERE / "bare_collective.c"


def programs(source: Path, folder: Path) -> Iterator[tuple[beds.Library, Path]]:
    """Yield every library that is here, and a program in C compiled for it."""
    found = [one for name, one in beds.libraries().items() if not beds.missing(name) and shutil.which(one.mpicc)]
    for library in found:
        yield library, _compiled(source, [library.mpicc], folder / library.name)
        native = beds.INTEL_PREFIX / "lib" / "libmpi.so.12"
        if library.name == "intel" and native.exists() and shutil.which("mpicc.mpich"):
            name = "intel, libmpi.so.12"
            # MPICH's header, which has the same binary interface.
            words = ["gcc", f"-I{_mpich_headers()}", str(native)]
            yield replace(library, name=name), _compiled(source, words, folder / "native")


def _compiled(source: Path, words: list[str], program: Path) -> Path:
    compiler, *libraries = words
    command = [compiler, "-O2", str(source), "-o", str(program), *libraries]
    subprocess.run(command, check=True)
    return program


def _mpich_headers() -> str:
    words = subprocess.run(["mpicc.mpich", "-show"], check=True, capture_output=True, text=True).stdout.split()
    return next(word[2:] for word in words if word.startswith("-I"))


@click.command(help=__doc__)
@click.option("--operation", type=click.Choice(OPERATIONS), default=OPERATIONS[0], show_default=True)
@click.option("--bytes", "size", default="0", help="Bytes of a rank's array, such as 64K.")
@click.option("--launches", default=24, type=click.IntRange(min=6), show_default=True, help="Launches on each library.")
def main(operation: str, size: str, launches: int) -> None:
    """Run the launches in turns and print a table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        pairs = list(programs(SOURCE, Path(folder)))
        times_us: dict[str, list[np.ndarray]] = {library.name: [] for library, _ in pairs}
        for _ in range(launches):
            for library, program in pairs:
                done = library.run(2, operation, str(parse_size(size)), engine=program)
                if done.exit_code:
                    raise click.ClickException(f"{library.name}: {done.errors}")
                times_us[library.name].append(np.array(done.output.split(), float))
    for name, launched in times_us.items():
        even, odd = (np.array([np.median(one[start::2]) for one in launched]) for start in (0, 1))
        ratios = odd / even
        interval = median_interval(ratios)
        ends = f"{interval.low:.2f} to {interval.high:.2f}" if interval else ""
        figures = [f"{figure(side):.3f}" for side in (even, odd) for figure in (np.min, np.median)]
        rows.append([name, *figures, f"{np.median(ratios):.2f}", ends])
    headings = ["library", "even, fastest, us", "even, median", "odd, fastest", "odd, median", "odd / even", "95 %"]
    click.echo(table(headings, rows))


if __name__ == "__main__":
    main()
