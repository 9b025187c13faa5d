"""mpirun of IBM Spectrum MPI, which is Open MPI 4's under another name and version.

The options are those of IBM's guide "Spectrum MPI, running applications". Groma's developers had none to try them on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.launch.families.open_mpi import OpenMpi

if TYPE_CHECKING:
    from groma.launch.families.base import Family


class SpectrumMpi(OpenMpi):
    """Its library is a file of another name."""

    name = "Spectrum MPI"
    says = re.compile(r"\(IBM Spectrum MPI\)\s*(\S+)")
    programs: ClassVar[tuple[str, ...]] = ()
    libraries = ("libmpi_ibm.so*",)

    def for_version(self, version: str) -> Family:
        """Return this family: version 10 is Open MPI 4."""
        del version
        return self


FAMILY = SpectrumMpi()
