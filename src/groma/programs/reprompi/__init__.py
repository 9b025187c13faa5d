"""ReproMPI 1.0.1 (mpibenchmark), collectives."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As ReproMPI: repetitions, mean, median, smallest and largest time of single calls, in seconds.",
)
