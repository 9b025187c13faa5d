"""As the Pallas MPI Benchmarks 2.2 print: the tables of their successor (see imb), with Mbytes of 2^20 bytes.

The head is shortened.
"""

from __future__ import annotations

from groma.programs.blocks import NAMES, Layout, write
from groma.programs.sheet import Sheet, Style

# PMB's PingPong names its source, as far as is known; all else that is not listed came with IMB.
_NAMES = (
    *("PingPing", "Sendrecv", "Exchange", "Bcast", "Allgather", "Allgatherv", "Alltoall"),
    *("Reduce", "Allreduce", "Reduce_scatter", "Barrier"),
)
_LAYOUT = Layout(
    head="PALLAS MPI Benchmark Suite V2.2, MPI-1 part",
    names={"pingpong": "PingPong"} | {name: title for name, title in NAMES.items() if title in _NAMES},
    mega=2**20,
    processes="# ( #processes = {} )",
    group="# Group {:4d}                     :",
    rank=" {}",
    whole=frozenset({"reduce_scatter"}),
)


def _write(sheet: Sheet) -> None:
    write(sheet, _LAYOUT)


STYLE = Style(program="the Pallas MPI Benchmarks", write=_write, profile="pmb")
