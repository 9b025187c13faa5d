"""Which Groma this is."""

from __future__ import annotations


def version() -> str:
    """Return Groma's version, as it was installed."""
    from importlib import metadata  # noqa: PLC0415 - takes long to import

    try:
        return metadata.version("groma")
    except metadata.PackageNotFoundError:  # imported from a source tree that was never installed
        return "0+uninstalled"
