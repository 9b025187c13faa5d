"""Mpptest: ping-pong, collectives, and overlap of communication with computation."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    importer=".printed:IMPORTER",
    prints="As Mpptest: ranks, distance, length, time and rate; overlap with computation.",
)
