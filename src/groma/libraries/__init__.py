"""The MPI libraries of this machine: what is installed, the engine of each, and which one a variant of a run has."""

from __future__ import annotations

from groma.libraries.choose import Choice, choose
from groma.libraries.engines import State, state_of
from groma.libraries.find import installed
from groma.libraries.library import Library

__all__ = ["Choice", "Library", "State", "choose", "installed", "state_of"]
