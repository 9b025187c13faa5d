"""Meaning of an operation's figures, by the catalogue of the engine that measured them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groma.catalog import Operation
from groma.results.fields import meanings_of


def meaning(point: Mapping[str, Any]) -> Operation:
    """Return the entry of a point's operation; for one that its catalogue lacks, one that claims nothing.

    Older runs keep no catalogue: an operation of somebody's own is described in none.
    """
    name = str(point["operation"])
    known = meanings_of(point).operations.get(name)
    return known or Operation(
        name=name,
        family="own",
        summary="An operation that the catalogue does not list.",
        calls="",
        time="one repetition, over the divisor that its records state",
        divisor=1,
        bandwidth="bytes moved as its records state, over time",
        uses=tuple(payload_fields(point)),
    )


def payload_fields(point: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that matter only to the operations that say so."""
    return meanings_of(point).payload
