"""As the Pallas MPI Benchmarks 2.2 print: the tables of their successor (see imb), with Mbytes of 2^20 bytes.

The head is shortened.
"""

from __future__ import annotations

from groma.programs.blocks import Layout

# PMB's PingPong names its source, as far as is known; all else that is not listed came with IMB.
_OPERATIONS = "sendrecv exchange bcast allgather allgatherv alltoall reduce allreduce reduce_scatter barrier"

STYLE = Layout(
    head="PALLAS MPI Benchmark Suite V2.2, MPI-1 part",
    names={"pingpong": "PingPong", "pingping": "PingPing"} | {name: name.capitalize() for name in _OPERATIONS.split()},
    mega=2**20,
    processes="# ( #processes = {} )",
    group="# Group {:4d}                     :",
    rank=" {}",
    whole=frozenset({"reduce_scatter"}),
).style("the Pallas MPI Benchmarks", "pmb")
