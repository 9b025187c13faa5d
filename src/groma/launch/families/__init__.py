"""The launchers that Groma knows, one family a file: a module here with `FAMILY` is one."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from groma.launch.families.base import Family

__all__ = ["Family", "families", "family_named"]


@functools.cache
def families() -> tuple[Family, ...]:
    """Return all families, in the order of their files' names."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return tuple(module.FAMILY for module in modules if hasattr(module, "FAMILY"))


def family_named(name: str) -> Family:
    """Return the family of this name; of an unknown launcher, the one that gets the number of ranks only."""
    return next((family for family in families() if family.name == name), Family())
