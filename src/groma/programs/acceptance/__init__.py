"""What procurement texts ask of a machine's communication, as one list: `groma run --profile acceptance`."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".study:STYLE",
    prints="The list of an acceptance test: every line's figure with its interval, its limit and the verdict.",
    study=".study:study",
)
