"""The MPI libraries of this machine: what is installed, the engine of each, and which one a variant of a run has."""
