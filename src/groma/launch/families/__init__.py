"""The launchers that Groma knows, one family a file: `NAME.toml`, or a module with `FAMILY` if it needs code."""

from __future__ import annotations

import functools
import importlib
from pathlib import Path

import msgspec

from groma.launch.families.base import Family

__all__ = ["Family", "families", "family_named"]

_UNKNOWN = Family(throttled=frozenset({"MPICH"}))


@functools.cache
def families() -> tuple[Family, ...]:
    """Return all families, in the order of their files' names."""
    files = sorted(Path(__file__).parent.glob("[a-z]*.*"))
    return tuple(family for family in map(_family_in, files) if family is not None)


def family_named(name: str) -> Family:
    """Return the family of this name; of an unknown launcher, the one that gets the number of ranks only."""
    return next((family for family in families() if family.name == name), _UNKNOWN)


def _family_in(file: Path) -> Family | None:
    if file.suffix == ".toml":
        return msgspec.toml.decode(file.read_bytes(), type=Family)
    return getattr(importlib.import_module(f"{__name__}.{file.stem}"), "FAMILY", None)
