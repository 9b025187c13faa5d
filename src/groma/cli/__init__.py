"""The `groma` command: one verb per module."""

from __future__ import annotations

from groma.cli.main import main

__all__ = ["main"]
