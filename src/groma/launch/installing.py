"""The commands that install what is missing, from where this copy of Groma came from.

No message names a package index's `groma`: it is no project there, and the owner of that name could serve anything.
"""

from __future__ import annotations

import re
import shlex
import sys

import msgspec

_PIP = f"{shlex.quote(sys.executable)} -m pip install"
_MPICH = "mpich"


class _Origin(msgspec.Struct):
    """What pip notes of a package that it installed by its place (PEP 610)."""

    url: str = ""


def again() -> str:
    """Return how to install this copy of Groma again: a command, if pip noted where it came from."""
    place = _place()
    if not place:
        return "install Groma again from where this copy came from"
    return f"install Groma again: {_PIP} --force-reinstall --no-deps {shlex.quote(place)}"


def embedded_mpi() -> str:
    """Return the command that installs the MPI library that Groma is measured and tested with."""
    return f"{_PIP} {shlex.quote(_requirement())}"


def get_library() -> str:
    """Return what a person can do who has Groma and no MPI library that it can measure."""
    return (
        f"install MPICH beside Groma ({embedded_mpi()}), name the launcher of your site's library if it has the "
        "standard ABI (--launcher /path/to/mpiexec), or build an engine for another library (groma mpi add mpicxx) and "
        "measure with that (groma run --mpi NAME)"
    )


def _place() -> str:
    import importlib.metadata  # noqa: PLC0415 - takes as long to import as most of the front end

    try:
        noted = importlib.metadata.distribution("groma").read_text("direct_url.json")
        return msgspec.json.decode(noted or "{}", type=_Origin).url
    except (importlib.metadata.PackageNotFoundError, msgspec.MsgspecError, OSError):
        return ""


def _requirement() -> str:
    """Return the package's own requirement on MPICH: the versions are stated there."""
    import importlib.metadata  # noqa: PLC0415 - as above

    try:
        asked = importlib.metadata.requires("groma") or []
    except importlib.metadata.PackageNotFoundError:
        asked = []
    listed = (requirement.partition(";")[0].strip() for requirement in asked)
    return next((name for name in listed if re.match(rf"{_MPICH}\b", name)), _MPICH)
