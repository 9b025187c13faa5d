"""The health check of `groma quick`."""

from groma.programs import Program

PROGRAM = Program(__name__)
