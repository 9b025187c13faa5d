"""HPC Challenge, latency and bandwidth (b_eff): ping-pong of all pairs, the natural ring, and random rings."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As HPC Challenge sums up latency and bandwidth: ten lines of a name and a number.",
    study=".study:study",
    stages=".stages:next_stage",
)
