"""mpirun of IBM Spectrum MPI, which is Open MPI 4's under another name and version.

The options are those of IBM's guide "Spectrum MPI, running applications". Groma's developers had none to try them on.
"""

from __future__ import annotations

import msgspec

from groma.launch.families import open_mpi

_OTHER = {
    "name": "Spectrum MPI",
    "says": r"\(IBM Spectrum MPI\)\s*(\S+)",
    "programs": (),
    "libraries": ("libmpi_ibm.so*",),
}
FAMILY = open_mpi.OpenMpi4(**msgspec.structs.asdict(open_mpi.FAMILY) | _OTHER)
