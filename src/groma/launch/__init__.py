"""Engines, MPI libraries and launchers: which belong together, and the exact command that starts the ranks."""
