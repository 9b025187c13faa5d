"""MPBench, as in the comparison of five programs on an SGI Altix."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As MPBench: bandwidth, round trips, latency and collectives, lines to be drawn.",
)
