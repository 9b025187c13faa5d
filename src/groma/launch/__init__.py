"""Engines, MPI libraries and launchers: which belong together, and the exact command that starts the ranks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.launch.checking import Refusal, check_points, refusals
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
    "Refusal",
    "Setup",
    "allowed_cores",
    "catalog_in_use",
    "check_points",
    "find_engine",
    "find_launchers",
    "find_setup",
    "identify_launcher",
    "refusals",
]

_PLACES = dict.fromkeys(("LaunchCommand", "Setup", "find_setup"), "command")
_PLACES |= dict.fromkeys(("Refusal", "check_points", "refusals"), "checking")
_PLACES |= dict.fromkeys(("Cores", "allowed_cores"), "cores")
_PLACES |= dict.fromkeys(("Engine", "catalog_in_use", "find_engine"), "engine")
_PLACES |= dict.fromkeys(("Launcher", "find_launchers", "identify_launcher"), "launcher")
_PLACES |= dict.fromkeys(("Interrupts", "Process"), "process")


def __getattr__(name: str) -> object:
    """Import a name on first use: listing what can be measured needs no module that starts ranks."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
