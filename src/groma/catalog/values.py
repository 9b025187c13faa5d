"""Converts what people write for a field into the value that the engine takes, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from groma.catalog.catalog import Catalog, Field, Pattern
from groma.catalog.synonyms import operations_named
from groma.catalog.words import suggestion
from groma.errors import InputError
from groma.text.sizes import parse_size, parse_sizes

_Parsed = TypeVar("_Parsed")
_Number = TypeVar("_Number", int, float)
Value = str | int | float | bool
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_NO_BOUND = 1e15
_LIST_ARGUMENT = re.compile(r"\d+(,\d+)*")


def read_values(catalog: Catalog, field: Field, written: object) -> list[Value]:
    """Return every value that `written` asks of one field: a single value, a list, or a range of sizes.

    Raises InputError with the field, the value and what would be valid.
    """
    items = list(written) if isinstance(written, list) else [written]
    if not items:
        raise InputError(f"{field.name} is an empty list; name at least one value or leave it out")
    values: dict[Value, None] = {}
    for item in items:
        if field.type == "size" and isinstance(item, str):
            values |= dict.fromkeys(_bounded(field, size) for size in _of_field(field, item, parse_sizes))
        elif field.name == "operation":
            values |= dict.fromkeys(operations_named(_text(field, item), catalog))
        else:
            values[read_value(catalog, field, item)] = None
    return list(values)


def write_value(value: object) -> str:
    """Return the value of a field as a plan and the command line have it; nothing for None."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def split_values(field: Field, text: str) -> list[str]:
    """Return the comma-separated parts of a command-line value; sizes and texts but communicators keep their commas."""
    if field.type in ("text", "size") and field.name != "communicator":
        return [text]
    return [part.strip() for part in text.split(",")]


def read_value(catalog: Catalog, field: Field, written: object) -> Value:
    """Return one checked value of a field, converted from text if it came from a command line."""
    if field.name == "operation":
        return catalog.operation(_text(field, written)).name
    if field.name == "pattern":
        return _with_argument("pattern", catalog.pattern(text := _text(field, written)), text)
    if field.name == "communicator":
        return _with_argument("communicator", catalog.communicator(text := _text(field, written)), text)
    return _READERS[field.type](field, written)


def _choice(field: Field, written: object) -> str:
    word = _text(field, written)
    allowed = [choice.name for choice in field.choices]
    if word in allowed:
        return word
    raise InputError(f"{field.name} cannot be '{word}'{suggestion(word, allowed)}; use {_listed(allowed)}")


def _integer(field: Field, written: object) -> int:
    with suppress(ValueError):
        if isinstance(written, int | str) and not isinstance(written, bool):
            return _bounded(field, int(written))
    raise InputError(f"{field.name} needs a whole number{_range(field)}, not '{written}'")


def _size(field: Field, written: object) -> int:
    if isinstance(written, bool) or not isinstance(written, int | str):
        raise InputError(f"{field.name} needs a size such as 8, 1K or 4M, not '{written}'")
    size = _of_field(field, written, parse_size) if isinstance(written, str) else written
    return _bounded(field, size)


def _number(field: Field, written: object) -> float:
    with suppress(ValueError):
        if isinstance(written, int | float | str) and not isinstance(written, bool) and math.isfinite(float(written)):
            return _bounded(field, float(written))
    raise InputError(f"{field.name} needs a number{_range(field)}, not '{written}'")


def _boolean(field: Field, written: object) -> bool:
    if isinstance(written, bool):
        return written
    word = str(written).lower()
    if word not in _TRUE + _FALSE:
        raise InputError(f"{field.name} is either true or false, not '{written}'")
    return word in _TRUE


def _text(field: Field, written: object) -> str:
    if not isinstance(written, str):
        raise InputError(f"{field.name} needs a word in quotes, not '{written}'")
    return written


def _with_argument(noun: str, entry: Pattern, text: str) -> str:
    _, equals, argument = text.partition("=")
    if not entry.argument and equals:
        raise InputError(f"the {noun} {entry.name} takes no argument; write {entry.name}")
    if entry.argument == "k" and not (argument.isdecimal() and int(argument) > 0):
        raise InputError(f"the {noun} {entry.name} needs a whole number, such as {entry.name}=2, not '{text}'")
    if entry.argument == "ranks" and not _LIST_ARGUMENT.fullmatch(argument):
        raise InputError(f"the {noun} {entry.name} needs ranks, such as {entry.name}=0,3, not '{text}'")
    if entry.argument == "seed" and not argument.isdecimal():
        raise InputError(f"the {noun} {entry.name} needs a seed, such as {entry.name}=7, not '{text}'")
    return text


def _of_field(field: Field, text: str, parse: Callable[[str], _Parsed]) -> _Parsed:
    try:
        return parse(text)
    except InputError as error:
        raise InputError(f"{field.name}: {error}") from None


def _bounded(field: Field, number: _Number) -> _Number:
    below = field.minimum is not None and number < field.minimum
    above = field.maximum is not None and number > field.maximum
    if below or above:
        raise InputError(f"{field.name} = {number} is out of range; it must be a number{_range(field)}")
    return number


def _range(field: Field) -> str:
    """Return the allowed range in words; a bound that is only the range of a double is not stated."""
    low = None if field.minimum is None else f"{field.minimum:.10g}"
    high = None if field.maximum is None or field.maximum >= _NO_BOUND else f"{field.maximum:.10g}"
    if low and high:
        return f" from {low} to {high}"
    return f" of at least {low}" if low else f" of at most {high}" if high else ""


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_READERS: dict[str, Callable[[Field, object], Value]] = {
    "choice": _choice,
    "integer": _integer,
    "size": _size,
    "number": _number,
    "boolean": _boolean,
    "text": _text,
}
