"""What is made before ranks exchange data: communicators, topologies, windows, sessions."""

from groma.programs import Program

PROGRAM = Program(__name__)
