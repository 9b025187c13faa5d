"""Other runs in the folder of a run that measured the same plan by the same software on the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from groma.errors import UNDECODABLE
from groma.results.conditions import Conditions, alike, conditions, conditions_of
from groma.results.documents import LaunchDocument, RunDocument
from groma.results.run import Run

_Document = TypeVar("_Document", RunDocument, LaunchDocument)


def siblings(run: Run) -> Iterator[tuple[str, Path]]:
    """Yield identity and folder of the other runs beside a run that were measured as it was, the newest first.

    Runs that cannot be read, are being measured, or had other settings of MPI are left out. Without knowing what files
    measured it, a run has none.
    """
    own = conditions(run)
    for _, folder, identity in sorted(_asked_alike(run), reverse=True) if own.software else ():
        if _conditions_at(folder) == own:
            yield identity, folder


def _asked_alike(run: Run) -> Iterator[tuple[str, Path, str]]:
    """Yield date, folder and identity of every other run beside a run that asked for the same."""
    for document in run.path.resolve().parent.glob("*/run.json"):
        meta = _document(document, RunDocument)
        if meta is not None and document.parent != run.path.resolve() and alike(run.meta, meta):
            yield meta.created, document.parent, meta.identity


def _conditions_at(folder: Path) -> Conditions | None:
    """Return the conditions of the run in a folder; None if they cannot be read."""
    meta = _document(folder / "run.json", RunDocument)
    read = (_document(path, LaunchDocument) for path in sorted(folder.glob("launches/*/launch.json")))
    return None if meta is None else conditions_of(meta, [launch for launch in read if launch is not None])


def _document(path: Path, kind: type[_Document]) -> _Document | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, *UNDECODABLE):
        return None
