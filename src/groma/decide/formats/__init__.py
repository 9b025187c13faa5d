"""A comparison as text for people and programs, one module for each format."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.decide.comparing import Compared
    from groma.decide.gating import Gate

FORMATS = ("text", "markdown", "json", "junit", "openmetrics")


def written(compared: Compared, form: str, gate: Gate | None = None) -> str:
    """Return a comparison, and how a gate ended, in one of FORMATS, with a line feed at the end."""
    module = importlib.import_module(f"{__name__}.as_{form}")
    text: str = module.written(compared, gate)
    return text if text.endswith("\n") else text + "\n"
