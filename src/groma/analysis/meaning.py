"""What an operation's figures mean, in the catalogue's words."""

from __future__ import annotations

from functools import lru_cache

from groma.catalog import Operation, packaged


@lru_cache(maxsize=256)
def meaning(name: str) -> Operation:
    """Return the catalogue's entry; for an operation that it does not list, an entry without claims."""
    for operation in packaged().operations:
        if operation.name == name:
            return operation
    return Operation(
        name=name,
        family="own",
        summary="An operation that the catalogue does not list.",
        calls="",
        time="one repetition, over the divisor that its records state",
        divisor=1,
        bandwidth="bytes moved as its records state, over time",
        uses=tuple(payload_fields()),
    )


@lru_cache(maxsize=1)
def payload_fields() -> frozenset[str]:
    """Return the fields that matter only to the operations that say so."""
    return packaged().payload
