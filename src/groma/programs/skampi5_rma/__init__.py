"""The one-sided list of SKaMPI 5: what each part of an epoch takes, and puts and gets by every synchronisation."""

from groma.programs import Program

PROGRAM = Program(__name__)
