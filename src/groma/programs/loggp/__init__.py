"""LogGP: what a message costs its sender, its receiver and the network."""

from groma.programs import Program

PROGRAM = Program(__name__, study=".study:study", operations=("request_trains",))
