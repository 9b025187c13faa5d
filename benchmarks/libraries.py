"""The MPI libraries of this machine and libraries before them, as the engine's tests find and build them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import beds

from engine import preloaded

__all__ = ["beds", "preloaded"]
