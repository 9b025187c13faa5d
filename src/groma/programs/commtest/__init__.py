"""COMMTEST: eleven protocols for a swap, how much the protocol matters, and which one to use."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As COMMTEST: swaps by eleven protocols, how much the protocol matters, and which one to use.",
    study=".study:study",
    references=".study:reference_systems",
)
