"""The tables of the ALCF MPI benchmarks (seed 001), from a run of the profile `alcf`."""

from groma.alcf.table import NO_PEAKS, Peaks, Table
from groma.alcf.tables import tables

__all__ = ["NO_PEAKS", "Peaks", "Table", "tables"]
