"""One-sided communication: what each way to complete it costs, beside messages of the same sizes."""

from groma.programs import Program

PROGRAM = Program(__name__)
