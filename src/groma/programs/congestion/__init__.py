"""What a loaded network does to others: some ranks load it in turns with silence while the rest are measured."""

from groma.programs import Program

PROGRAM = Program(__name__, study=".study:study")
