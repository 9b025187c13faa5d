"""Reads run directories as they are. `groma.tables` turns them into tables."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.results.launched import Launch
    from groma.results.run import Run, load_run

__all__ = ["Launch", "Run", "load_run"]


def __getattr__(name: str) -> object:
    """Import a name on first use: reading run.json needs no module that reads records."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.run"), name)
