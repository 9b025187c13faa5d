"""As the Intel MPI Benchmarks 2021 print (IMB-MPI1): the blocks of `groma.programs.blocks`.

Mbytes/sec are 10^6 bytes per second, as since IMB 2018; they were 2^20 before (see pmb).
"""

from __future__ import annotations

from groma.programs.blocks import NAMES, write
from groma.programs.sheet import Sheet, Style


def _write(sheet: Sheet) -> None:
    write(sheet, "Intel(R) MPI Benchmarks 2021.11, MPI-1 part", NAMES, 1e6)


STYLE = Style(program="the Intel MPI Benchmarks", write=_write, profile="imb")
