"""MPI_bcast_test: one buffer broadcast in segments, every rank's transfer by itself."""

from groma.programs import Program

PROGRAM = Program(
    __name__,
    style=".style:STYLE",
    prints="As MPI_bcast_test: comma-separated values, a line for each set of transfers of a whole campaign.",
    study=".study:study",
    operations=("bcast_segmented",),
    references=".study:reference_systems",
    panel=".panel:panel",
    compares="broadcasts in segments recorded rank by rank",
)
