"""The Intel MPI Benchmarks 2021 (IMB-MPI1)."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    importer=".printed:IMPORTER",
    stand_ins=".stand_in:STAND_INS",
    prints="As the Intel MPI Benchmarks: blocks with t_min, t_max, t_avg over ranks; Mbytes of 10^6.",
)
