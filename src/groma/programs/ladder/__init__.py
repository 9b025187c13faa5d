"""A placement ladder: two ranks on one core, cache, NUMA node, socket and node, on the next and the farthest node."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".study:STYLE",
    prints="Latency and bandwidth of two ranks, step by step from one core to the farthest node, and what is lacking.",
    study=".study:study",
    together=True,
    variants=".offered:offered",
)
