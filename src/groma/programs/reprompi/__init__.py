"""ReproMPI 1.0.1 (mpibenchmark), collectives."""

from groma.programs import Program

PROGRAM = Program(__name__, importer=".printed:IMPORTER")
