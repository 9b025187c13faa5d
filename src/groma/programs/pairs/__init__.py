"""Who is slow: latency and bandwidth of all pairs, a verdict on nodes and links, and a list of nodes to leave out."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".study:STYLE",
    prints="Who is slow: nodes and links with ratio and interval, and the nodes to leave out as schedulers take them.",
    study=".study:study",
    stages=".stages:next_stage",
)
