"""Times MPI_Bcast of arrays whose pages are new, against arrays whose pages the kernel has on its list of pages in use.

Linux gathers the pages that are new on a CPU, and lists them when it has enough: 31 in Linux 6.18. A library that
copies from process to process (process_vm_readv: Open MPI and MPICH 4 by default) waits longer for pages that are not
listed. So what the last array takes that a program wrote depends on what it writes afterwards; Groma's arrays are all
listed (engine/groma/machine/pages.hpp). /proc/kpageflags tells root which pages of a process are.
Ratios are medians over launches of listed over new, with their 95 % intervals.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.bare_collective import programs
from benchmarks.page import table
from groma.analysis.order import median_interval
from groma.text.sizes import format_size, parse_sizes

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "new_pages.c"
TRIALS = 20


def row(library: str, size: int, launches: list[NDArray[np.float64]]) -> list[str]:
    """Return the row of the launches' times in us, of shape (trials, 2): with new pages, and with listed ones."""
    ratios = np.array([np.median(times[:, 1] / times[:, 0]) for times in launches])
    new, listed = np.median(np.concatenate(launches), axis=0)
    interval = median_interval(ratios)
    ends = f"{interval.low:.3f} to {interval.high:.3f}" if interval else ""
    return [library, format_size(size), f"{new:.2f}", f"{listed:.2f}", f"{np.median(ratios):.3f}", ends]


@click.command(help=__doc__)
@click.option("--bytes", "sizes", default="16K,64K,256K", show_default=True, help="Lengths of the array.")
@click.option("--launches", default=8, type=click.IntRange(min=6), show_default=True, help="Launches of each.")
def main(sizes: str, launches: int) -> None:
    """Run the launches and print a table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for library, program in programs(SOURCE, Path(folder)):
            for size in parse_sizes(sizes):
                found = []
                for _ in range(launches):
                    done = library.run(2, str(size), str(TRIALS), engine=program)
                    if done.exit_code:
                        raise click.ClickException(f"{library.name}: {done.errors}")
                    found.append(np.array(done.output.split(), float).reshape(-1, 2))
                rows.append(row(library.name, size, found))
    click.echo(table(["library", "size", "new, us", "listed, us", "listed / new", "95 %"], rows))


if __name__ == "__main__":
    main()
