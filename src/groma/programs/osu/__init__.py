"""The OSU Micro-Benchmarks 7.4."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    importer=".printed:IMPORTER",
    stand_ins=".stand_in:STAND_INS",
    prints="As the OSU Micro-Benchmarks 7: latency, bandwidth, message rate and collectives, a table each.",
)
