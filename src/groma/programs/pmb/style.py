"""As the Pallas MPI Benchmarks 2.2 print: the tables of their successor (see imb), with Mbytes of 2^20 bytes.

The head is a reconstruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.programs.blocks import NAMES, write
from groma.programs.sheet import Style

if TYPE_CHECKING:
    from groma.programs.sheet import Sheet


# PMB's PingPong names its source, as far as is known; it has no bandwidth tests of all pairs.
_NEWER = {"PingPong", "PingPongSpecificSource", "Uniband", "Biband"}
_NAMES = {"pingpong": "PingPong"} | {name: title for name, title in NAMES.items() if title not in _NEWER}


def _write(sheet: Sheet) -> None:
    write(sheet, "PALLAS MPI Benchmark Suite V2.2, MPI-1 part", _NAMES, 2**20)


STYLE = Style(program="the Pallas MPI Benchmarks", write=_write, profile="pmb")
