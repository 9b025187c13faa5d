"""Everything a user can name: the engine's operations and fields, programs, report settings, published tables."""

from groma.catalog.catalog import (
    Catalog,
    Field,
    Kind,
    Operation,
    Pattern,
    decode,
    difference,
    packaged,
)
from groma.catalog.words import suggestion

__all__ = ["Catalog", "Field", "Kind", "Operation", "Pattern", "decode", "difference", "packaged", "suggestion"]
