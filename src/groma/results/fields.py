"""The fields of a recorded point, with the catalogue of the run that says what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from groma.catalog import Catalog, Operation, decode, packaged
from groma.errors import CatalogError, RunError

FILE = "catalog.json"


class Meanings:
    """A catalogue, prepared for many look-ups."""

    def __init__(self, catalog: Catalog) -> None:
        """Take the catalogue of an engine."""
        self.catalog = catalog

    @cached_property
    def operations(self) -> dict[str, Operation]:
        """The operations by their names."""
        return {operation.name: operation for operation in self.catalog.operations}

    @cached_property
    def payload(self) -> frozenset[str]:
        """Fields that matter only to the operations that say so."""
        return self.catalog.payload

    @cached_property
    def numeric(self) -> dict[str, str]:
        """Types of the fields of a point that are numbers, by their names."""
        fields = [field for field in self.catalog.fields if field.scope == "point"]
        return {field.name: field.type for field in fields if field.type in {"integer", "size", "number"}}


class RecordedFields(dict[str, Any]):
    """A point's fields as a run recorded them; `meanings` is the catalogue of the engine that measured it."""

    def __init__(self, fields: Mapping[str, Any], meanings: Meanings) -> None:
        """Copy the fields."""
        super().__init__(fields)
        self.meanings = meanings


def meanings_of(point: Mapping[str, Any]) -> Meanings:
    """Return what a point's fields mean: by its run's catalogue, or the packaged one if it has none."""
    return point.meanings if isinstance(point, RecordedFields) else packaged_meanings()


@lru_cache(maxsize=1)
def packaged_meanings() -> Meanings:
    """Return the catalogue that this version of Groma was made with."""
    return Meanings(packaged())


def meanings_in(directory: Path) -> Meanings:
    """Return the catalogue that a run directory keeps; the packaged one for a run without, or with the same.

    Raises `RunError` if it cannot be read.
    """
    path = directory / FILE
    try:
        catalog = decode(path.read_bytes(), str(path))
    except FileNotFoundError:
        return packaged_meanings()
    except (OSError, CatalogError) as error:
        raise RunError(f"{path} cannot be read: {error}") from error
    return packaged_meanings() if catalog == packaged() else Meanings(catalog)
