"""The NAS study of LBW, ATA and STS: the best of several runs, beside the systems of its documents."""

from groma.programs import Program

PROGRAM = Program(__name__, study=".study:study", together=True, references=".reference:reference_systems")
