"""JSON by the C part of Python's own module alone: what the module imports besides takes longer than a fake launch."""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Context:
    """What the scanner asks of a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float
    memo: dict[str, str] = {}  # noqa: RUF012 - of the names in one document


_scan = _json.make_scanner(_Context)  # type: ignore[arg-type]
_encode = _json.make_encoder(None, None, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True)  # type: ignore[arg-type]


def loads(text: str) -> Any:  # noqa: ANN401 - whatever the document holds
    """Return what a document holds; it may end with white space."""
    value, _ = _scan(text, 0)
    return value


def dumps(value: Any) -> str:  # noqa: ANN401 - whatever a record holds
    """Return a document on one line."""
    return "".join(_encode(value, 0))
