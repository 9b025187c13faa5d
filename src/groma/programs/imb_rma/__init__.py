"""IMB-RMA of the Intel MPI Benchmarks 2021: one-sided calls that are completed one by one; it prints as IMB does."""

from groma.programs import Program

PROGRAM = Program(__name__, importer=".printed:IMPORTER")
