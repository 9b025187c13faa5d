"""MPIBench with its option of cold buffers."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As MPIBench: times of single calls, and histograms of all processes together and of each.",
)
