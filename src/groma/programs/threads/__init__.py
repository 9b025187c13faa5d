"""Several threads of a rank at once, beside as many processes."""

from groma.programs import Program

PROGRAM = Program(__name__)
