"""SKaMPI with the windows of its global clock, as in the comparison of five programs on an SGI Altix."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As SKaMPI 5: size, time, standard error and repetitions, and when the ranks were done.",
    study=".study:study",
    references=".study:reference_systems",
)
