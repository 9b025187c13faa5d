"""A history as text for people and programs, one module for each format."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.history.timelines import Group


def written(groups: Sequence[Group], form: str) -> str:
    """Return a history as `text`, `markdown` or `json`, with a line feed at the end."""
    module = importlib.import_module(f"{__name__}.as_{form}")
    text: str = module.written(groups)
    return text.rstrip("\n") + "\n"
