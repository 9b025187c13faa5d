"""MPI-IO: writing and reading a file that ranks share, beside the system's own calls."""

from groma.programs import Program

PROGRAM = Program(__name__)
