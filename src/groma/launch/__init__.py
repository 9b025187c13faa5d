"""Engines, MPI libraries and launchers: which belong together, and the exact command that starts the ranks."""

from __future__ import annotations

from groma.launch.command import LaunchCommand, Setup, find_setup
from groma.launch.cores import Cores, allowed_cores
from groma.launch.engine import Engine, catalog_in_use, find_engine
from groma.launch.launcher import Launcher, find_launchers, identify_launcher
from groma.launch.process import Interrupts, Process

__all__ = [
    "Cores",
    "Engine",
    "Interrupts",
    "LaunchCommand",
    "Launcher",
    "Process",
    "Setup",
    "allowed_cores",
    "catalog_in_use",
    "find_engine",
    "find_launchers",
    "find_setup",
    "identify_launcher",
]
