"""A site's own program: its profile, and how it prints."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As ringtest: a line of comma-separated values for each size of a ping-pong.",
)
