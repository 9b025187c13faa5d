"""The Pallas MPI Benchmarks 2.2, which became IMB."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As the Pallas MPI Benchmarks, the predecessor of IMB: the same blocks; Mbytes of 2^20.",
)
