"""A run as other programs print theirs: one module per program, which is found by its name in `STYLES`.

A module has a `STYLE` and a docstring that says where its layout is known and where it is a reconstruction. A new one
needs its module, its line here, and a recorded run in tests/golden/test_styles.py.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from groma.catalog import suggestion
from groma.errors import InputError

if TYPE_CHECKING:
    from groma.styles.sheet import Style

STYLES = {
    "alcf": "As the slides of the ALCF MPI benchmarks: their tables of rates, bandwidths, collectives, halo exchange.",
    "bcast_test": "As MPI_bcast_test: comma-separated values, a line for each set of transfers of a whole campaign.",
    "commtest": "As COMMTEST: swaps by eleven protocols, how much the protocol matters, and which one to use.",
    "imb": "As the Intel MPI Benchmarks: blocks with t_min, t_max, t_avg over ranks; Mbytes of 10^6.",
    "mpbench": "As MPBench: bandwidth, round trips, latency and collectives, lines to be drawn.",
    "mpibench": "As MPIBench: times of single calls, and histograms of all processes together and of each.",
    "mpptest": "As Mpptest: ranks, distance, length, time and rate; overlap with computation.",
    "osu": "As the OSU Micro-Benchmarks 7: latency, bandwidth, message rate and collectives, a table each.",
    "pmb": "As the Pallas MPI Benchmarks, IMB's forebear: the same blocks; Mbytes of 2^20.",
    "skampi": "As SKaMPI 5: size, time, standard error and repetitions, and when the ranks were done.",
}


def require_style(name: str) -> None:
    """Raise InputError, with the nearest one, where there is no style of that name."""
    if name not in STYLES:
        hint = suggestion(name, STYLES) or f"; there are {', '.join(STYLES)}"
        raise InputError(f"there is no style '{name}'{hint}")


def read_style(name: str) -> Style:
    """Return the style of that name; raises as `require_style`."""
    require_style(name)
    style: Style = importlib.import_module(f"groma.styles.{name}").STYLE
    return style
