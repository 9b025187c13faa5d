"""What can be asked: operations and fields of the engine, programs, settings of the report, published tables."""

from groma.catalog.catalog import (
    Catalog,
    Field,
    Kind,
    Operation,
    Pattern,
    decode,
    difference,
    packaged,
    suggestion,
)

__all__ = ["Catalog", "Field", "Kind", "Operation", "Pattern", "decode", "difference", "packaged", "suggestion"]
