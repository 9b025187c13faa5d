"""As the Intel MPI Benchmarks 2021 print (IMB-MPI1, -NBC and -MPI4): the blocks of `groma.programs.blocks`.

Mbytes/sec are 10^6 bytes per second, as since IMB 2018; they were 2^20 before (see pmb).
"""

from __future__ import annotations

from groma.programs.blocks import Layout
from groma.programs.imb.printed import IMPORTER

_TOLD = IMPORTER.told
_TESTS = tuple(reversed((*_TOLD.tests, *_TOLD.nearest)))  # of several names of an operation, the first counts

STYLE = Layout(
    head="Intel(R) MPI Benchmarks 2021.11, {} part",
    names={test.operation: test.name for test in _TESTS},
    mega=1e6,
    processes="# #processes = {}",
    group="# Group  {}: ",
    rank="{:5d}",
    parts={test.operation: test.part for test in _TESTS if test.part},
    differs=_TOLD.differs,
).style("the Intel MPI Benchmarks", "imb")
