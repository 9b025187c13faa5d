"""As the Intel MPI Benchmarks 2021 print (IMB-MPI1, -NBC, -MPI4, -RMA and -IO): the blocks of `groma.programs.blocks`.

Mbytes/sec are 10^6 bytes per second, as since IMB 2018; they were 2^20 before (see pmb).
"""

from __future__ import annotations

from groma.programs.blocks import Layout
from groma.programs.imb.printed import IMPORTER

_TOLD = IMPORTER.told
_TESTS = tuple(reversed((*_TOLD.tests, *_TOLD.nearest)))  # of several names of an operation, the first counts
# Of IMB-RMA, one by one.
_ONE_SIDED = {
    "put/flush": "Unidir_put",
    "get/flush": "Unidir_get",
    "biput/flush": "Bidir_put",
    "biget/flush": "Bidir_get",
    "put/flush_local": "Put_local",
    "get/flush_local": "Get_local",
    "accumulate/flush": "Accumulate",
    "get_accumulate/flush": "Get_accumulate",
    "fetch_and_op/flush": "Fetch_and_op",
    "compare_and_swap/flush": "Compare_and_swap",
}

# Of IMB-IO, where a file's size is that of all ranks' messages together; S_ in place of P_ with one rank.
_FILES = {
    "file_write": "P_Write_Indv",
    "file_read": "P_Read_Indv",
    "file_write_shared": "P_Write_Shared",
    "file_read_shared": "P_Read_Shared",
    "file_write_at": "P_Write_Expl",
    "file_read_at": "P_Read_Expl",
    "file_write_all": "C_Write_Indv",
    "file_read_all": "C_Read_Indv",
    "file_write_ordered": "C_Write_Shared",
    "file_read_ordered": "C_Read_Shared",
    "file_write_at_all": "C_Write_Expl",
    "file_read_at_all": "C_Read_Expl",
}

STYLE = Layout(
    head="Intel(R) MPI Benchmarks 2021.11, {} part",
    names={test.operation: test.name for test in _TESTS} | _ONE_SIDED | _FILES,
    mega=1e6,
    processes="# #processes = {}",
    group="# Group  {}: ",
    rank="{:5d}",
    whole=frozenset(_FILES),
    parts={test.operation: test.part for test in _TESTS if test.part}
    | dict.fromkeys(_ONE_SIDED, "MPI-RMA")
    | dict.fromkeys(_FILES, "MPI-IO"),
    differs=_TOLD.differs,
    one_by_one=frozenset(_ONE_SIDED),
    files=frozenset(_FILES),
).style("the Intel MPI Benchmarks", "imb")
