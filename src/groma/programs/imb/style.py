"""As the Intel MPI Benchmarks 2021 print (IMB-MPI1): the blocks of `groma.programs.blocks`.

Mbytes/sec are 10^6 bytes per second, as since IMB 2018; they were 2^20 before (see pmb).
"""

from __future__ import annotations

from groma.programs.blocks import NAMES, Layout

STYLE = Layout(
    head="Intel(R) MPI Benchmarks 2021.11, MPI-1 part",
    names=NAMES,
    mega=1e6,
    processes="# #processes = {}",
    group="# Group  {}: ",
    rank="{:5d}",
).style("the Intel MPI Benchmarks", "imb")
