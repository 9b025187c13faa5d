"""Reading one document of a run: whole, or present at all."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from groma.errors import RunError
from groma.results.records import UnknownSchemaError, decode

T = TypeVar("T")


def whole_document(path: Path, kind: type[T]) -> T:
    """Read a document; raises `RunError` if it cannot be read."""
    try:
        return decode(path.read_bytes(), kind)
    except (UnknownSchemaError, msgspec.DecodeError, OSError) as error:
        raise RunError(f"{path} cannot be read: {error}") from error


def present_document(path: Path, kind: type[T]) -> T | None:
    """Read a document; None if there is none, or the run was killed before it was whole."""
    try:
        return whole_document(path, kind)
    except RunError as error:
        cause = error.__cause__
        torn = isinstance(cause, msgspec.DecodeError) and not isinstance(cause, msgspec.ValidationError)
        if torn or isinstance(cause, FileNotFoundError):
            return None
        raise
