"""The ALCF MPI benchmarks: the suite's tables, and what it costs to ignore its advice."""

from groma.programs import Option, Program

PROGRAM = Program(
    __name__,
    style=".study:STYLE",
    prints="As the slides of the ALCF MPI benchmarks: their tables of rates, bandwidths, collectives, halo exchange.",
    study=".study:study",
    across=".study:across",
    references=".reference:reference_systems",
    options=(
        Option(
            "--peak",
            "WHAT=GB/s",
            "the peak bandwidth of a node or of the bisection, such as node=36; repeat for both.",
            ".table:read_peaks",
        ),
    ),
)
