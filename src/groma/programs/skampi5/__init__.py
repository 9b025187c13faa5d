"""SKaMPI 5 with the measurement files that it comes with; it prints as SKaMPI does."""

from groma.programs import Program

PROGRAM = Program(__name__, importer=".printed:IMPORTER")
