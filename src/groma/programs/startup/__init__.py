"""What comes before ranks exchange data: MPI's start, communicators, topologies, windows, sessions."""

from groma.programs import Program

PROGRAM = Program(__name__)
